#include "study/bench/simulate.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lanewise::cli::bench {
namespace {

TEST(Cachegrind, ReportsAreRead) {
  const Events events = parse_cachegrind(
      "==7== I   refs:      1,234,567\n"
      "==7== LLd misses:           11  (          7 rd   +        4 wr)\n"
      "==7== LL refs:          22,222  (     22,000 rd   +      222 wr)\n"
      "==7== LL misses:         3,456  (      3,000 rd   +      456 wr)\n"
      "==7== Branches:     12,345,678  (12,000,000 cond +  345,678 ind)\n"
      "==7== Mispredicts:         901  (       900 cond +        1 ind)\n");
  EXPECT_EQ(events.branches, 12345678);
  EXPECT_EQ(events.branch_misses, 901);
  EXPECT_EQ(events.cache_misses, 3456);
  const Events each = (events - Events{5678, 1, 56}) / 10;
  EXPECT_EQ(each.branches, 1234000);
  EXPECT_EQ(each.branch_misses, 90);
  EXPECT_EQ(each.cache_misses, 340);
}

TEST(Cachegrind, OtherTextIsNone) {
  EXPECT_THROW(parse_cachegrind(""), InternalError);
  EXPECT_THROW(parse_cachegrind("Branches: many\nMispredicts: 1\nLL misses: 1\n"), InternalError);
}

}  // namespace
}  // namespace lanewise::cli::bench
