#pragma once

#include "primitives/groups/hash.h"
#include "primitives/kernels/bits-inl.h"
#include "primitives/kernels/order-inl.h"
#include "primitives/kernels/pairs_plain-inl.h"
#include "primitives/kernels/tables.h"

/// Loops over rows in sequence, compiled once for each level: with a branch for each row, without,
/// and without but vectorised by the compiler. Level, a type local to one file, defines kTarget, keep(c, a)
/// (a if c holds, else zero), pick(c, a, b) (for integers: a if c holds, else b), count(word), and
/// list_word(word, first, out) as in bits-inl.h.
namespace lanewise::kernels::plain {

template <class T>
LANES_FN bool equal(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}
template <class T>
LANES_FN bool less(T a, T b) {
  return (a < b) | ((b != b) & (a == a));
}

template <Comparison op, class T>
LANES_FN bool holds(T a, T b) {
  if constexpr (op == Comparison::eq) return equal(a, b);
  if constexpr (op == Comparison::ne) return !equal(a, b);
  if constexpr (op == Comparison::lt) return less(a, b);
  if constexpr (op == Comparison::le) return !less(b, a);
  if constexpr (op == Comparison::gt) return less(b, a);
  if constexpr (op == Comparison::ge) return !less(a, b);
}

/// One side of an operation: a column, or one value for all rows.
template <class T>
struct Column {
  const T* values;
  LANES_FN T operator()(size_t row) const { return values[row]; }
};
template <class T>
struct Constant {
  T value;
  LANES_FN T operator()(size_t) const { return value; }
};

/// A word whose bit k is test(k), k < count. Results are bytes first, which compilers can
/// vectorise; a multiplication collects the bits of eight.
template <class Level, class Test>
LANES_FN u64 word_of(size_t count, Test test) {
  u8 answers[kBlock];
  if (count < kBlock) __builtin_memset(answers, 0, sizeof answers);
  for (size_t k = 0; k < count; k++) answers[k] = Level::keep(test(k), u8(1));
  u64 word = 0;
  for (size_t i = 0; i < kBlock; i += 8) {
    u64 eight;
    __builtin_memcpy(&eight, answers + i, sizeof eight);
    word |= (eight * 0x0102040810204080 >> 56) << i;
  }
  return word;
}

template <class Level, Comparison op, class Left, class Right>
static void compare_rows(Left left, Right right, size_t rows, uint64_t* out) {
  size_t row = 0;
  const auto test = [&](size_t k) { return holds<op>(left(row + k), right(row + k)); };
  for (; row + kBlock <= rows; row += kBlock) *out++ = word_of<Level>(kBlock, test);
  if (row < rows) *out = word_of<Level>(rows - row, test);
}

template <class Level, class Left, class Right>
static void compare_any(Comparison op, Left left, Right right, size_t rows, uint64_t* out) {
  switch (op) {
    case Comparison::eq:
      return compare_rows<Level, Comparison::eq>(left, right, rows, out);
    case Comparison::ne:
      return compare_rows<Level, Comparison::ne>(left, right, rows, out);
    case Comparison::lt:
      return compare_rows<Level, Comparison::lt>(left, right, rows, out);
    case Comparison::le:
      return compare_rows<Level, Comparison::le>(left, right, rows, out);
    case Comparison::gt:
      return compare_rows<Level, Comparison::gt>(left, right, rows, out);
    case Comparison::ge:
      return compare_rows<Level, Comparison::ge>(left, right, rows, out);
  }
}

template <class Level, class T>
void compare(Comparison op, const T* left, const T* right, size_t rows, uint64_t* out) {
  compare_any<Level>(op, Column<T>{left}, Column<T>{right}, rows, out);
}
template <class Level, class T>
void compare_constant(Comparison op, const T* left, T right, size_t rows, uint64_t* out) {
  compare_any<Level>(op, Column<T>{left}, Constant<T>{right}, rows, out);
}

/// Calls f(value, whether its row is active) for each row.
template <class T, class F>
LANES_FN void for_rows(const T* values, const uint64_t* active, size_t rows, F f) {
  if (!active) {
    for (size_t row = 0; row < rows; row++) f(values[row], true);
    return;
  }
  size_t row = 0;
  for (; row + kBlock <= rows; row += kBlock) {
    const u64 word = active[row / kBlock];
    for (size_t k = 0; k < kBlock; k++) f(values[row + k], word >> k & 1);
  }
  for (; row < rows; row++) f(values[row], active[row / kBlock] >> row % kBlock & 1);
}

/// In 64 bits, which hold a run's sum: values up to 32 bits directly, longer ones in two halves.
template <class Level, class T>
LANES_FN int128_t sum_integers(const T* values, const uint64_t* active, size_t rows) {
  constexpr size_t kRun = size_t(1) << 30;
  using Half = std::conditional_t<std::is_signed_v<T>, int64_t, u64>;
  int128_t total = 0;
  for (size_t first = 0; first < rows; first += kRun) {
    u64 low = 0;
    Half high = 0;
    const size_t count = rows - first < kRun ? rows - first : kRun;
    for_rows(values + first, active ? active + first / kBlock : nullptr, count, [&](T value, bool on) {
      const T counted = Level::keep(on, value);
      if constexpr (sizeof(T) == 8) {
        low += u64(counted) & 0xffffffff;
        high += counted >> 32;
      } else {
        high += counted;
      }
    });
    total += sizeof(T) == 8 ? int128_t(high) * (int128_t(1) << 32) + low : int128_t(high);
  }
  return total;
}

/// 16 partial sums by row number, as on every target.
template <class Level, class T>
LANES_FN double sum_floats(const T* values, const uint64_t* active, size_t rows) {
  constexpr size_t kPartial = 16;
  double sums[kPartial] = {};
  size_t row = 0;
  for (; row + kPartial <= rows; row += kPartial) {
    const u64 word = active ? active[row / kBlock] >> row % kBlock : ~u64(0);
    for (size_t k = 0; k < kPartial; k++) {
      sums[k] += Level::keep(word >> k & 1, double(values[row + k]));
    }
  }
  for (size_t k = 0; row + k < rows; k++) {
    const bool on = !active || (active[row / kBlock] >> (row + k) % kBlock & 1);
    sums[k] += Level::keep(on, double(values[row + k]));
  }
  double total = 0;
  for (double part : sums) total += part;
  return total;
}

template <class Level, class T>
Sum<T> sum(const T* values, const uint64_t* active, size_t rows) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum_floats<Level>(values, active, rows);
  } else {
    return sum_integers<Level>(values, active, rows);
  }
}

