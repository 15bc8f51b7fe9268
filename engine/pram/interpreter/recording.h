#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pram/inputs/text.h"
#include "pram/interpreter/interpreter.h"

namespace lanewise::pram {

struct Limits {
  uint64_t steps = 100'000;
  uint64_t changes = 4'000'000;
};

/// A recorded run in flat arrays, which a page reads without copying.
struct Recording {
  /// The fields of a step, in this order, kFields numbers each.
  enum Field {
    kLine,
    kColumn,
    kLength,
    kIsTest,
    kBlock,
    kProcessors,
    kActive,
    kChangesEnd,
    kAccessesEnd,
    kActiveEnd,
    kFields
  };
  static constexpr uint32_t kNoBlock = UINT32_MAX;
  static constexpr uint32_t kPrivate = uint32_t{1} << 31;
  static constexpr uint32_t kNoUnit = UINT32_MAX;

  std::vector<Word> initial;  ///< all variables, one after another
  std::vector<uint32_t> steps;
  std::vector<double> work, depth;  ///< after each step
  std::vector<uint32_t> changed;    ///< pairs: variable (or kPrivate | private), cell (or processor)
  std::vector<Word> before, after;  ///< value of each change
  std::vector<uint32_t> accesses;   ///< fours: 0 read or 1 write, variable, cell, processor
  std::vector<uint32_t> active;     ///< active processors, for steps with few of them
  std::vector<uint32_t> kernels;    ///< pairs, by lab_kernel_steps: steps until its end, unit
};

/// Runs the program to its end, to an error, or to a limit. The result is a JSON object: sizes, costs, how
/// the run ended. A failed step is the last one, without changes.
std::string record(const Program& program, const TextInputs& given, const Limits& limits,
                   Recording& recording);

}  // namespace lanewise::pram
