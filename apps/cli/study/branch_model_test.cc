#include "study/branch_model.h"

#include <gtest/gtest.h>

namespace lanewise::cli::study {
namespace {

int misses_of(const std::string& branches) {
  TwoBitPredictor predictor;
  int misses = 0;
  for (const char branch : branches) misses += predictor.mispredicts(branch == 'T');
  return misses;
}

TEST(BranchModel, CountsOfKnownTraces) {
  EXPECT_EQ(misses_of("NNNNNNNN"), 0);
  EXPECT_EQ(misses_of("TTTTTTTT"), 1);
  EXPECT_EQ(misses_of("TTTTNTTTTN"), 3);  // one branch that is different does not change the prediction
  EXPECT_EQ(misses_of("TNTNTNTN"), 8);    // the worst case from this state
  EXPECT_EQ(misses_of("TTNNTTNN"), 1 + 2 + 1 + 2);
}

TEST(BranchModel, CacheOfKnownTraces) {
  CacheModel cache(2, 2);  // lines 0, 2, 4 share a set of two
  EXPECT_TRUE(cache.misses(0));
  EXPECT_FALSE(cache.misses(63));
  EXPECT_TRUE(cache.misses(128));
  EXPECT_FALSE(cache.misses(0));
  EXPECT_TRUE(cache.misses(256));  // line 2 is the least recently used
  EXPECT_FALSE(cache.misses(0));
  EXPECT_TRUE(cache.misses(128));
  EXPECT_TRUE(cache.misses(64));  // another set
}

TEST(BranchModel, ARandomHalfIsMispredictedHalfTheTime) {
  const auto misses = [](double percent) {
    return modelled_branches(1 << 16, percent, 1).results.front().events->branch_misses;
  };
  EXPECT_NEAR(misses(50), 0.5, 0.02);
  EXPECT_LT(misses(1), 0.02);
  EXPECT_LT(misses(100), 0.001);
  EXPECT_NEAR(modelled_branches(1 << 16, 50, 1).results.front().events->cache_misses, 1.0 / 16, 1e-6);
}

}  // namespace
}  // namespace lanewise::cli::study
