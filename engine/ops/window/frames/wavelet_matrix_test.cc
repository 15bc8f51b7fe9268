#include "ops/window/frames/wavelet_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lanewise::ops {
namespace wavelet_matrix_test {

using Piece = FrameRows::Piece;

Buffer buffer_of(const std::vector<uint32_t>& numbers) {
  Buffer buffer = Buffer::allocate(numbers.size() * sizeof(uint32_t), nullptr, "a test");
  std::copy(numbers.begin(), numbers.end(), buffer.mutable_as<uint32_t>());
  return buffer;
}

TEST(WaveletMatrix, FindsTheSmallestOfPieces) {
  std::mt19937 random(1);
  for (const uint32_t count : {1u, 2u, 31u, 63u, 64u, 65u, 127u, 128u, 1000u, 70'000u, 131'072u}) {
    for (const uint32_t limit : {1u, 2u, 3u, 64u, 1000u, count}) {
      std::vector<uint32_t> numbers(count);
      for (uint32_t& number : numbers) number = random() % limit;
      const WaveletMatrix matrix(buffer_of(numbers), count, limit, nullptr);
      for (int round = 0; round < 20; ++round) {
        std::vector<uint32_t> ends;
        for (int i = 0; i < 6; ++i) ends.push_back(random() % (count + 1));
        std::sort(ends.begin(), ends.end());
        std::vector<Piece> pieces{{ends[0], ends[1]}, {ends[2], ends[3]}, {ends[4], ends[5]}};
        if (round % 2 == 0) pieces = {{0, 0}, {ends[1], ends[4]}, {count, count}};
        std::vector<uint32_t> sorted;
        for (const Piece& piece : pieces)
          sorted.insert(sorted.end(), numbers.begin() + piece.begin, numbers.begin() + piece.end);
        std::sort(sorted.begin(), sorted.end());
        for (const uint32_t number : {0u, limit / 2, limit - 1, limit, numbers[0]})
          ASSERT_EQ(matrix.less(pieces, number),
                    std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
        if (sorted.empty()) continue;
        for (const size_t k : {size_t{0}, sorted.size() / 2, sorted.size() - 1})
          ASSERT_EQ(matrix.smallest(pieces, static_cast<uint32_t>(k)), sorted[k]) << count << ", " << limit;
      }
    }
  }
}

}  // namespace wavelet_matrix_test
}  // namespace lanewise::ops
