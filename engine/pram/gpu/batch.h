#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pram/gpu/backends/backend.h"

namespace lanewise::pram {

/// Most processors of a step that one group does faster than another launch would take.
inline constexpr uint64_t kFewProcessors = 2'048;

/// A step that was put off: a kernel that can be launched alone, or with others by its batch's kernels.
struct BatchStep {
  const EmittedKernel* kernel = nullptr;
  const EmittedStep* step = nullptr;
  uint64_t processors = 0;  ///< at least 1
  /// From one processor's cells to the next one's, in all variables that the batch writes; 0: not known.
  uint64_t width = 0;
  bool apart = true;  ///< processor 0's cells are less than `width`, those of 1 less than twice that
  std::vector<uint64_t> first = {};      ///< the window's cells of processor 0
  std::vector<uint64_t> arguments = {};  ///< of the kernel
  std::vector<uint64_t> given = {};      ///< to the step
};

/// Steps that are launched together.
struct BatchPart {
  enum class Shape : uint8_t {
    kAlone,     ///< one step, as its kernel
    kOneGroup,  ///< one group does all: few processors
    kWindows,   ///< each group holds `window` cells and has all processors that use them
    kTogether,  ///< all groups wait for each other after each step
  };
  Shape shape = Shape::kAlone;
  size_t steps = 1;
  uint64_t window = 0;
  uint64_t groups = 1;
  /// For windows: only the cells `offset`, `offset` + `stride`, ... are used and held.
  uint64_t stride = 1;
  uint64_t offset = 0;

  bool operator==(const BatchPart&) const = default;
};

/// How to launch `steps`, in their order. `together`: groups that can wait for each other; 0: none. `most`:
/// cells of a window.
std::vector<BatchPart> parts_of(std::span<const BatchStep> steps, uint64_t together, uint64_t most);

/// What a group does with a variable's cells that it holds while it does some steps in a window.
struct BatchHeld {
  uint64_t from = 0;    ///< cells from this number on are read before the steps
  uint64_t stride = 0;  ///< every so many are written after them, 0: none,
  uint64_t offset = 0;  ///< beginning with this one

  bool operator==(const BatchHeld&) const = default;
};
/// For a `part` of steps, which `later` ones follow; `last`: none but these.
BatchHeld held_of(const EmittedWindows::Held& held, std::span<const BatchStep> part,
                  std::span<const BatchStep> later, bool last);

}  // namespace lanewise::pram
