#pragma once

#include <vector>

#include "pram/interpreter/interpreter.h"
#include "pram/meta/units.h"

namespace lanewise::pram {

/// Steps of an interpreter by kernel: all that executors do at once. It stays the interpreter's meaning,
/// statement after statement; only where it stops is the meta-program's.
class KernelSteps {
 public:
  /// `interpreter` has not begun; it must remember one step at least, and as many as are to be undone.
  explicit KernelSteps(Interpreter& interpreter, const Passes& passes = all_passes());

  /// Does the steps of one kernel; false if there is none left. Throws RunError; then what came before the
  /// step that failed is done.
  bool step();
  /// Undoes the last kernel; false if there is none, or its first step is not remembered.
  bool back();

  /// What the last step() did, with how many processors, and what it changed in all: each cell once, in their
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
