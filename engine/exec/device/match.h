#pragma once

#include "data/device_column.h"
#include "device/module.h"
#include "exec/device/accelerator.h"
#include "lanes/tables-inl.h"
#include "text/pattern.h"

namespace lanewise::exec {

/// Whether the pattern's automaton, which there is, lies in a block's shared memory as bytes.
bool fits_shared(const text::Pattern& pattern);

/// A pattern's automaton as match kernels read it.
class MatchTable {
 public:
  MatchTable(const text::Pattern& pattern, Accelerator& gpu);

  /// Sets the bits of `hits` of rows [0, rows) that match: of those in the bitmap `active`, of all where it
  /// is 0; and clears all others. `kernel` is one that KernelWriter wrote for the pattern and this form of
  /// column.
  void run(const device::Kernel& kernel, const DeviceColumn& column, device::cuda::Address active,
           device::cuda::Address hits, Accelerator& gpu) const;

 private:
  device::DeviceBuffer table_;
  size_t shared_bytes_;  // 0: the kernel reads it where it is
  lanes::Verdicts verdicts_;
};

}  // namespace lanewise::exec
