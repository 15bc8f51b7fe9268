#include <functional>
#include <limits>

#include "base/bits.h"
#include "primitives/hash.h"
#include "primitives/kernels/tables.h"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang knows no such option
#pragma GCC optimize("no-tree-vectorize")           // one lane is this target's meaning

namespace lanewise::kernels {
namespace {

template <class T>
bool equal(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}
template <class T>
bool less(T a, T b) {
  return (a < b) | ((b != b) & (a == a));
}

template <class T>
bool holds(Comparison op, T a, T b) {
  switch (op) {
    case Comparison::eq:
      return equal(a, b);
    case Comparison::ne:
      return !equal(a, b);
    case Comparison::lt:
      return less(a, b);
    case Comparison::le:
      return !less(b, a);
    case Comparison::gt:
      return less(b, a);
    default:
      return !less(a, b);
  }
}

template <Comparison op, class Left, class Right>
void compare_with(Left left, Right right, size_t rows, uint64_t* out) {
  for (size_t w = 0; w < bits::words(rows); w++) {
    const size_t here = rows - w * 64 < 64 ? rows - w * 64 : 64;
    uint64_t word = 0;
    for (size_t k = 0; k < here; k++) word |= uint64_t{holds(op, left(w * 64 + k), right(w * 64 + k))} << k;
    out[w] = word;
  }
}

template <class Left, class Right>
void compare_any(Comparison op, Left left, Right right, size_t rows, uint64_t* out) {
  switch (op) {
    case Comparison::eq:
      return compare_with<Comparison::eq>(left, right, rows, out);
    case Comparison::ne:
      return compare_with<Comparison::ne>(left, right, rows, out);
    case Comparison::lt:
      return compare_with<Comparison::lt>(left, right, rows, out);
    case Comparison::le:
      return compare_with<Comparison::le>(left, right, rows, out);
    case Comparison::gt:
      return compare_with<Comparison::gt>(left, right, rows, out);
    case Comparison::ge:
      return compare_with<Comparison::ge>(left, right, rows, out);
  }
}

template <class T>
auto column(const T* values) {
  return [values](size_t row) { return values[row]; };
}
template <class T>
auto constant(T value) {
  return [value](size_t) { return value; };
}

template <class T>
void compare(Comparison op, const T* left, const T* right, size_t rows, uint64_t* out) {
  compare_any(op, column(left), column(right), rows, out);
}
template <class T>
void compare_constant(Comparison op, const T* left, T right, size_t rows, uint64_t* out) {
  compare_any(op, column(left), constant(right), rows, out);
}

bool is_active(const uint64_t* active, size_t row) { return !active || bits::test(active, row); }

template <class T>
Sum<T> sum(const T* values, const uint64_t* active, size_t rows) {
  if constexpr (std::is_floating_point_v<T>) {
    double partial[16] = {};
    for (size_t i = 0; i < rows; i++) partial[i % 16] += is_active(active, i) ? double(values[i]) : 0.0;
    double total = 0;
    for (double part : partial) total += part;
    return total;
  } else {
    int128_t total = 0;
    for (size_t i = 0; i < rows; i++) total += is_active(active, i) ? values[i] : T{0};
    return total;
  }
}

/// Whether a comes before b where equal values are told apart: -0.0 before 0.0.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return __builtin_signbit(a) && !__builtin_signbit(b);
  }
  return less(a, b);
}

template <class T>
MinMax<T> min_max(const T* values, const uint64_t* active, size_t rows) {
  MinMax<T> result{};
  for (size_t i = 0; i < rows; i++) {
    if (!is_active(active, i)) continue;
    const T value = values[i] != values[i] ? std::numeric_limits<T>::quiet_NaN() : values[i];
    if (!result.any || before(value, result.min)) result.min = value;
    if (!result.any || before(result.max, value)) result.max = value;
    result.any = true;
  }
  return result;
}

template <class T>
bool overflows(Arithmetic op, T a, T b, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    *out = op == Arithmetic::add ? a + b : op == Arithmetic::subtract ? a - b : a * b;
    return false;
  } else {
    if (op == Arithmetic::add) return __builtin_add_overflow(a, b, out);
    if (op == Arithmetic::subtract) return __builtin_sub_overflow(a, b, out);
    return __builtin_mul_overflow(a, b, out);
  }
}

template <class T, class Left, class Right>
size_t arithmetic_any(Arithmetic op, Left left, Right right, size_t rows, const uint64_t* active, T* out) {
  for (size_t i = 0; i < rows; i++) {
    if (overflows<T>(op, left(i), right(i), &out[i]) && is_active(active, i)) return i;
  }
  return rows;
}

template <class T>
size_t arithmetic(Arithmetic op, const T* left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<T>(op, column(left), column(right), rows, active, out);
}
template <class T>
size_t arithmetic_right(Arithmetic op, const T* left, T right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<T>(op, column(left), constant(right), rows, active, out);
}
template <class T>
size_t arithmetic_left(Arithmetic op, T left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<T>(op, constant(left), column(right), rows, active, out);
}

template <class Op>
void combine(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out) {
  for (size_t w = 0; w < bits::words(rows); w++) out[w] = Op{}(left[w], right[w]);
}
struct AndNot {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a & ~b; }
};

size_t list(const uint64_t* bitmap, size_t rows, uint32_t first, uint32_t* out) {
  uint32_t* to = out;
  bits::for_each(bitmap, rows, [&](size_t row) { *to++ = first + uint32_t(row); });
  return size_t(to - out);
}

void hash_words(const uint64_t* words, size_t rows, uint64_t* out) {
  for (size_t i = 0; i < rows; i++) out[i] = hash::of_word(words[i]);
}

template <class T>
constexpr Kernels<T> kernels() {
  return {lanes::Target::scalar, compare<T>,          compare_constant<T>, sum<T>, min_max<T>,
          arithmetic<T>,         arithmetic_right<T>, arithmetic_left<T>};
}

constexpr Tables kTables{kernels<int8_t>(),
                         kernels<int16_t>(),
                         kernels<int32_t>(),
                         kernels<int64_t>(),
                         kernels<uint8_t>(),
                         kernels<uint16_t>(),
                         kernels<uint32_t>(),
                         kernels<uint64_t>(),
                         kernels<float>(),
                         kernels<double>(),
                         {lanes::Target::scalar, combine<std::bit_and<>>, combine<std::bit_or<>>,
                          combine<AndNot>, bits::count, list, hash_words}};

}  // namespace

const Tables kScalarTables = kTables;

}  // namespace lanewise::kernels
