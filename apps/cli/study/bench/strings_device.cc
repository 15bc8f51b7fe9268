#include "study/bench/strings_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "lanes/automata/renumbered.h"
#include "ops/filter/gpu/match.h"
#include "study/bench/on_device.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::cli::bench {

namespace {

constexpr const char* kTextKernels = R"(
#include "ops/filter/gpu/match-inl.h"

using namespace lanewise::kernel;

extern "C" __global__ void __launch_bounds__(kMatchThreads)
    match_text(const __grid_constant__ MatchJob job) {
  match<u32, Asked::kAll, true>(job);
}
extern "C" __global__ void __launch_bounds__(kMatchThreads)
    match_text_counted(const __grid_constant__ CountedMatchJob job) {
  match<u32, Asked::kAll, true>(job);
}

struct BytesJob {
  CountedMatchJob job;
  u64 needle;
  u32 needle_bytes;
  u32 whole;  // equality, else a prefix
};

/// One row of a lane, a byte at a time; the warp leaves when none of its lanes is active.
template <bool kCounted, class Start, class Step, class Matches>
__device__ void walk_bytes(const BytesJob& job, Start start, Step step, Matches matches) {
  const u32* const offsets = reinterpret_cast<const u32*>(job.job.offsets);
  const u8* const bytes = reinterpret_cast<const u8*>(job.job.bytes);
  const u64 stride = u64(gridDim.x) * blockDim.x;
  LaneTally tally;
  for (u64 row = blockIdx.x * u64(blockDim.x) + threadIdx.x; __any_sync(~0u, row < job.job.rows);
       row += stride) {
    const u64 begin = row < job.job.rows ? offsets[row] : 0, end = row < job.job.rows ? offsets[row + 1] : 0;
    u32 state = 0;
    u64 at = begin;
    bool active = row < job.job.rows && start(end - begin, state);
    active = active && at < end;
    while (__any_sync(~0u, active)) {
      if (kCounted) tally.walk(1, active, active);
      if (!active) continue;
      active = step(bytes[at++], state) && at < end;
    }
    if (row < job.job.rows && matches(end - begin, state))
      atomicOr(reinterpret_cast<u32*>(job.job.hits) + row / 32, 1u << row % 32);
  }
  if (kCounted) tally.add_to(*reinterpret_cast<LaneSteps*>(job.job.lane_steps));
}

template <bool kCounted>
__device__ void compare_bytes(const BytesJob& job) {
  const u8* const needle = reinterpret_cast<const u8*>(job.needle);
  const u32 size = job.needle_bytes;
  const auto fits = [&](u64 length) { return job.whole ? length == size : length >= size; };
  walk_bytes<kCounted>(
      job, [&](u64 length, u32&) { return fits(length); },
      [&](u32 byte, u32& same) {
        if (byte != needle[same]) return false;
        return ++same < size;
      },
      [&](u64 length, u32 same) { return fits(length) && same == size; });
}

template <bool kCounted>
__device__ void automaton_bytes(const BytesJob& job) {
  extern __shared__ uint4 shared[];
  const auto* const from = reinterpret_cast<const uint4*>(job.job.table);
  for (u32 i = threadIdx.x; i < job.job.table_bytes / 16; i += blockDim.x) shared[i] = from[i];
  __syncthreads();
  const lanewise::lanes::ByteTable table{reinterpret_cast<const u8*>(shared)};
  const lanewise::lanes::Verdicts verdicts = job.job.verdicts;
  walk_bytes<kCounted>(
      job,
      [&](u64, u32& state) {
        state = verdicts.start;
        return !verdicts.is_decided(state);
      },
      [&](u32 byte, u32& state) {
        state = table.step(state, byte);
        return !verdicts.is_decided(state);
      },
      [&](u64, u32 state) { return verdicts.accepts(state); });
}

extern "C" __global__ void __launch_bounds__(kMatchThreads)
    compare_text(const __grid_constant__ BytesJob job) {
  compare_bytes<false>(job);
}
extern "C" __global__ void __launch_bounds__(kMatchThreads)
    compare_text_counted(const __grid_constant__ BytesJob job) {
  compare_bytes<true>(job);
}
extern "C" __global__ void __launch_bounds__(kMatchThreads) walk_text(const __grid_constant__ BytesJob job) {
  automaton_bytes<false>(job);
}
extern "C" __global__ void __launch_bounds__(kMatchThreads)
    walk_text_counted(const __grid_constant__ BytesJob job) {
  automaton_bytes<true>(job);
}
)";

