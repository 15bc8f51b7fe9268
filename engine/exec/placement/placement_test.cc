#include "exec/placement/placement.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "base/testing/temporary_folder.h"
#include "data/gpu/device_rows.h"
#include "data/testing/fake_source.h"
#include "expr/functions/build.h"
#include "gpu/testing/fake_driver.h"
#include "ops/gpu/testing/call_of.h"

namespace lanewise::exec {
namespace placement_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

/// A source that reports any number of rows.
class LargeSource : public FakeSource {
 public:
  explicit LargeSource(int64_t said) : FakeSource({{"x", TypeId::kInt64}}, {}), said_(said) {}
  int64_t estimated_rows() const override { return said_; }

 private:
  const int64_t said_;
};

/// A source whose rows are in the memory of GPU `device`.
class DeviceSource : public LargeSource, public DeviceRows {
 public:
  DeviceSource(int64_t said, int device) : LargeSource(said), device_(device) {}
  std::string identity() const override { return "on a GPU"; }
  const DeviceRows* device_rows() const override { return this; }
  int device() const override { return device_; }
  int64_t rows() const override { return estimated_rows(); }
  bool has(size_t) const override { return true; }
  size_t converted_bytes(size_t) const override { return 0; }
  DeviceColumn column(size_t, int64_t, int64_t, const DeviceUpload&) const override { return {}; }

 private:
  const int device_;
};

plan::NodePtr scan(int64_t rows) { return plan::scan(std::make_shared<LargeSource>(rows), {0}); }
ExprPtr x() { return column(0, TypeId::kInt64); }
plan::NodePtr sum(plan::NodePtr child) {
  return plan::aggregate(std::move(child), {}, {ops::call_of("sum", {x()}, TypeId::kInt128)}, {"a"});
}
plan::NodePtr sum_of(int64_t rows) { return sum(scan(rows)); }
/// Drops rows by a separate pattern for each.
plan::NodePtr not_offered(plan::NodePtr child) {
  const ExprPtr text = cast(x(), TypeId::kVarchar);
  return plan::filter(std::move(child), call("regexp_matches", {text, call("||", {text, text})}));
}
plan::NodePtr not_offered(int64_t rows) { return sum(not_offered(scan(rows))); }

class Choices : public testing::Test {
 protected:
  Choices() {
    options_.host_rates = ops::usual_host_rates(lanes::simd(), {}, 1);
    view_.costs = ops::usual_device_costs({.name = "A GPU"});
    options_.device_views = [this] { return std::vector{view_}; };
  }
  /// For the last pipeline, when it is about to run.
  Choice choice(const plan::NodePtr& plan) {
    pipelines_ = split(*plan);
    return Placement(pipelines_, no_rows(), options_).choose(pipelines_.size() - 1);
  }
  std::vector<Choice> explained(const plan::NodePtr& plan) {
    pipelines_ = split(*plan);
    return Placement(pipelines_, no_rows(), options_).explain();
  }
  const ops::Results& no_rows() {
    results_.clear();
    for (const plan::Pipeline& pipeline : pipelines_) results_.push_back({{pipeline.output, {}}});
    return results_;
  }

