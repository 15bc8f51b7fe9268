#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "ops/window/frames/frames.h"

namespace lanewise::ops {

/// Numbers in a sequence, of which the k-th smallest in any range is found in as many steps as a number has
/// bits. (Claude and Navarro: "The Wavelet Matrix", SPIRE 2012.) Two bits of memory for each number and bit.
class WaveletMatrix {
 public:
  WaveletMatrix() = default;
  /// `numbers` are less than `limit`; the buffer is used up.
  WaveletMatrix(Buffer numbers, uint32_t count, uint32_t limit, MemoryBudget* budget);

  /// The k-th smallest number, from 0, in the pieces together, which have more than k.
  uint32_t smallest(std::span<const FrameRows::Piece> pieces, uint32_t k) const;
  /// How many numbers in the pieces are less than `number`.
  uint32_t less(std::span<const FrameRows::Piece> pieces, uint32_t number) const;

 private:
  /// 64 numbers: a bit of each, and how many ones come before them.
  struct Block {
    uint64_t ones;
    uint32_t before;
  };
  struct Level {
    Buffer blocks;
    uint32_t zeros = 0;
    uint32_t ones_before(uint32_t position) const {
      const Block& block = blocks.as<Block>()[position / 64];
      const uint64_t below = (uint64_t{1} << position % 64) - 1;
      return block.before + static_cast<uint32_t>(std::popcount(block.ones & below));
    }
  };
  template <size_t kMost>
  uint32_t smallest_of(std::array<FrameRows::Piece, 3> here, size_t count, uint32_t k) const;
  Level next_level(const uint32_t* from, uint32_t* to, uint32_t count, int bit, MemoryBudget* budget) const;

  std::vector<Level> levels_;  // from the highest bit
};

}  // namespace lanewise::ops