template <class Level, class T>
MinMax<T> min_max(const T* values, const uint64_t* active, size_t rows) {
  using Order = Ordered<T>;
  using Int = typename Order::type;
  constexpr Int kLeast = Limits<Int>::kMin, kMost = Limits<Int>::kMax;
  Int least = kMost, greatest = kLeast;
  bool any = false;
  for_rows(values, active, rows, [&](T value, bool on) {
    const Int v = Order::of(value);
    const Int low = Level::keep(on, Int(v ^ kMost)) ^ kMost;
    const Int high = Level::keep(on, Int(v ^ kLeast)) ^ kLeast;
    least = Level::pick(low < least, low, least);
    greatest = Level::pick(high > greatest, high, greatest);
    any |= on;
  });
  return {Order::back(least), Order::back(greatest), any};
}

template <Arithmetic op, class T>
LANES_FN bool overflows(T a, T b, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    *out = op == Arithmetic::add ? a + b : op == Arithmetic::subtract ? a - b : a * b;
    return false;
  } else {
    if constexpr (op == Arithmetic::add) return __builtin_add_overflow(a, b, out);
    if constexpr (op == Arithmetic::subtract) return __builtin_sub_overflow(a, b, out);
    if constexpr (op == Arithmetic::multiply) return __builtin_mul_overflow(a, b, out);
  }
}

