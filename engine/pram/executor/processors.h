#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "pram/machine/evaluator.h"
#include "pram/machine/scratch.h"

namespace lanewise::pram {

/// Active processors of a block: all, a bitmap, or an ascending list. They are processed in parts, each
/// of kLanes positions: numbers of processors, or indexes in the list.
struct Processors {
  enum class Form : uint8_t { kAll, kBits, kList };

  Form form = Form::kAll;
  uint32_t total = 0;  ///< of the block
  uint32_t count = 0;  ///< active
  std::vector<uint64_t> bits;
  std::vector<uint32_t> list;

  uint32_t positions() const { return form == Form::kList ? count : total; }
  uint32_t parts() const { return positions() / kLanes + (positions() % kLanes != 0 ? 1 : 0); }

  /// The active processors of a part; `scratch` has room for kLanes numbers.
  Lanes part(uint32_t number, uint32_t* scratch) const {
    const uint32_t begin = number * kLanes;
    const uint32_t size = std::min(kLanes, positions() - begin);
    if (form == Form::kAll) return {begin, nullptr, size};
    if (form == Form::kList) return {0, list.data() + begin, size};
    uint32_t found = 0;
    for (uint32_t word = begin / 64; word * uint64_t{64} < begin + size; ++word) {
      uint64_t rest = bits[word];
      if (rest == ~uint64_t{0}) {
        for (uint32_t i = 0; i < 64; ++i) scratch[found++] = word * 64 + i;
        continue;
      }
      for (; rest != 0; rest &= rest - 1) {
        scratch[found++] = word * 64 + static_cast<uint32_t>(std::countr_zero(rest));
      }
    }
    if (found == size) return {begin, nullptr, size};
    return {0, scratch, found};
  }
};

}  // namespace lanewise::pram
