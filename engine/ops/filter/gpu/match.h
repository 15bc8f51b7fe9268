#pragma once

#include <optional>
#include <string>

#include "data/gpu/device_column.h"
#include "gpu/modules/module.h"
#include "lanes/tables/tables-inl.h"
#include "ops/filter/gpu/match-inl.h"
#include "ops/filter/gpu/needle-inl.h"
#include "ops/gpu/device/accelerator.h"
#include "text/forms/form.h"
#include "text/pattern/pattern.h"

namespace lanewise::ops {

/// What matches strings: the kernel of a match strategy.
struct MatchKind {
  const text::forms::GpuKernel* kernel;
  bool shared = false;  ///< the automaton's table is in shared memory

  bool is_automaton() const { return kernel->needle == nullptr; }
};

/// What the search for a text of 1 to kMostNeedle bytes takes, wherever the rows are.
kernel::NeedleJob needle_job(const std::string& needle);
/// MatchJob::look for strings of so many bytes, on average at least one: as many rows as one lane's walk over
/// the longest may outlast. None where strings have similar lengths: the look would cost more than it saves.
uint32_t look_for_late(uint64_t longest, uint64_t average);
/// `active`: only some of the rows are tested; a search anywhere reads the others' text, too.
MatchKind match_kind(const text::Pattern& pattern, bool active, const codegen::Strategy& strategy);
/// The call that is the kernel's body, for a parameter `job`.
std::string match_call(const MatchKind& kind, bool wide_offsets, kernel::Asked asked);

/// The rows that are tested.
struct AskedRows {
  gpu::cuda::Address active = 0;                  ///< a bitmap, or a list for a kernel that takes one; 0: all
  std::optional<uint64_t> listed = std::nullopt;  ///< rows of the list
};

/// What a match kernel writes.
struct FoundRows {
  gpu::cuda::Address hits = 0;        ///< a bitmap
  gpu::cuda::Address lane_steps = 0;  ///< kernel::LaneSteps, for an automaton's kernel that counts them
};

/// A pattern as match kernels take it.
class Matching {
 public:
  Matching(const text::Pattern& pattern, const MatchKind& kind, Accelerator& gpu);

  /// Sets the bits of rows [0, rows) that match, of those that are tested, and clears all others. `kernel` is
  /// one of add_match_kernels() for the pattern and this form of column.
  void run(const gpu::Kernel& kernel, const DeviceColumn& column, const AskedRows& asked,
           const FoundRows& found, Accelerator& gpu) const;

 private:
  void run_automaton(const gpu::Kernel& kernel, const DeviceColumn& column, const AskedRows& asked,
                     const FoundRows& found, Accelerator& gpu) const;

  MatchKind kind_;
  kernel::NeedleJob needle_{};
  gpu::DeviceBuffer table_;
  size_t shared_bytes_ = 0;  // 0: the kernel reads the table where it is
  lanes::Verdicts verdicts_{};
};

}  // namespace lanewise::ops
