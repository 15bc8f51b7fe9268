#include "exec/placement/estimate.h"

#include <gmock/gmock.h>

namespace lanewise::exec {
namespace estimate_test {

using testing::HasSubstr;

/// A GPU that is 100 times as fast as the host once all data is there.
const ops::Rates kHost{1e-4, 10e9, 1e9, 8e9, 4e9, 100e6, 10e6, 20e6, 200e6, 20e6};
const ops::DeviceCosts kGpu{
    "A GPU", 0.3, 0.1, 0.002, 50e9, 40e9, {1e-3, 1000e9, 100e9, 800e9, 400e9, 10e9, 1e9, 2e9, 100e9, 20e9}};
constexpr DeviceState kReady{.open = true, .compiled = true};

double on_host(const ops::Work& work) { return estimate_host(work, kHost, kGpu).seconds(); }
double on_device(const ops::Work& work, const DeviceState& state = kReady) {
  return estimate_device(work, kGpu, state).seconds();
}

TEST(Estimates, SmallWorkIsTheHosts) {
  const ops::Work few{.rows = 1000, .scanned = 8000};
  EXPECT_LT(on_host(few), on_device(few));
  const ops::Work many{.rows = 1e8, .scanned = 8e8};
  EXPECT_GT(on_host(many), on_device(many));
}

TEST(Estimates, CountWhatMustBeDoneBefore) {
  ops::Work work{.rows = 1e8, .scanned = 8e8};
  const double ready = on_device(work);
  EXPECT_NEAR(ready, 0.001 + 0.8e-3 + 0.002, 1e-9);
  EXPECT_NEAR(on_device(work, {.open = true}), ready - 0.002 + 0.1, 1e-9);
  EXPECT_NEAR(on_device(work, {.compiled = true}), ready + 0.3, 1e-9);
  work.missing = 8e8;  // copied once over a bus that is faster than the host reads
  EXPECT_NEAR(on_device(work), ready + 0.016, 1e-9);
  EXPECT_LT(on_device(work), on_host(work));
  EXPECT_GT(on_device(work, {}), on_host(work));  // but not including the start of the GPU
}

TEST(Estimates, ResultsComeBack) {
  ops::Work work{.rows = 1e8, .scanned = 8e8};
  const double without = on_device(work);
  work.result_bytes = 8e8;
  EXPECT_NEAR(on_device(work), without + 0.8e-3 + 0.02, 1e-9);
}

TEST(Estimates, EveryKindOfWorkHasItsRate) {
  for (const auto& [kind, rate] : {std::pair{&ops::Work::scanned, &ops::Rates::scan},
                                   {&ops::Work::computed, &ops::Rates::compute},
                                   {&ops::Work::searched, &ops::Rates::search},
                                   {&ops::Work::walked, &ops::Rates::automaton},
                                   {&ops::Work::sorted, &ops::Rates::sort},
                                   {&ops::Work::built, &ops::Rates::join},
                                   {&ops::Work::grouped, &ops::Rates::group}}) {
    ops::Work work;
    work.*kind = 1e9;
    work.groups = ops::kFewGroups;
    EXPECT_NEAR(on_host(work), kHost.start + 1e9 / (kHost.*rate), 1e-9);
    EXPECT_NEAR(on_device(work), on_device({}) + 1e9 / (kGpu.rates.*rate), 1e-9);
  }
}

TEST(Estimates, MoreGroupsTakeLonger) {
  const auto grouped = [](double groups) { return on_host({.grouped = 1e8, .groups = groups}); };
  EXPECT_DOUBLE_EQ(grouped(1), grouped(ops::kFewGroups));
  EXPECT_NEAR(grouped(ops::kManyGroups) / grouped(ops::kFewGroups), 10, 0.01);
  EXPECT_NEAR(grouped(31623) / grouped(ops::kFewGroups), std::sqrt(10), 0.01);
  EXPECT_DOUBLE_EQ(grouped(1e8), grouped(ops::kManyGroups));
}

TEST(Estimates, LargerBuildSidesTakeLonger) {
  const auto joined = [](double rows) {
    return on_host({.lookups = {{.words = 1e8, .rows = rows}}}) - kHost.start;
  };
  EXPECT_NEAR(joined(1), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(joined(1), joined(ops::kFewKeys));
  EXPECT_NEAR(joined(ops::kManyKeys) / joined(ops::kFewKeys), 10, 0.01);
  EXPECT_NEAR(joined(1e5) / joined(ops::kFewKeys), std::sqrt(10), 0.01);
  EXPECT_NEAR(on_host({.lookups = {{1e8, 1}, {1e8, ops::kManyKeys}}}) - kHost.start, 0.5 + 5, 1e-9);
}

TEST(Estimates, TheHostLeavesOutWhatBoundsRefute) {
  ops::Work work{.rows = 1e9, .scanned = 8e9};
  const double all = on_host(work);
  work.host_share = 0.01;
  EXPECT_NEAR(on_host(work) - kHost.start, (all - kHost.start) / 100, 1e-9);
  EXPECT_NEAR(on_device(work), on_device({.rows = 1e9, .scanned = 8e9}), 1e-12);
}

TEST(Estimates, AreTold) {
  const ops::Work work{.rows = 1e8, .scanned = 8e8, .computed = 1e5, .missing = 8e8};
  EXPECT_EQ(to_string(estimate_device(work, kGpu, kReady)),
            "19.8 ms: upload 16.0 ms, load 2.0 ms, start 1.0 ms, scan 800 µs");
  EXPECT_EQ(to_string(estimate_host(work, kHost, kGpu)), "80.2 ms: scan 80.0 ms");
  const ops::Work there{.rows = 1e8, .scanned = 8e8, .fetched = 8e8};
  EXPECT_EQ(to_string(estimate_host(there, kHost, kGpu)), "100.1 ms: scan 80.0 ms, download 20.0 ms");
}

TEST(UsualCosts, FollowTheGpusProperties) {
  gpu::Properties h200{.name = "NVIDIA H200"};
  h200.bandwidth = 4.8e12;
  h200.multiprocessors = 132;
  const ops::DeviceCosts large = ops::usual_device_costs(h200), usual = ops::usual_device_costs({});
  EXPECT_EQ(large.name, "NVIDIA H200");
  // Within a factor of two of the measurements in docs/notes/performance-gpu.md.
  const std::pair<double, double> kMeasured[] = {
      {large.rates.scan, 4.3e12}, {large.rates.search, 2.6e12},      {large.rates.automaton, 2.4e12},
      {large.rates.group, 204e9}, {large.rates.many_groups, 12.3e9}, {large.rates.sort, 16e9}};
  for (const auto& [stated, measured] : kMeasured) {
    EXPECT_GT(stated, measured / 2);
    EXPECT_LT(stated, measured * 2);
  }
  EXPECT_GT(large.rates.scan, usual.rates.scan);
  EXPECT_GT(usual.rates.scan, 0);
}

TEST(UsualCosts, OfTheHostAreInProportionToThreads) {
  const ops::Rates one = ops::usual_host_rates(lanes::simd(), {}, 1),
                   four = ops::usual_host_rates(lanes::simd(), {}, 4);
  EXPECT_DOUBLE_EQ(four.sort, 4 * one.sort);
  EXPECT_DOUBLE_EQ(four.start, one.start);
  EXPECT_EQ(ops::with_threads_of(four, 4, 1), one);
  lanes::Tuning slow;
  slow.literal_ns = 2;
  EXPECT_NEAR(ops::usual_host_rates(lanes::simd(), slow, 1).search, 0.5e9, 1);
}

}  // namespace estimate_test
}  // namespace lanewise::exec