  static const TemporaryFolder& cache() {
    static const TemporaryFolder folder;
    return folder;
  }
  const gpu::Setting in_ = {"XDG_CACHE_HOME", cache().path().c_str()};
  ops::Options options_;
  ops::DeviceView view_;
  std::vector<plan::Pipeline> pipelines_;
  ops::Results results_;
};

TEST_F(Choices, AreTheFasterSides) {
  const Choice small = choice(sum_of(1000));
  EXPECT_FALSE(small.on_device());
  EXPECT_THAT(small.text(), MatchesRegex("on the CPU: about .*, on the GPU .* or more"));
  const Choice told = explained(sum_of(1000)).back();
  EXPECT_THAT(told.text(), Not(HasSubstr("or more")));
  EXPECT_GT(told.device.seconds(), small.device.seconds());  // including the compilation of the kernels
  const Choice large = choice(sum_of(20'000'000'000));
  EXPECT_TRUE(large.on_device());
  EXPECT_THAT(large.text(), HasSubstr("on the GPU: about"));
  EXPECT_LT(large.device.seconds(), large.host.seconds());
}

TEST_F(Choices, KnowWhereRowsLie) {
  const int64_t rows = 20'000'000'000;
  const auto of = [&](std::shared_ptr<const Source> source) {
    return explained(sum(plan::scan(std::move(source), {0}))).back();
  };
  const Choice there = of(std::make_shared<DeviceSource>(rows, 0));
  EXPECT_EQ(there.work.missing, 0) << "though the GPU is not open";
  EXPECT_EQ(there.work.fetched, static_cast<double>(rows) * 8);
  EXPECT_THAT(to_string(there.host), HasSubstr("download"));
  EXPECT_TRUE(there.on_device());
  EXPECT_EQ(of(std::make_shared<DeviceSource>(rows, 1)).work.missing, static_cast<double>(rows) * 8)
      << "another GPU's";
  EXPECT_EQ(of(std::make_shared<LargeSource>(rows)).work.fetched, 0);
}

TEST_F(Choices, AmongGpusAreByWhatEachHas) {
  const int64_t rows = 20'000'000'000;
  ops::DeviceView second = view_;
  second.place = {1};
  options_.device_views = [&] { return std::vector{view_, second}; };
  const auto of_rows_on = [&](int gpu) {
    return explained(sum(plan::scan(std::make_shared<DeviceSource>(rows, gpu), {0}))).back();
  };
  for (const int gpu : {0, 1}) {
    EXPECT_EQ(of_rows_on(gpu).place, Place{gpu});
    EXPECT_EQ(of_rows_on(gpu).work.missing, 0);
  }
  second.missing = "it is lost";
  EXPECT_EQ(of_rows_on(1).place, Place{0});
  view_.missing = "there is no driver";
  EXPECT_EQ(of_rows_on(1).text(), "on the CPU: there is no driver");
}

TEST_F(Choices, KnowWhichKernelsWereCompiled) {
  view_.costs.name = "GPU " + std::to_string(std::random_device()());  // not one of an earlier run
  const auto plan =
      plan::aggregate(scan(1000), {}, {ops::call_of("max", {call("-", {x(), x()})}, TypeId::kInt64)}, {"a"});
  const Choice before = explained(plan).back();
  EXPECT_EQ(before.kernels, Kernels::kToCompile);
  EXPECT_THAT(before.device_text(), HasSubstr("compile 200.0 ms; kernels to be compiled"));
  note_compiled(plan::split(*plan).back(), {}, options_.device_strategy, view_.costs.name);
  const Choice after = explained(plan).back();
  EXPECT_EQ(after.kernels, Kernels::kCached);
  EXPECT_THAT(after.device_text(), HasSubstr("; kernels in the cache"));
  EXPECT_LT(after.device.seconds(), before.device.seconds() - 0.1);
  view_.costs.name = "";  // not known yet
  EXPECT_EQ(explained(plan).back().kernels, Kernels::kCached);
  view_.costs.name = "Another GPU";
  EXPECT_EQ(explained(plan).back().kernels, Kernels::kToCompile);
}

TEST_F(Choices, NameWhatIsNotOffered) {
  const Choice large = choice(not_offered(20'000'000'000));
  EXPECT_FALSE(large.on_device());
  EXPECT_THAT(large.text(), HasSubstr("on the CPU: "));
  EXPECT_THAT(large.text(), HasSubstr("regexp_matches"));
  EXPECT_THAT(large.text(), HasSubstr("not supported on GPUs"));
  // Choices for small work are reported only on request.
  EXPECT_THAT(choice(not_offered(10)).reason, IsEmpty());
  EXPECT_THAT(explained(not_offered(10)).back().reason, HasSubstr("regexp_matches"));
}

TEST_F(Choices, AreTheHostsWhereThereIsNoGpu) {
  view_.missing = "there is no driver";
  const Choice large = choice(sum_of(20'000'000'000));
  EXPECT_FALSE(large.on_device());
  EXPECT_EQ(large.text(), "on the CPU: there is no driver");
}

TEST_F(Choices, FollowTheUser) {
  options_.device_only = true;
  EXPECT_TRUE(choice(sum_of(10)).on_device());
  const Choice lacking = explained(not_offered(10)).back();
  EXPECT_TRUE(lacking.on_device());
  EXPECT_THAT(lacking.text(), HasSubstr("not supported on GPUs: an error"));
}

TEST_F(Choices, FewRowsOfResultsAreTheHosts) {
  options_.device_only = true;
  const auto plan = plan::filter(sum_of(1000), call("IS NOT NULL", {column(0, TypeId::kInt128)}));
  EXPECT_FALSE(choice(plan).on_device());
  EXPECT_EQ(choice(plan).text(), "on the CPU: it reads a result of few rows");
}

plan::NodePtr count_by(plan::NodePtr child, size_t key) {
  return plan::aggregate(std::move(child), {column(key, TypeId::kInt64)},
                         {ops::call_of("count_star", {}, TypeId::kInt64)}, {"x", "n"});
}
/// How many groups have how many rows.
plan::NodePtr sizes_of_groups(int64_t rows) { return count_by(count_by(scan(rows), 0), 1); }
plan::NodePtr join(plan::NodePtr left, plan::NodePtr right) {
  plan::Join join;
  join.kind = plan::JoinKind::kInner;
  join.keys = {{x(), x(), false}};
  join.left = join.right = {0};
  return plan::join(std::move(left), std::move(right), std::move(join));
}

TEST_F(Choices, AreThoseOfTheWholePlan) {
  view_.costs.open = 0;
  view_.costs.download = 1e7;  // alone, the groups are not worth their way back
  const std::vector<Choice> sizes = explained(sizes_of_groups(100'000'000));
  EXPECT_GT(sizes[0].device.seconds(), sizes[0].host.seconds());
  EXPECT_TRUE(sizes[0].on_device());
  EXPECT_THAT(sizes[0].text(), HasSubstr(", but its rows are read there"));
  EXPECT_TRUE(sizes[1].on_device());
  EXPECT_EQ(sizes[1].work.missing, 0);
  EXPECT_THAT(to_string(sizes[1].host), HasSubstr("download"));

  const std::vector<Choice> some = explained(count_by(not_offered(count_by(scan(100'000'000), 0)), 1));
  EXPECT_FALSE(some[0].on_device());
  EXPECT_THAT(some[0].context, IsEmpty());
  EXPECT_FALSE(some[1].on_device());
}

TEST_F(Choices, OfBuildSidesAreTheirReaders) {
  view_.costs.open = 0;
  const std::vector<Choice> both = explained(sum(join(scan(1'000'000'000), scan(1'000'000'000))));
  EXPECT_TRUE(both[0].on_device() && both[1].on_device());
  const std::vector<Choice> unread =
      explained(sum(not_offered(join(scan(1'000'000'000), scan(1'000'000'000)))));
  EXPECT_FALSE(unread[0].on_device() || unread[1].on_device());
  EXPECT_LT(unread[0].device.seconds(), unread[0].host.seconds());
  EXPECT_THAT(unread[0].text(), HasSubstr(", but the CPU reads it"));
}

TEST_F(Choices, CountTheOpeningOnce) {
  view_.costs.open = 0;
  const auto plan = sizes_of_groups(100'000'000);
  const std::vector<Choice> free = explained(plan);
  double gain = 0;
  for (const Choice& choice : free) gain += choice.host.seconds() - choice.device.seconds();
  view_.costs.open = 0.9 * gain;
  EXPECT_TRUE(explained(plan)[0].on_device());
  view_.costs.open = 10 * gain;
  EXPECT_FALSE(explained(plan)[0].on_device());
}

TEST_F(Choices, FollowRowsThatExist) {
  view_.costs.open = 0;
  const auto plan = sizes_of_groups(1000);
  pipelines_ = split(*plan);
  ops::Results results = no_rows();
  results[0].left = ops::LeftRows{nullptr, {{20'000'000, {}}, {30'000'000, {}}}};
  const Choice there = Placement(pipelines_, results, options_).choose(1);
  EXPECT_TRUE(there.on_device());
  EXPECT_EQ(there.work.missing, 0);
  EXPECT_EQ(there.work.fetched, 50e6 * (8 + 8));
  results[0].left->batches = {{1000, {}}};  // fewer than was expected
  EXPECT_FALSE(Placement(pipelines_, results, options_).choose(1).on_device());
}

TEST_F(Choices, WriteNoSourcesForSmallPlans) {
  const auto plan = sizes_of_groups(1000);
  pipelines_ = split(*plan);
  Placement placement(pipelines_, no_rows(), options_);
  const Choice first = placement.choose(0);
  EXPECT_TRUE(first.at_least);
  EXPECT_EQ(first.kernels, Kernels::kUnknown);
  EXPECT_EQ(placement.place_of(1), kHost);
}

}  // namespace placement_test
}  // namespace lanewise::exec