/// As in the kernels' text.
struct BytesJob {
  kernel::CountedMatchJob job;
  uint64_t needle;
  uint32_t needle_bytes;
  uint32_t whole;
};

constexpr unsigned kBytes = 256;
/// The engine's choices for an automaton: see ops/filter/gpu.
constexpr unsigned kEngineThreads = 512;
constexpr uint32_t kEngineRefill = 24, kEngineRefillUneven = 28;

enum class How { bytes, naive, refill };
constexpr std::pair<const char*, How> kHows[] = {
    {"gpu naive bytes", How::bytes}, {"gpu naive", How::naive}, {"gpu refill", How::refill}};

/// How the rows are tested: threads of a block, blocks as a multiple of those that run at once, and the
/// threshold of refill.
struct WarpShape {
  How how;
  unsigned threads = kEngineThreads;
  double grids = 1;
  uint32_t below = 0;
};

/// next[state * 256 + byte], numbered as the kernels expect it.
std::vector<uint8_t> table_of(const lanes::AutomatonView& automaton) {
  const lanes::Renumbered order{automaton};
  std::vector<uint8_t> next(size_t{automaton.states} * kBytes);
  for (unsigned state = 0; state < automaton.states; ++state) {
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      const unsigned to = automaton.next[state * automaton.classes + automaton.class_of[byte]];
      next[size_t{order.to_new(state)} * kBytes + byte] = static_cast<uint8_t>(order.to_new(to));
    }
  }
  return next;
}

}  // namespace

std::string text_kernels() { return kTextKernels; }

struct TextOnDevice::State {
  explicit State(gpu::Device& device) : on(device, kTextKernels) {}

  std::string kernel_name(How how, bool counted) const {
    const char* const name = how != How::bytes ? "match_text" : compares ? "compare_text" : "walk_text";
    return name + std::string(counted ? "_counted" : "");
  }
  gpu::Shape launch_shape(const WarpShape& shape, bool counted) const {
    const size_t shared = shape.how == How::bytes && compares ? 0 : table.size();
    gpu::Shape made = on.full_shape(on.kernel(kernel_name(shape.how, counted)), shape.threads, shared);
    made.blocks =
        std::max<uint64_t>(static_cast<uint64_t>(static_cast<double>(made.blocks) * shape.grids), 1);
    return made;
  }

  void launch(const WarpShape& shape, bool counted) {
    const gpu::Kernel kernel = on.kernel(kernel_name(shape.how, counted));
    kernel::CountedMatchJob job{};
    job.rows = rows;
    job.offsets = offsets.address();
    job.bytes = bytes.address();
    job.hits = hits.address();
    job.table = table.address();
    job.table_bytes = static_cast<uint32_t>(table.size());
    job.refill_below = shape.below;
    job.verdicts = verdicts;
    job.look = shape.below == 1 ? 0 : look;
    job.lane_steps = steps.address();
    const gpu::Shape how = launch_shape(shape, counted);
    if (shape.how == How::bytes)
      kernel.launch(on.stream, how, BytesJob{job, needle.address(), needle_bytes, whole});
    else if (counted)
      kernel.launch(on.stream, how, job);
    else
      kernel.launch(on.stream, how, static_cast<const kernel::MatchJob&>(job));
  }

  void clear() { on.stream.fill(hits.address(), 0, bits::words(rows) * sizeof(uint64_t)); }

