#pragma once

#include "primitives/kernels/arithmetic-inl.h"
#include "primitives/kernels/bits-inl.h"
#include "primitives/kernels/compare-inl.h"
#include "primitives/kernels/pairs-inl.h"
#include "primitives/kernels/reduce-inl.h"
#include "primitives/kernels/tables.h"

namespace lanewise::kernels {

template <class Isa, class T>
constexpr Kernels<T> vector_kernels() {
  return {Isa::kTarget,    compare<Isa, T>,    compare_constant<Isa, T>, sum<Isa, T>,
          min_max<Isa, T>, arithmetic<Isa, T>, arithmetic_right<Isa, T>, arithmetic_left<Isa, T>};
}

/// All kernels in vectors of Isa::kBytes. Isa defines kTarget, bits(mask) (one bit per lane, of vectors of
/// all ones or zero), and list_word(word, first, out), which may write 64 numbers and returns the end of
/// those that count. pairs-inl.h lists more.
template <class Isa>
constexpr Tables vector_tables() {
  return {vector_kernels<Isa, int8_t>(),
          vector_kernels<Isa, int16_t>(),
          vector_kernels<Isa, int32_t>(),
          vector_kernels<Isa, int64_t>(),
          vector_kernels<Isa, uint8_t>(),
          vector_kernels<Isa, uint16_t>(),
          vector_kernels<Isa, uint32_t>(),
          vector_kernels<Isa, uint64_t>(),
          vector_kernels<Isa, float>(),
          vector_kernels<Isa, double>(),
          {Isa::kTarget, bit_and<Isa>, bit_or<Isa>, bit_and_not<Isa>, count<Isa>, list<Isa>, hash<Isa>},
          pair_kernels<Isa>()};
}

}  // namespace lanewise::kernels
