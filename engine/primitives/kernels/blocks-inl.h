#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "lanes/lane.h"

/// Shared by the vector kernels: vectors of kBytes, and loops over columns in blocks of 64 rows, one bitmap
/// word each. Included by one file per target, after its `#pragma GCC target`; Isa, a type local to that
/// file, keeps the targets' functions apart.
namespace lanewise::kernels {

using lanes::u16;
using lanes::u32;
using lanes::u64;
using lanes::u8;

/// `bytes` bytes of values of type T, in the compiler's own vectors: a target without such registers gets
/// several.
template <class T, size_t bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
};
template <class T, size_t lanes>
using Vector = typename VectorOf<T, lanes * sizeof(T)>::type;

template <size_t bytes>
struct IntegerOf;
template <>
struct IntegerOf<1> {
  using type = int8_t;
};
template <>
struct IntegerOf<2> {
  using type = int16_t;
};
template <>
struct IntegerOf<4> {
  using type = int32_t;
};
template <>
struct IntegerOf<8> {
  using type = int64_t;
};
/// The signed integer as wide as T: the result of comparing vectors of T.
template <class T>
using Bits = typename IntegerOf<sizeof(T)>::type;

template <class V, class T>
LANES_FN V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
LANES_FN void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// The integers of v as integers of type To, at least as wide. One doubling at a time: gcc converts larger
/// steps lane by lane.
template <class To, class From, size_t lanes>
LANES_FN Vector<To, lanes> widen(Vector<From, lanes> v) {
  if constexpr (sizeof(To) <= 2 * sizeof(From)) {
    return __builtin_convertvector(v, Vector<To, lanes>);
  } else {
    using Half = typename IntegerOf<2 * sizeof(From)>::type;
    using Next = std::conditional_t<std::is_signed_v<From>, Half, std::make_unsigned_t<Half>>;
    using V = Vector<Next, lanes>;
    return widen<To, Next, lanes>(__builtin_convertvector(v, V));
  }
}

/// All ones in lane k if bit k of `bits` is set, else zero; T has at least as many bits as the vector has
/// lanes.
template <class T, size_t lanes>
LANES_FN Vector<Bits<T>, lanes> spread(u64 bits) {
  using V = Vector<Bits<T>, lanes>;
  V lane_bit;
  LANES_UNROLL for (size_t k = 0; k < lanes; k++) lane_bit[k] = Bits<T>(u64(1) << k);
  return ((V{} + Bits<T>(bits)) & lane_bit) != V{};
}

/// v if the lane's bit is set, else zero.
template <class Isa, class V>
LANES_FN V keep(V v, u64 bits) {
  if constexpr (requires { Isa::keep(v, bits); }) {
    return Isa::keep(v, bits);
  } else {
    using T = std::remove_cvref_t<decltype(v[0])>;
    constexpr size_t lanes = sizeof(V) / sizeof(T);
    return (V)((Vector<Bits<T>, lanes>)v & spread<T, lanes>(bits));
  }
}

LANES_FN u64 low_mask(size_t bits) { return bits >= 64 ? ~u64(0) : (u64(1) << bits) - 1; }

constexpr size_t kBlock = 64;

/// 64 values, zero after the first `rows`.
template <class T>
struct Tail {
  T values[kBlock];
  LANES_FN Tail(const T* from, size_t rows) {
    __builtin_memset(values, 0, sizeof values);
    __builtin_memcpy(values, from, rows * sizeof(T));
  }
};

/// Calls f(values, active) for each block of 64 rows; after the last row values are zero and rows are not
/// active.
template <class T, class F>
LANES_FN void for_blocks(const T* values, const uint64_t* active, size_t rows, F f) {
  size_t row = 0;
  for (; row + kBlock <= rows; row += kBlock) f(values + row, active ? active[row / kBlock] : ~u64(0));
  if (row == rows) return;
  const Tail<T> tail(values + row, rows - row);
  f(tail.values, (active ? active[row / kBlock] : ~u64(0)) & low_mask(rows - row));
}

/// One side of an operation, read in blocks: a column, or one value for all rows.
template <class T>
class Side {
 public:
  LANES_FN Side(const T* column) : block_(column), step_(kBlock) {}
  LANES_FN Side(T value) : block_(copies_), step_(0) {
    for (size_t k = 0; k < kBlock; k++) copies_[k] = value;
  }
  Side(const Side&) = delete;
  LANES_FN const T* block() const { return block_; }
  LANES_FN size_t step() const { return step_; }
  /// The side's rows [row, row + rows), fewer than a block, padded to a block.
  LANES_FN Tail<T> tail(size_t row, size_t rows) const {
    return Tail<T>(step_ ? block_ + row : block_, rows);
  }

 private:
  const T* block_;
  size_t step_;
  T copies_[kBlock];
};

}  // namespace lanewise::kernels