  Contender level(const std::string& name, const WarpShape& shape, const Hash& hash) {
    return {.level = name,
            .digest =
                [this, shape, hash] {
                  clear();
                  launch(shape, false);
                  return hash(on.fetch<uint64_t>(hits, bits::words(rows)));
                },
            .seconds =
                [this, shape] {
                  clear();
                  return on.seconds([&] { launch(shape, false); });
                },
            .observe =
                [this, shape] {
                  clear();
                  on.stream.fill(steps.address(), 0, sizeof(kernel::LaneSteps));
                  launch(shape, true);
                  const kernel::LaneSteps counted = on.fetch<kernel::LaneSteps>(steps, 1)[0];
                  return lanes::Stats{.lane_steps = counted.all, .live_steps = counted.live};
                },
            .refill_below = shape.below,
            .may_fail = true,
            .facts = [this, shape]() -> nlohmann::ordered_json {
              const gpu::Shape launched = launch_shape(shape, false);
              return {{"kernel", on.facts(on.kernel(kernel_name(shape.how, false)), launched)},
                      {"grids", shape.grids},
                      {"below", shape.below}};
            }};
  }

  WarpShape chosen(How how) const {
    const uint32_t refill = look != 0 ? kEngineRefillUneven : kEngineRefill;
    return {.how = how, .below = how == How::refill ? refill : 1};
  }

  OnDevice on;
  gpu::DeviceBuffer offsets, bytes, hits, table, needle, steps;
  lanes::Verdicts verdicts{};
  uint64_t rows = 0;
  uint32_t look = 0, needle_bytes = 0, whole = 0;
  bool compares = false;  // the study's test is a comparison, without an automaton
};

TextOnDevice::TextOnDevice(gpu::Device& device) : state_(std::make_unique<State>(device)) {}
TextOnDevice::~TextOnDevice() = default;

std::vector<std::string> TextOnDevice::level_names() {
  std::vector<std::string> names;
  for (const auto& [name, how] : kHows) names.emplace_back(name);
  return names;
}

void TextOnDevice::load(const TextRows& text, const TextShape& shape, const text::Pattern& pattern) {
  State& state = *state_;
  const lanes::AutomatonView automaton = pattern.compiled().automaton()->view();
  if (automaton.states > kBytes)
    throw UserError(fmt::format("{} states do not fit a table of bytes", automaton.states));
  state.rows = text.rows();
  state.offsets = state.on.upload(text.offsets);
  state.bytes = state.on.upload(text.bytes);
  state.table = state.on.upload(table_of(automaton));
  state.verdicts = lanes::Renumbered{automaton}.verdicts(1);
  state.hits = state.on.room(bits::words(text.rows()) * sizeof(uint64_t));
  state.steps = state.on.room(sizeof(kernel::LaneSteps));
  uint64_t longest = 0;
  for (size_t row = 0; row < text.rows(); ++row)
    longest = std::max<uint64_t>(longest, text.offsets[row + 1] - text.offsets[row]);
  state.look = ops::look_for_late(longest, text.size() / std::max<uint64_t>(text.rows(), 1) + 1);
  state.compares = shape.test != RowTest::regex;
  const std::string constant = state.compares ? needle_of(shape) : "";
  state.needle = state.on.upload(std::vector<uint8_t>(constant.begin(), constant.end()));
  state.needle_bytes = static_cast<uint32_t>(constant.size());
  state.whole = shape.test == RowTest::equality;
}

void TextOnDevice::add(std::vector<Contender>& contenders, const Hash& hash) {
  for (const auto& [name, how] : kHows) contenders.push_back(state_->level(name, state_->chosen(how), hash));
}

void TextOnDevice::add_shapes(std::vector<Contender>& contenders, const Hash& hash) {
  for (const How how : {How::bytes, How::naive, How::refill}) {
    const char* const name = kHows[static_cast<size_t>(how)].first;
    for (const unsigned threads : {32U, 64U, 128U, 256U, 384U, 512U}) {
      WarpShape shape = state_->chosen(how);
      shape.threads = threads;
      contenders.push_back(state_->level(fmt::format("{}: {} threads", name, threads), shape, hash));
    }
    for (const double grids : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      WarpShape shape = state_->chosen(how);
      shape.grids = grids;
      contenders.push_back(state_->level(fmt::format("{}: grid x {:g}", name, grids), shape, hash));
    }
  }
  for (const uint32_t below : {1U, 4U, 8U, 12U, 16U, 20U, 24U, 28U, 32U}) {
    WarpShape shape = state_->chosen(How::refill);
    shape.below = below;
    contenders.push_back(state_->level(fmt::format("gpu refill: below {}", below), shape, hash));
  }
}

}  // namespace lanewise::cli::bench
