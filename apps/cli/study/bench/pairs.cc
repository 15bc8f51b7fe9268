#include "study/bench/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "ops/join/gpu/expand-inl.h"
#include "output/result_writer.h"
#include "study/bench/index_device.h"
#include "study/bench/on_device.h"
#include "study/data/random.h"

namespace lanewise::cli::bench {

namespace {

constexpr const char* kPairKernels = R"(
#include "ops/join/gpu/expand-inl.h"

using namespace lanewise::kernel;

struct Counts {
  u64 sum, lane_steps, live_steps;
};

/// Sums over all pairs, and counts the steps of lanes: those that take a pair together cost their warp one.
template <bool kCounted>
struct Take {
  u64 sum = 0, steps = 0, live = 0;
  __device__ void operator()(u32 row, u32 match) {
    sum += u64(row * 2654435761u ^ match) * 2246822519u;
    if (!kCounted) return;
    live++;
    if (lane() == u32(__ffs(int(__activemask())) - 1)) steps += 32;
  }
  __device__ void add_to(Counts* all) {
    for (u32 distance = 16; distance; distance /= 2) {
      sum += __shfl_xor_sync(~0u, sum, distance);
      steps += __shfl_xor_sync(~0u, steps, distance);
      live += __shfl_xor_sync(~0u, live, distance);
    }
    if (lane() != 0) return;
    atomicAdd(&all->sum, sum);
    if (!kCounted) return;
    atomicAdd(&all->lane_steps, steps);
    atomicAdd(&all->live_steps, live);
  }
};

template <PairForm kForm, bool kCounted>
__device__ void take_pairs(const Pairs& pairs, Counts* all) {
  Take<kCounted> take;
  const auto find = [&](u64 row, Matches& matches) { return pairs.find(row, matches); };
  for_each_pair<kForm>(pairs, find, [&](u32 row, u32 match) { take(row, match); });
  take.add_to(all);
}
template <bool kCounted>
__device__ void take_queued(const Pairs& pairs, Counts* all) {
  Take<kCounted> take;
  for_queued_pairs(pairs, [&](u32 row, u32 match) { take(row, match); });
  take.add_to(all);
}
)";

}  // namespace

/// A kernel for each form, once without and once with counts.
std::string pair_kernels() {
  std::string text = kPairKernels;
  const auto add = [&](const std::string& name, const std::string& call) {
    for (const bool counted : {false, true}) {
      text += fmt::format(
          "extern \"C\" __global__ void __launch_bounds__(kThreads)\n"
          "    {}{}(const __grid_constant__ Pairs pairs, Counts* all) {{\n  {}{}>(pairs, all);\n}}\n",
          name, counted ? "_counted" : "", call, counted);
    }
  };
  for (const auto& [name, form] :
       {std::pair("naive", "kNaive"), std::pair("refill", "kRefill"), std::pair("balanced", "kBalanced"),
        std::pair("mixed", "kMixed"), std::pair("queued", "kQueued")}) {
    add(name, fmt::format("take_pairs<PairForm::{}, ", form));
  }
  add("rest", "take_queued<");
  return text;
}

namespace {

struct Counts {
  uint64_t sum, lane_steps, live_steps;
};

/// The rows of each key of a build side.
struct Build {
  const char* name;
  uint64_t (*matches)(uint64_t key, uint64_t keys);
};

/// As bench/join_bench.py: about 4 or 16 matches of a key on average.
constexpr Build kBuilds[] = {
    {"4 matches each", [](uint64_t, uint64_t) -> uint64_t { return 4; }},
    {"1 row of 64 has 1,000",
     [](uint64_t key, uint64_t) -> uint64_t { return scramble(key) % 64 == 0 ? 1000 : 1; }},
    {"Zipf 1.0",
     [](uint64_t key, uint64_t keys) -> uint64_t {
       const auto all = static_cast<double>(keys);
       return static_cast<uint64_t>(
           std::llround(16 * all / static_cast<double>(key + 1) / (std::log(all) + 0.58)));
     }},
    {"Zipf 1.5", [](uint64_t key, uint64_t keys) -> uint64_t {
       const double share = std::pow(static_cast<double>(key + 1), -1.5) / 2.612;
       return std::min<uint64_t>(65'536,
                                 static_cast<uint64_t>(std::llround(16 * static_cast<double>(keys) * share)));
     }}};

/// Rows, and what a join's look-up found for each.
struct Probed {
  std::vector<kernel::Matches> runs;
  std::vector<uint32_t> found;  // of each row: its run
  uint64_t pairs = 0;
  uint32_t longest = 0;

  Probed(const Build& build, uint64_t rows, uint64_t seed) {
    const uint64_t keys = std::max<uint64_t>(rows, 1);
    uint32_t first = 0;
    for (uint64_t key = 0; key < keys; ++key) {
      const auto count = static_cast<uint32_t>(build.matches(key, keys));
      runs.push_back({first, count});
      first += count;
      longest = std::max(longest, count);
    }
    Random random(seed);
    for (uint64_t row = 0; row < rows; ++row) {
      found.push_back(static_cast<uint32_t>(random.below(keys)));
      pairs += runs[found.back()].count;
    }
  }

