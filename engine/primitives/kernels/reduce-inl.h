#pragma once

#include "primitives/kernels.h"
#include "primitives/kernels/blocks-inl.h"
#include "primitives/kernels/order-inl.h"

namespace lanewise::kernels {

/// Sums of integers up to 16 bits: in 64-bit lanes, which hold 2^31 of them.
template <class Isa, class T>
LANES_FN int128_t sum_narrow(const T* values, const uint64_t* active, size_t rows) {
  constexpr size_t lanes = Isa::kBytes / 8;
  using Wide = Vector<int64_t, lanes>;
  constexpr size_t kRun = size_t(1) << 30;
  int128_t total = 0;
  for (size_t row = 0; row < rows; row += kRun) {
    Wide sums{};
    const size_t end = rows - row < kRun ? rows - row : kRun;
    for_blocks(values + row, active ? active + row / kBlock : nullptr, end, [&](const T* block, u64 bits) {
      for (size_t i = 0; i < kBlock; i += lanes) {
        const Wide wide = widen<int64_t, T, lanes>(load<Vector<T, lanes>>(block + i));
        sums += keep<Isa>(wide, bits >> i);
      }
    });
    for (size_t k = 0; k < lanes; k++) total += sums[k];
  }
  return total;
}

/// Sums of integers of 32 and 64 bits, without widening. All bits and the high halves of 64-bit lanes are
/// summed; their difference, which does not overflow in a run, is the sum of the low halves. A lane holds two
/// integers of 32 bits, shifted up by 2^31 if they are signed, so that no half borrows from the other.
template <class Isa, class T>
LANES_FN int128_t sum_wide(const T* values, const uint64_t* active, size_t rows) {
  constexpr size_t lanes = Isa::kBytes / sizeof(T);
  constexpr bool kPairs = sizeof(T) == 4;
  constexpr T kOffset = kPairs && T(-1) < T(0) ? T(u32(1) << 31) : T(0);
  using Word = std::conditional_t<kPairs, u64, T>;
  using Words = Vector<Word, Isa::kBytes / 8>;
  constexpr size_t kRun = size_t(1) << 30;
  int128_t total = 0;
  for (size_t row = 0; row < rows; row += kRun) {
    Vector<u64, Isa::kBytes / 8> sums{};  // may wrap
    Words high_sums{};
    u64 moved = 0;
    const size_t end = rows - row < kRun ? rows - row : kRun;
    for_blocks(values + row, active ? active + row / kBlock : nullptr, end, [&](const T* block, u64 bits) {
      LANES_UNROLL for (size_t i = 0; i < kBlock; i += lanes) {
        const auto words = (Words)keep<Isa>(load<Vector<T, lanes>>(block + i) ^ kOffset, bits >> i);
        sums += (decltype(sums))words;
        high_sums += words >> 32;
      }
      if (kOffset != 0) moved += u64(__builtin_popcountll(bits));
    });
    for (size_t k = 0; k < Isa::kBytes / 8; k++) {
      const u64 low = sums[k] - (u64(high_sums[k]) << 32);
      total += high_sums[k] * (kPairs ? int128_t(1) : int128_t(1) << 32) + low;
    }
    total -= int128_t(moved) << 31;
  }
  return total;
}

/// 16 partial sums by row number, on every target: the same rounding everywhere.
template <class Isa, class T>
LANES_FN double sum_floats(const T* values, const uint64_t* active, size_t rows) {
  constexpr size_t kPartial = 16;
  constexpr size_t lanes = Isa::kBytes / 8;
  using Wide = Vector<double, lanes>;
  Wide sums[kPartial / lanes] = {};
  for_blocks(values, active, rows, [&](const T* block, u64 bits) {
    LANES_UNROLL for (size_t i = 0; i < kBlock; i += lanes) {
      const Wide wide = __builtin_convertvector(load<Vector<T, lanes>>(block + i), Wide);
      sums[i / lanes % (kPartial / lanes)] += keep<Isa>(wide, bits >> i);
    }
  });
  double total = 0;
  for (size_t k = 0; k < kPartial; k++) total += sums[k / lanes][k % lanes];
  return total;
}

template <class Isa, class T>
Sum<T> sum(const T* values, const uint64_t* active, size_t rows) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum_floats<Isa>(values, active, rows);
  } else if constexpr (sizeof(T) >= 4) {
    return sum_wide<Isa>(values, active, rows);
  } else {
    return sum_narrow<Isa>(values, active, rows);
  }
}

template <class Isa, class T>
MinMax<T> min_max(const T* values, const uint64_t* active, size_t rows) {
  using Order = Ordered<T>;
  using Int = typename Order::type;
  constexpr size_t lanes = Isa::kBytes / sizeof(Int);
  using V = Vector<Int, lanes>;
  V least = V{} + Limits<Int>::kMax, greatest = V{} + Limits<Int>::kMin;
  u64 seen = 0;
  for_blocks(values, active, rows, [&](const T* block, u64 bits) {
    seen |= bits;
    for (size_t i = 0; i < kBlock; i += lanes) {
      V v;
      if constexpr (std::is_floating_point_v<T>) {
        v = Order::from(load<Vector<T, lanes>>(block + i));
      } else {
        v = widen<Int, T, lanes>(load<Vector<T, lanes>>(block + i));
      }
      const auto here = spread<Int, lanes>(bits >> i);
      const V low = here ? v : V{} + Limits<Int>::kMax, high = here ? v : V{} + Limits<Int>::kMin;
      least = low < least ? low : least;
      greatest = high > greatest ? high : greatest;
    }
  });
  Int min = least[0], max = greatest[0];
  for (size_t k = 1; k < lanes; k++) {
    min = least[k] < min ? least[k] : min;
    max = greatest[k] > max ? greatest[k] : max;
  }
  return {Order::back(min), Order::back(max), seen != 0};
}

}  // namespace lanewise::kernels
