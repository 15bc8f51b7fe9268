#include "lanes/targets/target.h"

#include <gtest/gtest.h>

namespace lanewise::lanes {
namespace {

TEST(Target, NamesAreParsed) {
  for (Target target : kTargets) EXPECT_EQ(parse_target(name(target)), target);
  EXPECT_EQ(parse_target("simd"), simd());
  EXPECT_EQ(parse_target(""), std::nullopt);
  EXPECT_EQ(parse_target("AVX2"), std::nullopt);
}

TEST(Target, EveryMachineHasThose) {
  EXPECT_TRUE(supported(Target::scalar));
  EXPECT_TRUE(supported(Target::interleaved));
  EXPECT_TRUE(supported(Target::emulated));
  EXPECT_TRUE(supported(simd()));
  EXPECT_GE(supported_targets().size(), 3u);
}

}  // namespace
}  // namespace lanewise::lanes
