#include "ops/window/frames/wavelet_matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kTask = 1 << 16;  // numbers that a thread takes at a time, a multiple of 64

}  // namespace

WaveletMatrix::WaveletMatrix(Buffer numbers, uint32_t count, uint32_t limit, MemoryBudget* budget) {
  const int bits = limit < 2 ? 0 : std::bit_width(limit - 1);
  Buffer other = Buffer::allocate(size_t{count} * sizeof(uint32_t), budget, kWindow);
  for (int bit = bits; bit-- > 0;) {
    levels_.push_back(next_level(numbers.as<uint32_t>(), other.mutable_as<uint32_t>(), count, bit, budget));
    std::swap(numbers, other);
  }
}

/// Orders the numbers by one of their bits; those with equal bits keep their order.
WaveletMatrix::Level WaveletMatrix::next_level(const uint32_t* from, uint32_t* to, uint32_t count, int bit,
                                               MemoryBudget* budget) const {
  Level level;
  const uint32_t blocks = count / 64 + 1;  // the last one has the number of all ones
  level.blocks = Buffer::allocate(size_t{blocks} * sizeof(Block), budget, kWindow);
  auto* const made = level.blocks.mutable_as<Block>();
  const uint32_t tasks = (count + kTask - 1) / kTask;
  std::vector<uint32_t> ones(tasks);
  parallel_for(tasks, [&](size_t task) {
    const auto first = static_cast<uint32_t>(task) * kTask, end = std::min(count, first + kTask);
    for (uint32_t at = first; at < end; at += 64) {
      uint64_t word = 0;
      for (uint32_t i = at; i < std::min(at + 64, end); ++i)
        word |= static_cast<uint64_t>(from[i] >> bit & 1) << i % 64;
      made[at / 64] = {word, ones[task]};
      ones[task] += static_cast<uint32_t>(std::popcount(word));
    }
  });
  uint32_t all = 0;
  for (uint32_t& of_task : ones) all += std::exchange(of_task, all);
  if (count % 64 == 0) made[blocks - 1] = {0, all};
  level.zeros = count - all;
  parallel_for(tasks, [&](size_t task) {
    const auto first = static_cast<uint32_t>(task) * kTask, end = std::min(count, first + kTask);
    std::array<uint32_t, 2> next{first - ones[task], level.zeros + ones[task]};  // by bit
    for (uint32_t at = first; at < end; at += 64) {
      made[at / 64].before += ones[task];
      for (uint32_t i = at; i < std::min(at + 64, end); ++i) to[next[from[i] >> bit & 1]++] = from[i];
    }
  });
  return level;
}

uint32_t WaveletMatrix::smallest(std::span<const FrameRows::Piece> pieces, uint32_t k) const {
  std::array<FrameRows::Piece, 3> here;
  size_t count = 0;
  for (const FrameRows::Piece& piece : pieces)
    if (piece.size() != 0) here[count++] = piece;
  // One piece, which stays in registers, is the common case.
  return count == 1 ? smallest_of<1>(here, 1, k) : smallest_of<3>(here, count, k);
}

template <size_t kMost>
uint32_t WaveletMatrix::smallest_of(std::array<FrameRows::Piece, 3> here, size_t count, uint32_t k) const {
  if constexpr (kMost == 1) count = 1;
  uint32_t number = 0;
  for (const Level& level : levels_) {
    std::array<FrameRows::Piece, kMost> ones;
    uint32_t zeros = 0;
    for (size_t i = 0; i < count; ++i) {
      ones[i] = {level.ones_before(here[i].begin), level.ones_before(here[i].end)};
      zeros += here[i].size() - ones[i].size();
    }
    const bool is_one = k >= zeros;
    number = number << 1 | static_cast<uint32_t>(is_one);
    if (is_one) k -= zeros;
    for (size_t i = 0; i < count; ++i) {
      here[i].begin = is_one ? level.zeros + ones[i].begin : here[i].begin - ones[i].begin;
      here[i].end = is_one ? level.zeros + ones[i].end : here[i].end - ones[i].end;
    }
  }
  return number;
}

uint32_t WaveletMatrix::less(std::span<const FrameRows::Piece> pieces, uint32_t number) const {
  uint32_t count = 0;
  const bool all = number >> levels_.size() != 0;  // greater than each of them
  for (FrameRows::Piece here : pieces) {
    if (all) count += here.size();
    for (size_t bit = levels_.size(); bit-- > 0 && !all;) {
      const Level& level = levels_[levels_.size() - 1 - bit];
      const FrameRows::Piece ones{level.ones_before(here.begin), level.ones_before(here.end)};
      if ((number >> bit & 1) != 0) {
        count += here.size() - ones.size();
        here = {level.zeros + ones.begin, level.zeros + ones.end};
      } else {
        here = {here.begin - ones.begin, here.end - ones.end};
      }
    }
  }
  return count;
}

}  // namespace lanewise::ops
