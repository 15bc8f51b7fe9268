#include "ops/filter/gpu/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/error.h"
#include "lanes/automata/renumbered.h"
#include "lanes/byte_frequency.h"
#include "ops/filter/gpu/match-inl.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::ops {

namespace {

constexpr unsigned kBytes = 256;
static_assert(text::forms::kMostGpuNeedle == kernel::kMostNeedle);

lanes::AutomatonView automaton_of(const text::Pattern& pattern) {
  return pattern.compiled().automaton()->view();
}

/// next[state * 256 + byte] with the dead state first, padded to multiples of 16 bytes.
template <class Cell>
std::vector<Cell> table_of(const lanes::AutomatonView& automaton) {
  const lanes::Renumbered order{automaton};
  std::vector<Cell> next(size_t{automaton.states} * kBytes);
  for (unsigned state = 0; state < automaton.states; ++state) {
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      const unsigned to = automaton.next[state * automaton.classes + automaton.class_of[byte]];
      next[size_t{order.to_new(state)} * kBytes + byte] = static_cast<Cell>(order.to_new(to));
    }
  }
  return next;
}

template <class Cell>
gpu::DeviceBuffer upload(const std::vector<Cell>& cells, Accelerator& gpu) {
  const size_t bytes = cells.size() * sizeof(Cell);
  gpu::DeviceBuffer buffer = gpu.pool.allocate(bytes, gpu.stream, "A pattern's automaton");
  gpu.staging.upload(buffer.address(), cells.data(), bytes, gpu.stream);
  return buffer;
}

/// Lanes of a warp take new rows when fewer are busy, and where some strings are much longer than others:
/// what was best on an H200 (docs/notes/performance-gpu.md).
constexpr uint32_t kRefill = 24, kRefillUneven = 28;

/// The average per string, rounded up.
uint64_t average_bytes(const DeviceColumn& column) {
  return column.values.size() / std::max<uint64_t>(static_cast<uint64_t>(column.rows), 1) + 1;
}

void fill_with_zeros(const FoundRows& found, uint64_t rows, Accelerator& gpu) {
  gpu.stream.fill(found.hits, 0, bits::words(rows) * sizeof(uint64_t));
}

}  // namespace

kernel::NeedleJob needle_job(const std::string& needle) {
  kernel::NeedleJob job{};
  job.size = static_cast<uint32_t>(needle.size());
  std::memcpy(job.words, needle.data(), needle.size());
  double least = 2;  // of the share of places where both bytes are right
  for (uint32_t a = 0; a < job.size; ++a) {
    for (uint32_t b = a; b < std::min(a + 4, job.size); ++b) {
      const double share = lanes::byte_frequency(static_cast<uint8_t>(needle[a])) *
                           (a == b ? 1 : lanes::byte_frequency(static_cast<uint8_t>(needle[b])));
      if (share < least) least = share, job.first = a, job.second = b;
    }
  }
  return job;
}

uint32_t look_for_late(uint64_t longest, uint64_t average) {
  constexpr uint64_t kMost = 1024, kLanes = 32;
  if (longest < lanes::kShort + 4 * average) return 0;
  return static_cast<uint32_t>(std::min(longest / average * kLanes, kMost));
}

MatchKind match_kind(const text::Pattern& pattern, bool active, const codegen::Strategy& strategy) {
  MatchKind kind{&*text::forms::gpu_form(pattern.compiled(), !active, strategy.automata).gpu};
  kind.shared = kind.is_automaton() && automaton_of(pattern).states <= kBytes;
  return kind;
}

std::string match_call(const MatchKind& kind, bool wide_offsets, kernel::Asked asked) {
  constexpr const char* kAsked[] = {"kAll", "kBitmap", "kList"};
  return fmt::format(fmt::runtime(kind.kernel->call), fmt::arg("offset", wide_offsets ? "u64" : "u32"),
                     fmt::arg("rows", kAsked[static_cast<int>(asked)]), fmt::arg("shared", kind.shared));
}

Matching::Matching(const text::Pattern& pattern, const MatchKind& kind, Accelerator& gpu) : kind_(kind) {
  if (!kind.is_automaton()) {
    needle_ = needle_job(*kind.kernel->needle(pattern.compiled()));
    return;
  }
  const lanes::AutomatonView automaton = automaton_of(pattern);
  table_ =
      kind.shared ? upload(table_of<uint8_t>(automaton), gpu) : upload(table_of<uint16_t>(automaton), gpu);
  shared_bytes_ = kind.shared ? table_.size() : 0;
  verdicts_ = lanes::Renumbered{automaton}.verdicts(1);
}

void Matching::run(const gpu::Kernel& kernel, const DeviceColumn& column, const AskedRows& asked,
                   const FoundRows& found, Accelerator& gpu) const {
  if (column.rows == 0) return;
  if (kind_.is_automaton()) return run_automaton(kernel, column, asked, found, gpu);
  kernel::NeedleJob job = needle_;
  job.rows = static_cast<uint64_t>(column.rows);
  job.offsets = column.offsets.address();
  job.bytes = column.values.address();
  job.active = asked.active;
  job.hits = found.hits;
  fill_with_zeros(found, job.rows, gpu);
  const auto blocks = static_cast<uint64_t>(gpu.multiprocessors()) *
                      static_cast<uint64_t>(kernel.blocks_per_multiprocessor(kernel::kThreads, 0));
  kernel.launch(gpu.stream, {.blocks = blocks, .threads = kernel::kThreads}, job);
}

void Matching::run_automaton(const gpu::Kernel& kernel, const DeviceColumn& column, const AskedRows& asked,
                             const FoundRows& found, Accelerator& gpu) const {
  const auto rows = static_cast<uint64_t>(column.rows);
  fill_with_zeros(found, rows, gpu);
  const unsigned threads = gpu.strategy.threads;
  const bool waits = gpu.strategy.refill_below == 1;  // for the longest row, wherever it stands
  const uint32_t look = waits ? 0 : look_for_late(column.longest, average_bytes(column));
  const kernel::MatchJob job{asked.listed.value_or(rows),
                             column.offsets.address(),
                             column.values.address(),
                             asked.active,
                             found.hits,
                             table_.address(),
                             static_cast<uint32_t>(shared_bytes_),
                             gpu.strategy.refill_below.value_or(look != 0 ? kRefillUneven : kRefill),
                             verdicts_,
                             look};
  const auto blocks = static_cast<uint64_t>(gpu.multiprocessors()) *
                      static_cast<uint64_t>(kernel.blocks_per_multiprocessor(threads, shared_bytes_));
  const gpu::Shape shape{.blocks = blocks, .threads = threads, .shared = shared_bytes_};
  if (found.lane_steps == 0) return kernel.launch(gpu.stream, shape, job);
  kernel.launch(gpu.stream, shape, kernel::CountedMatchJob{job, found.lane_steps});
}

}  // namespace lanewise::ops
