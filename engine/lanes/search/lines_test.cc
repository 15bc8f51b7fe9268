#include "lanes/search/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "lanes/testing/guarded.h"

namespace lanewise::lanes {
namespace {

class FindLineEnds : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << name(GetParam()) << " is not supported here";
  }
};

TEST_P(FindLineEnds, AsByteByByte) {
  std::mt19937 random(3);
  for (const size_t size : {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000}) {
    for (const unsigned share : {1, 2, 10, 100, 5000}) {
      Guarded<u8> text(size + 63);
      for (size_t i = 0; i < text.size(); i++) text[i] = random() % share == 0 ? '\n' : u8(random());
      for (const u64 from : {u64(0), u64(size / 3)}) {
        std::vector<u32> expected;
        for (u64 i = from; i < size; i++) {
          if (text[i] == '\n') expected.push_back(u32(i) + 1);
        }
        for (const u64 capacity : {1, 5, 64, 2000}) {
          Guarded<u32> ends(capacity + 64);
          const u64 found = find_line_ends(GetParam(), text.data(), from, size, ends.data(), capacity);
          ASSERT_GE(found, std::min<u64>(capacity, expected.size()));
          ASSERT_LE(found, expected.size());
          ASSERT_TRUE(std::equal(ends.data(), ends.data() + found, expected.begin()));
        }
        EXPECT_EQ(count_lines(GetParam(), text.data() + from, size - from), expected.size());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FindLineEnds, ::testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace lanewise::lanes
