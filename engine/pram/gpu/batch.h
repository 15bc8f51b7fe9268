#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pram/gpu/backends/backend.h"

namespace lanewise::pram {

/// The maximum number of processors of a step that is faster in one group than as a separate launch.
inline constexpr uint64_t kFewProcessors = 2'048;

/// A deferred step: a kernel that can be launched alone, or with others by its batch's kernels.
struct BatchStep {
  const EmittedKernel* kernel = nullptr;
  const EmittedStep* step = nullptr;
  uint64_t processors = 0;  ///< at least 1
  /// Distance between the cells of consecutive processors, in all variables that the batch writes; 0: not
  /// known.
  uint64_t width = 0;
  bool apart = true;  ///< processor 0's cells are less than `width`, those of 1 less than twice that
  std::vector<uint64_t> first = {};      ///< cells of processor 0 in the window's variables
  std::vector<uint64_t> arguments = {};  ///< of the kernel
  std::vector<uint64_t> given = {};      ///< arguments of the step
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

/// How to launch `steps`, in order. `together`: groups that can wait for each other; 0: none. `most`:
/// maximum cells of a window.
std::vector<BatchPart> parts_of(std::span<const BatchStep> steps, uint64_t together, uint64_t most);

/// How a group reads and writes the cells of a variable that it holds for some steps of a window.
struct BatchHeld {
  uint64_t from = 0;    ///< cells from this number on are read before the steps
  uint64_t stride = 0;  ///< every stride-th cell is written after them, 0: none,
  uint64_t offset = 0;  ///< beginning with this one

  bool operator==(const BatchHeld&) const = default;
};
/// For a `part` of steps, followed by `later` ones; `last`: no others follow.
BatchHeld held_of(const EmittedWindows::Held& held, std::span<const BatchStep> part,
                  std::span<const BatchStep> later, bool last);

}  // namespace lanewise::pram
