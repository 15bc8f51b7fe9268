#pragma once

#include "primitives/kernels.h"
#include "primitives/kernels/blocks-inl.h"

namespace lanewise::kernels {

template <Arithmetic op, class V>
LANES_FN V apply(V a, V b) {
  if constexpr (op == Arithmetic::add) return a + b;
  if constexpr (op == Arithmetic::subtract) return a - b;
  if constexpr (op == Arithmetic::multiply) return a * b;
}

/// Up to 32 bits: computed in twice the width; a value that changes by narrowing does not fit.
template <class Isa, Arithmetic op, class T>
LANES_FN u64 narrow_block(const T* left, const T* right, T* out) {
  using Signed = typename IntegerOf<2 * sizeof(T)>::type;
  using Double = std::conditional_t<std::is_signed_v<T>, Signed, std::make_unsigned_t<Signed>>;
  constexpr size_t lanes = Isa::kBytes / sizeof(Double);
  using V = Vector<T, lanes>;
  using W = Vector<Double, lanes>;
  u64 bits = 0;
  for (size_t i = 0; i < kBlock; i += lanes) {
    const W a = __builtin_convertvector(load<V>(left + i), W);
    const W b = __builtin_convertvector(load<V>(right + i), W);
    const W wide = apply<op>(a, b);
    const V result = __builtin_convertvector(wide, V);
    bits |= Isa::bits(__builtin_convertvector(result, W) != wide) << i;
    store(out + i, result);
  }
  return bits;
}

/// 64 products of int64, if all are certain to fit, judged by doubles: rounding errors
/// are far below the margin from 2^62 to 2^63. False: nothing is written.
template <class Isa>
LANES_FN bool small_products(const int64_t* left, const int64_t* right, int64_t* out) {
  constexpr size_t lanes = Isa::kBytes / 8;
  using V = Vector<int64_t, lanes>;
  using U = Vector<uint64_t, lanes>;
  using D = Vector<double, lanes>;
  constexpr double kSafe = 4611686018427387904.0;
  V products[kBlock / lanes];
  V large{};
  for (size_t i = 0; i < kBlock / lanes; i++) {
    const V a = load<V>(left + i * lanes), b = load<V>(right + i * lanes);
    const D size = __builtin_convertvector(a, D) * __builtin_convertvector(b, D);
    large |= (size >= kSafe) | (size <= -kSafe);
    products[i] = V(U(a) * U(b));
  }
  if (Isa::bits(large)) return false;
  for (size_t i = 0; i < kBlock / lanes; i++) store(out + i * lanes, products[i]);
  return true;
}

/// 64 bits: sums and differences by their signs, products one by one if registers cannot multiply.
template <class Isa, Arithmetic op, class T>
LANES_FN u64 wide_block(const T* left, const T* right, T* out) {
  constexpr size_t lanes = Isa::kBytes / 8;
  using V = Vector<T, lanes>;
  using U = Vector<uint64_t, lanes>;
  using I = Vector<int64_t, lanes>;
  u64 bits = 0;
  if constexpr (op == Arithmetic::multiply && std::is_same_v<T, int64_t> && Isa::kBytes == 64) {
    if (small_products<Isa>(left, right, out)) return 0;
  }
  for (size_t i = 0; i < kBlock; i += lanes) {
    const V a = load<V>(left + i);
    const V b = load<V>(right + i);
    if constexpr (op == Arithmetic::multiply) {
      V result;
      for (size_t k = 0; k < lanes; k++) {
        T product;
        bits |= u64(__builtin_mul_overflow(T(a[k]), T(b[k]), &product)) << (i + k);
        result[k] = product;
      }
      store(out + i, result);
    } else {
      const V result = (V)apply<op>((U)a, (U)b);
      if constexpr (std::is_unsigned_v<T>) {
        bits |= Isa::bits(op == Arithmetic::add ? result < a : a < b) << i;
      } else if constexpr (op == Arithmetic::add) {
        bits |= Isa::bits(I((a ^ result) & (b ^ result)) < 0) << i;
      } else {
        bits |= Isa::bits(I((a ^ b) & (a ^ result)) < 0) << i;
      }
      store(out + i, result);
    }
  }
  return bits;
}

/// 64 results, and the bits of those that do not fit.
template <class Isa, Arithmetic op, class T>
LANES_FN u64 arithmetic_block(const T* left, const T* right, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr size_t lanes = Isa::kBytes / sizeof(T);
    using V = Vector<T, lanes>;
    for (size_t i = 0; i < kBlock; i += lanes)
      store(out + i, apply<op>(load<V>(left + i), load<V>(right + i)));
    return 0;
  } else if constexpr (sizeof(T) == 8) {
    return wide_block<Isa, op>(left, right, out);
  } else {
    return narrow_block<Isa, op>(left, right, out);
  }
}

/// Blocks of 64 rows up to the first with an active overflow, whose bits go to `over`.
template <class Isa, Arithmetic op, class T>
static size_t arithmetic_blocks(const T* left, size_t left_step, const T* right, size_t right_step,
                                size_t blocks, const uint64_t* active, T* out, u64* over) {
  for (size_t block = 0; block < blocks; block++, left += left_step, right += right_step, out += kBlock) {
    *over = arithmetic_block<Isa, op>(left, right, out) & (active ? active[block] : ~u64(0));
    if (*over) return block;
  }
  return blocks;
}

template <class Isa, Arithmetic op, class T>
LANES_FN size_t arithmetic_all(const Side<T>& left, const Side<T>& right, size_t rows, const uint64_t* active,
                               T* out) {
  const size_t blocks = rows / kBlock, row = blocks * kBlock;
  u64 over = 0;
  const size_t stop = arithmetic_blocks<Isa, op>(left.block(), left.step(), right.block(), right.step(),
                                                 blocks, active, out, &over);
  if (over) return stop * kBlock + size_t(__builtin_ctzll(over));
  if (row == rows) return rows;
  const Tail<T> left_tail = left.tail(row, rows - row), right_tail = right.tail(row, rows - row);
  T results[kBlock];
  arithmetic_blocks<Isa, op>(&left_tail.values[0], 0, &right_tail.values[0], 0, 1,
                             active ? active + blocks : nullptr, &results[0], &over);
  __builtin_memcpy(out + row, results, (rows - row) * sizeof(T));
  return over ? row + size_t(__builtin_ctzll(over)) : rows;
}

template <class Isa, class T>
static size_t arithmetic_any(Arithmetic op, const Side<T>& left, const Side<T>& right, size_t rows,
                             const uint64_t* active, T* out) {
  switch (op) {
    case Arithmetic::add:
      return arithmetic_all<Isa, Arithmetic::add>(left, right, rows, active, out);
    case Arithmetic::subtract:
      return arithmetic_all<Isa, Arithmetic::subtract>(left, right, rows, active, out);
    default:
      return arithmetic_all<Isa, Arithmetic::multiply>(left, right, rows, active, out);
  }
}

template <class Isa, class T>
size_t arithmetic(Arithmetic op, const T* left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Isa, T>(op, Side<T>(left), Side<T>(right), rows, active, out);
}
template <class Isa, class T>
size_t arithmetic_right(Arithmetic op, const T* left, T right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Isa, T>(op, Side<T>(left), Side<T>(right), rows, active, out);
}
template <class Isa, class T>
size_t arithmetic_left(Arithmetic op, T left, const T* right, size_t rows, const uint64_t* active, T* out) {
  return arithmetic_any<Isa, T>(op, Side<T>(left), Side<T>(right), rows, active, out);
}

}  // namespace lanewise::kernels
