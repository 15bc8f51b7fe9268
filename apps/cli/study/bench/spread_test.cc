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

TEST(BenchMeasure, ADeviceThatFailsIsNotOffered) {
  const Cancellation never;
  Bench bench("test", Options{}, never, 1);
  const auto right = [] { return uint64_t{1}; };
  const auto second = [] { return 1.0; };
  const Group empty{.title = "a", .about = {}, .results = {}};
  const Contender host{.level = "host", .digest = right, .seconds = second};
  const Contender lost{.level = "lost",
                       .digest = right,
                       .seconds = []() -> double { throw UserError("no plug-in"); },
                       .may_fail = true};
  const std::vector<Result> results = bench.measure(empty, {lost, host}).results;
  EXPECT_EQ(results[0].not_offered, "no plug-in");
  EXPECT_EQ(results[0].seconds, 0);
  EXPECT_EQ(results[1].seconds, 1);

  const Contender wrong{.level = "wrong",
                        .digest = []() -> uint64_t { throw WrongResult("7 rows"); },
                        .seconds = second,
                        .may_fail = true};
  EXPECT_THROW(bench.measure(empty, {host, wrong}), WrongResult);
  Contender other{
      .level = "other", .digest = [] { return uint64_t{2}; }, .seconds = second, .may_fail = true};
  EXPECT_THROW(bench.measure(empty, {host, other}), InternalError);
  Contender must = lost;
  must.may_fail = false;
  EXPECT_THROW(bench.measure(empty, {must}), UserError);
}

}  // namespace
}  // namespace lanewise::cli::bench