  uint64_t sum() const {
    uint64_t all = 0;
    for (uint32_t row = 0; row < found.size(); ++row) {
      const kernel::Matches& run = runs[found[row]];
      for (uint32_t i = 0; i < run.count; ++i)
        all += static_cast<uint64_t>(row * 2654435761U ^ (run.first + i)) * 2246822519U;
    }
    return all;
  }
};

/// The same on a GPU.
class PairsOnDevice {
 public:
  explicit PairsOnDevice(gpu::Device& device) : on_(device, pair_kernels()) {}

  void load(const Probed& probed) {
    runs_ = on_.upload(probed.runs);
    found_ = on_.upload(probed.found);
    counts_ = on_.room(sizeof(Counts));
    rows_ = probed.found.size();
    room_ = static_cast<uint32_t>(std::min<uint64_t>(probed.pairs / kernel::kPiece + rows_, 1 << 24));
    queue_ = on_.room(sizeof(kernel::PairQueue) + room_ * sizeof(kernel::PairQueue::Piece));
  }

  static constexpr const char* kForms[] = {"naive", "refill", "balanced", "mixed", "queued"};
  static std::vector<std::string> level_names() {
    std::vector<std::string> names;
    for (const char* form : kForms) names.push_back(fmt::format("gpu {}", form));
    return names;
  }

  void add(std::vector<Contender>& contenders) {
    for (const std::string form : kForms) {
      contenders.push_back({.level = "gpu " + form,
                            .digest = [this, form] { return run(form, false).second.sum; },
                            .seconds = [this, form] { return run(form, false).first; },
                            .observe =
                                [this, form] {
                                  const Counts counts = run(form, true).second;
                                  return lanes::Stats{.lane_steps = counts.lane_steps,
                                                      .live_steps = counts.live_steps};
                                },
                            .may_fail = true,
                            .facts = [this, form]() -> nlohmann::ordered_json {
                              const gpu::Kernel kernel = on_.kernel(form);
                              return {{"kernel", on_.facts(kernel, shape(kernel))}};
                            }});
    }
  }

 private:
  gpu::Shape shape(const gpu::Kernel& kernel) const { return on_.full_shape(kernel, kernel::kThreads); }

  std::pair<double, Counts> run(const std::string& form, bool counted) {
    const std::string end = counted ? "_counted" : "";
    const auto at = [](const gpu::DeviceBuffer& buffer) { return reinterpret_cast<void*>(buffer.address()); };
    const kernel::Pairs pairs{.active = nullptr,
                              .rows = rows_,
                              .found = static_cast<const uint32_t*>(at(found_)),
                              .runs = static_cast<const kernel::Matches*>(at(runs_)),
                              .order = nullptr,
                              .least = 0,
                              .queue = static_cast<kernel::PairQueue*>(at(queue_)),
                              .room = room_};
    on_.stream.fill(counts_.address(), 0, sizeof(Counts));
    on_.stream.fill(queue_.address(), 0, sizeof(kernel::PairQueue));
    const double seconds = on_.seconds([&] {
      const gpu::Kernel kernel = on_.kernel(form + end);
      kernel.launch(on_.stream, shape(kernel), pairs, counts_.address());
      if (form != "queued") return;
      const gpu::Kernel rest = on_.kernel("rest" + end);
      rest.launch(on_.stream, shape(rest), pairs, counts_.address());
    });
    return {seconds, on_.fetch<Counts>(counts_, 1)[0]};
  }

  OnDevice on_;
  gpu::DeviceBuffer runs_, found_, counts_, queue_;
  uint64_t rows_ = 0;
  uint32_t room_ = 0;
};

}  // namespace

std::vector<Group> run_pairs(const PairsOptions& options, Bench& bench) {
  std::unique_ptr<PairsOnDevice> on_device;
  std::string why_not;
  if (options.device != "cpu") {
    try {
      gpu::Device* const device = find_device(options.device);
      if (device != nullptr) on_device = std::make_unique<PairsOnDevice>(*device);
    } catch (const CancelledError&) {
      throw;
    } catch (const std::exception& error) {
      why_not = error.what();
    }
  }
  std::vector<Group> groups;
  for (const Build& build : kBuilds) {
    bench.say(fmt::format("making a join's runs: {}", build.name));
    const auto probed = std::make_shared<const Probed>(build, options.rows, options.seed);
    Group group;
    group.title = fmt::format("pairs of a join, {}: {} rows, {} pairs", build.name,
                              with_commas(static_cast<int64_t>(options.rows)),
                              with_commas(static_cast<int64_t>(probed->pairs)));
    group.rows = probed->pairs;
    group.about = {{"work", "pairs"}, {"matches", build.name}, {"longest", probed->longest}};
    std::vector<Contender> contenders;
    contenders.push_back(
        {.level = "one core",
         .digest = [probed] { return probed->sum(); },
         .seconds =
             [probed] {
               const auto start = std::chrono::steady_clock::now();
               volatile uint64_t sum = probed->sum();
               (void)sum;
               return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
             },
         .one_thread = true});
    if (on_device != nullptr) {
      offer(contenders, PairsOnDevice::level_names(), [&] {
        on_device->load(*probed);
        on_device->add(contenders);
      });
    } else if (!why_not.empty()) {
      for (const std::string& level : PairsOnDevice::level_names())
        contenders.push_back({.level = level, .not_offered = why_not});
    }
    groups.push_back(bench.measure(std::move(group), contenders));
  }
  return groups;
}

}  // namespace lanewise::cli::bench
