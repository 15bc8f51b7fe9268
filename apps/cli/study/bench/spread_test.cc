#include <gtest/gtest.h>

#include "base/error.h"
#include "study/bench/bench.h"

namespace lanewise::cli::bench {
namespace {

TEST(BenchSpread, IsTheDistanceOfTheQuartiles) {
  EXPECT_EQ(Result{}.spread(), 0);
  EXPECT_EQ((Result{.level = "", .runs = {2}}).spread(), 0);
  EXPECT_DOUBLE_EQ((Result{.level = "", .runs = {1, 2, 3, 4, 5}}).spread(), 2.0 / 3);
  // One disturbed run does not count.
  EXPECT_DOUBLE_EQ((Result{.level = "", .runs = {2, 2, 2, 2, 100}}).spread(), 0);
}

TEST(BenchMeasure, LevelsThatDisagreeEndIt) {
  const Cancellation never;
  Bench bench("test", Options{}, never, 1);
  const auto level = [](const char* name, uint64_t hash) {
    return Contender{.level = name, .digest = [=] { return hash; }, .seconds = [] { return 1.0; }};
  };
  EXPECT_EQ(bench.measure({.title = "a", .about = {}, .results = {}}, {level("x", 1), level("y", 1)})
                .results.size(),
            2u);
  EXPECT_THROW(bench.measure({.title = "a", .about = {}, .results = {}}, {level("x", 1), level("y", 2)}),
               InternalError);
}

}  // namespace
}  // namespace lanewise::cli::bench
