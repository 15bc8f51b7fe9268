#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "primitives/pair_kernels.h"

namespace lanewise::kernels {
namespace {

constexpr uint32_t kRows = 8192, kPairs = 8192;

struct Input {
  std::vector<uint32_t> first, count, order;
  uint64_t pairs = 0;
};

/// Runs of one chunk, found in places of any order.
Input make_input(const std::string& name, uint32_t build_rows) {
  Input in;
  std::mt19937 random(1);
  for (uint32_t i = 0; i < kRows; ++i) {
    uint32_t count = 0;
    if (name == "thousands") {
      count = random() % 64 == 0 ? 1000 : 1;
    } else if (name == "zipf") {
      count = std::max(1U, uint32_t(16e6 / 14.44 / (random() % (1 << 20) + 1)));
    } else {
      count = uint32_t(std::stoul(name));
    }
    in.count.push_back(count);
    in.first.push_back(random() % (build_rows - count));
    in.pairs += count;
  }
  in.order.resize(build_rows + 64);
  std::iota(in.order.begin(), in.order.end(), 0);
  return in;
}

void write_pairs(benchmark::State& state, lanes::Target target, lanes::PairForm form, const Input& in,
                 bool ordered) {
  const PairKernels& kernels = pairs_of(target);
  std::vector<uint32_t> rows(kPairs + PairRuns::kLanes), matches(rows.size());
  WritePairs* const write = kernels.of(form);
  uint64_t vectors = 0, pairs = 0;
  for (auto _ : state) {
    PairRuns runs;
    if (ordered) runs.order = in.order.data();
    for (uint32_t at = 0; at < kRows || runs.at < runs.end;) {
      if (runs.at == runs.end && at < kRows) {
        for (uint32_t i = 0; i < PairRuns::kRuns; ++i) {
          runs.row[i] = at + i;
          runs.first[i] = in.first[at + i];
          runs.count[i] = in.count[at + i];
          if (ordered) __builtin_prefetch(&in.order[runs.first[i]]);
        }
        std::fill_n(runs.count + PairRuns::kRuns, PairRuns::kLanes, 0);
        at += PairRuns::kRuns;
        runs.at = 0;
        runs.end = PairRuns::kRuns;
        runs.last = at == kRows;
      }
      pairs += write(runs, kPairs, rows.data(), matches.data());
      benchmark::ClobberMemory();
    }
    while (const uint32_t more = write(runs, kPairs, rows.data(), matches.data())) pairs += more;
    vectors += runs.vectors;
  }
  if (pairs != in.pairs * uint64_t(state.iterations())) state.SkipWithError("wrong number of pairs");
  state.SetItemsProcessed(int64_t(pairs));
  state.counters["lane use %"] = 100.0 * double(pairs) / double(vectors * kernels.lanes);
}

const bool kAdded = [] {
  for (const std::string name : {"1", "2", "4", "8", "16", "100", "1000", "thousands", "zipf"}) {
    for (const bool ordered : {false, true}) {
      static std::vector<std::unique_ptr<Input>> inputs;
      const Input& in = *inputs.emplace_back(std::make_unique<Input>(make_input(name, 1 << 16)));
      for (const lanes::Target target : lanes::supported_targets()) {
        if (target == lanes::Target::interleaved) continue;
        for (const lanes::PairForm form : lanes::kPairForms) {
          const std::string title = "pairs/" + name + (ordered ? "/order/" : "/places/") +
                                    std::string(lanes::name(target)) + "/" + std::string(lanes::name(form));
          benchmark::RegisterBenchmark(
              title.c_str(), [=, &in](benchmark::State& s) { write_pairs(s, target, form, in, ordered); });
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace lanewise::kernels
