#pragma once

#include <string>

#include "data/device_column.h"
#include "device/module.h"
#include "exec/device/accelerator.h"
#include "exec/device/needle-inl.h"
#include "lanes/tables-inl.h"
#include "text/pattern.h"

namespace lanewise::exec {

/// What asks strings for a pattern: its automaton, or a search for the literal that it is.
enum class MatchKind { kSharedAutomaton, kWideAutomaton, kPrefix, kSuffix, kWhole, kAnywhere };

bool is_automaton(MatchKind kind);
/// `active`: only some of the rows are asked; a search anywhere reads the others' text, too.
MatchKind match_kind(const text::Pattern& pattern, bool active);
/// The call that is the kernel's body, for a parameter `job`.
std::string match_call(MatchKind kind, bool wide_offsets, bool active);

/// A pattern as match kernels take it.
class Matching {
 public:
  Matching(const text::Pattern& pattern, MatchKind kind, Accelerator& gpu);

  /// Sets the bits of `hits` of rows [0, rows) that match: of those in the bitmap `active`, of all where it
  /// is 0; and clears all others. `kernel` is one that KernelWriter wrote for the pattern and this form of
  /// column.
  void run(const device::Kernel& kernel, const DeviceColumn& column, device::cuda::Address active,
           device::cuda::Address hits, Accelerator& gpu) const;

 private:
  void run_automaton(const device::Kernel& kernel, const DeviceColumn& column, device::cuda::Address active,
                     device::cuda::Address hits, Accelerator& gpu) const;

  MatchKind kind_;
  kernel::NeedleJob needle_{};
  device::DeviceBuffer table_;
  size_t shared_bytes_ = 0;  // 0: the kernel reads the table where it is
  lanes::Verdicts verdicts_{};
};

}  // namespace lanewise::exec
