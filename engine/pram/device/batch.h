#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pram/device/backend.h"

namespace lanewise::pram {

/// A step that was put off: a kernel that can be launched alone, or with others by its batch's kernel.
struct BatchStep {
  const EmittedKernel* kernel = nullptr;
  uint32_t number = 0;      ///< of the step in the batch's kernel
  uint64_t processors = 0;  ///< at least 1
  /// Cells that each processor has to itself, side by side and in the processors' order, in all variables
  /// that the batch writes; 0: not known.
  uint64_t cells = 0;
  std::vector<uint64_t> arguments = {};  ///< of the kernel
  std::vector<uint64_t> given = {};      ///< to the step
};

/// Steps that are launched together.
struct BatchPart {
  enum class Shape : uint8_t {
    kAlone,     ///< one step, as its kernel
    kOneGroup,  ///< one group does all: few processors
    kWindows,   ///< each group has so many cells (`window`) and all processors that use them
    kTogether,  ///< all groups wait for each other after each step
  };
  Shape shape = Shape::kAlone;
  size_t steps = 1;
  uint64_t window = 0;
  uint64_t groups = 1;

  bool operator==(const BatchPart&) const = default;
};

/// How to launch `steps`, in their order. `together`: groups that can wait for each other; 0: none.
std::vector<BatchPart> parts_of(std::span<const BatchStep> steps, uint64_t together);

}  // namespace lanewise::pram
