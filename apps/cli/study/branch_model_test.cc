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

bench::Events events_of(ModelledWork work, double percent, int threads = 1, size_t level = 0) {
  return *modelled(work, 1 << 16, percent, threads, 1).results[level].events;
}

TEST(BranchModel, ARandomHalfIsMispredictedHalfTheTime) {
  const auto misses = [](double percent) { return events_of(ModelledWork::filter, percent).branch_misses; };
  EXPECT_NEAR(misses(50), 0.5, 0.02);
  EXPECT_LT(misses(1), 0.02);
  EXPECT_LT(misses(100), 0.001);
}

TEST(BranchModel, BranchesOfEachLoop) {
  EXPECT_EQ(events_of(ModelledWork::filter, 50).branches, 2);
  EXPECT_EQ(events_of(ModelledWork::sum, 50).branches, 1);
  EXPECT_EQ(events_of(ModelledWork::min, 50).branches, 2);
  EXPECT_EQ(events_of(ModelledWork::filter, 50, 1, 1).branches, 1.0 / 8);
  EXPECT_LT(events_of(ModelledWork::max, 50).branch_misses, 0.001);  // the greatest value comes early
}

TEST(BranchModel, EachLineMissesOnceWithAnyThreads) {
  for (const int threads : {1, 2, 8}) {
    EXPECT_NEAR(events_of(ModelledWork::sum, 50, threads).cache_misses, 1.0 / 16, 1e-9) << threads;
    EXPECT_NEAR(events_of(ModelledWork::filter, 50, threads).cache_misses, 1.0 / 16 + 1.0 / 512, 1e-9)
        << threads;
  }
}

}  // namespace
}  // namespace lanewise::cli::study