template <class Level, Arithmetic op, class T, class Left, class Right>
static size_t arithmetic_rows(Left left, Right right, size_t rows, const uint64_t* active, T* out) {
  for (size_t row = 0; row < rows; row += kBlock) {
    const size_t count = rows - row < kBlock ? rows - row : kBlock;
    const u64 over = word_of<Level>(
        count, [&](size_t k) { return overflows<op>(left(row + k), right(row + k), &out[row + k]); });
    const u64 faults = over & (active ? active[row / kBlock] : ~u64(0));
    if (faults) return row + size_t(__builtin_ctzll(faults));
  }
  return rows;
}

template <class Level, class T, class Left, class Right>
static size_t arithmetic_any(Arithmetic op, Left left, Right right, size_t rows, const uint64_t* active,
                             T* out) {
  switch (op) {
    case Arithmetic::add:
      return arithmetic_rows<Level, Arithmetic::add>(left, right, rows, active, out);
    case Arithmetic::subtract:
      return arithmetic_rows<Level, Arithmetic::subtract>(left, right, rows, active, out);
    default:
      return arithmetic_rows<Level, Arithmetic::multiply>(left, right, rows, active, out);
  }
}

template <class Level, class T>
size_t arithmetic(Arithmetic op, const T* left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Level>(op, Column<T>{left}, Column<T>{right}, rows, active, out);
}
template <class Level, class T>
size_t arithmetic_right(Arithmetic op, const T* left, T right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Level>(op, Column<T>{left}, Constant<T>{right}, rows, active, out);
}
template <class Level, class T>
size_t arithmetic_left(Arithmetic op, T left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Level>(op, Constant<T>{left}, Column<T>{right}, rows, active, out);
}

template <class Level>
size_t count(const uint64_t* bitmap, size_t rows) {
  size_t total = 0;
  for (size_t w = 0; w < (rows + 63) / 64; w++) total += Level::count(bitmap[w]);
  return total;
}

template <class Level>
void hash(const uint64_t* words, size_t rows, uint64_t* out) {
  for (size_t row = 0; row < rows; row++) out[row] = hash::of_word(words[row]);
}

template <class Level, class T>
constexpr Kernels<T> kernels_of() {
  return {Level::kTarget,    compare<Level, T>,    compare_constant<Level, T>, sum<Level, T>,
          min_max<Level, T>, arithmetic<Level, T>, arithmetic_right<Level, T>, arithmetic_left<Level, T>};
}

template <class Level>
constexpr Tables tables_of() {
  return {kernels_of<Level, int8_t>(),
          kernels_of<Level, int16_t>(),
          kernels_of<Level, int32_t>(),
          kernels_of<Level, int64_t>(),
          kernels_of<Level, uint8_t>(),
          kernels_of<Level, uint16_t>(),
          kernels_of<Level, uint32_t>(),
          kernels_of<Level, uint64_t>(),
          kernels_of<Level, float>(),
          kernels_of<Level, double>(),
          {Level::kTarget, bit_and<Level>, bit_or<Level>, bit_and_not<Level>, count<Level>, list<Level>,
           hash<Level>},
          pair_kernels<Level>()};
}

/// A Level's functions without a branch.
struct WithoutJumps {
  template <class T>
  static LANES_FN T keep(bool c, T a) {
    Bits<T> bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    bits = Bits<T>(bits & -Bits<T>(c));  // compilers would turn c ? a : 0 into a branch
    __builtin_memcpy(&a, &bits, sizeof bits);
    return a;
  }
  template <class T>
  static LANES_FN T pick(bool c, T a, T b) {
    return c ? a : b;
  }
  static LANES_FN u32 count(u64 word) { return lanes::count_bits(word); }
  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    for (u32 k = 0; k < 64; k++) {
      *out = first + k;
      out += word >> k & 1;
    }
    return out;
  }
};

}  // namespace lanewise::kernels::plain
