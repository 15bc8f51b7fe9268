#include "index/gpu/update/update_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "index/gpu/update/update_warp-inl.h"

namespace lanewise::index {

namespace {

/// Who does a step for an item.
enum class Crewed { kLane, kWarp, kLeaf, kScan };

struct StepForm {
  std::string_view name;
  Crewed by;
};

/// In the order of Step.
constexpr StepForm kSteps[] = {
    {"Encode", Crewed::kLane},    {"Merge", Crewed::kLane},      {"Arrange", Crewed::kLane},
    {"Leaves", Crewed::kLane},    {"Resolve", Crewed::kLane},    {"Match", Crewed::kLane},
    {"Compact", Crewed::kScan},   {"Slices", Crewed::kLane},     {"Keep", Crewed::kWarp},
    {"Runs", Crewed::kScan},      {"Parts", Crewed::kScan},      {"MarkUsed", Crewed::kLane},
    {"FreeSlot", Crewed::kScan},  {"Outputs", Crewed::kLane},    {"Override", Crewed::kLane},
    {"Produce", Crewed::kLeaf},   {"Inner", Crewed::kWarp},      {"NewGroups", Crewed::kLane},
    {"Link", Crewed::kLane},      {"WriteTexts", Crewed::kWarp}, {"MarkTexts", Crewed::kWarp},
    {"LinkTexts", Crewed::kLane}, {"BoundTexts", Crewed::kWarp},
};
constexpr auto kFirstOfTexts = static_cast<size_t>(Step::kWriteTexts);
static_assert(std::size(kSteps) == static_cast<size_t>(Step::kBoundTexts) + 1);
static_assert(kBlockThreads == 256, "as scan_chunk says");

/// A thread may handle several items; this many blocks keep any GPU busy.
constexpr u64 kMostUpdateBlocks = 1 << 20;

}  // namespace

u32 UpdateKernels::leaf_lanes() const {
  return node_shape(false, word, planes, leaf_keys, value_bytes).slots <= 32 * kProduced ? 32 : kBlockThreads;
}

gpu::KernelSource UpdateKernels::source() const {
  const std::string_view forms[] = {"words", "integers", "reals"};
  std::string body = fmt::format(
      R"(#include "index/gpu/update/update_warp-inl.h"
using namespace lanewise::index;
using Tree = FixedTree<{}, KeyForm::{}, {}, {}, {}, 0, {}, {}>;
#define STEP(name, body) \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name(TreeAt at, UpdateJob job, u64 items) {{ body(Tree(at), job, items); }}
)",
      word == 4 ? "u32" : "u64", forms[static_cast<size_t>(form)], leaf_keys, inner_keys, value_bytes, planes,
      text);
  for (const auto& [name, by] : std::span(kSteps).first(text ? std::size(kSteps) : kFirstOfTexts)) {
    switch (by) {
      case Crewed::kLane:
        body += fmt::format("STEP(step_{0}, run_lanes<{0}>)\n", name);
        break;
      case Crewed::kWarp:
        body += fmt::format("STEP(step_{0}, (run_crews<{0}, 32>))\n", name);
        break;
      case Crewed::kLeaf:
        body += fmt::format("STEP(step_{0}, (run_crews<{0}, {1}>))\n", name, leaf_lanes());
        break;
      case Crewed::kScan:
        body +=
            fmt::format("STEP(sums_{0}, run_scan<Sums<{0}>>)\nSTEP(step_{0}, run_scan<Places<{0}>>)\n", name);
        break;
    }
  }
  return {.name = "index update", .text = std::move(body), .options = {"-default-device"}};
}

void UpdateKernels::launch(const gpu::Module& module, Step step, const TreeAt& tree, const UpdateJob& job,
                           u64 items, gpu::Stream& stream) const {
  if (items == 0) return;
  const auto& [name, by] = kSteps[static_cast<size_t>(step)];
  const u64 in_block = by == Crewed::kLane   ? kBlockThreads
                       : by == Crewed::kWarp ? kBlockThreads / 32
                       : by == Crewed::kLeaf ? kBlockThreads / leaf_lanes()
                                             : scan_chunk(items);
  const gpu::Shape shape{.blocks = std::min((items + in_block - 1) / in_block, kMostUpdateBlocks),
                         .threads = kBlockThreads};
  if (by == Crewed::kScan) {
    module.kernel(fmt::format("sums_{}", name)).launch(stream, shape, tree, job, items);
  }
  module.kernel(fmt::format("step_{}", name)).launch(stream, shape, tree, job, items);
}

}  // namespace lanewise::index
