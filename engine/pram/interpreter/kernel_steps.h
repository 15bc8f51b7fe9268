#pragma once

#include <vector>

#include "pram/interpreter/interpreter.h"
#include "pram/meta/units.h"

namespace lanewise::pram {

/// Runs an interpreter kernel by kernel, as executors do. It still interprets
/// statement after statement; only the stops are those of the meta-program.
class KernelSteps {
 public:
  /// `interpreter` has not started; its history must hold at least one step, and all steps that are to be
  /// undone.
  explicit KernelSteps(Interpreter& interpreter, const Passes& passes = all_passes());

  /// Runs the steps of one kernel; false if there is none left. Throws RunError; then the steps before the
  /// failed one have been run.
  bool step();
  /// Undoes the last kernel; false if there is none, or its first step is no longer recorded.
  bool back();

  /// The unit of the last step(), its number of processors, and all its changes: each cell once, in
  /// order.
  const Unit& last() const { return units_[last_]; }
  uint32_t active() const { return active_; }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  Interpreter& interpreter_;
  const MetaProgram meta_;
  const Units units_;
  std::vector<size_t> done_;  // steps of each kernel
  uint32_t last_ = 0;
  uint32_t active_ = 0;
  std::vector<Change> changes_;
};

}  // namespace lanewise::pram
