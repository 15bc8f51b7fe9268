#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/cancel.h"
#include "base/memory.h"
#include "pram/language/tree.h"
#include "pram/machine/error.h"

namespace lanewise::pram {

struct Options {
  uint64_t seed = 0;                ///< of the draw between processors in mode CRCW arbitrary
  uint64_t max_steps = 10'000'000;  ///< at most 2^32 - 2; more is an error, for programs that never end
  const Cancellation* cancellation = nullptr;
  MemoryBudget* budget = nullptr;
  /// Conflicts do not end the run: the first of each kind is reported in the result. Where a program's mode
  /// forbids them, one of the processors is drawn, as in CRCW arbitrary.
  bool survey = false;
};

/// What the steps of one line cost.
struct LineCost {
  uint64_t steps = 0;
  uint64_t work = 0;  ///< active processors, added over the steps
  uint32_t peak = 0;  ///< most active processors in one step

  bool operator==(const LineCost&) const = default;
};

/// What a run costs on a PRAM. A step is one assignment, or one test of a condition, by all active
/// processors at once.
struct Cost {
  uint64_t steps = 0;
  uint64_t work = 0;
  uint64_t depth = 0;  ///< steps, where both parts of an if run at the same time
  uint32_t peak = 0;
  std::map<uint32_t, LineCost> lines;

  bool operator==(const Cost&) const = default;
};

/// The first conflict of each kind, in the order in which modes forbid them.
struct Survey {
  std::optional<Conflict> read;     ///< needs CREW
  std::optional<Conflict> write;    ///< needs CRCW common
  std::optional<Conflict> unequal;  ///< needs CRCW arbitrary or stronger

  /// The weakest mode that allows what the run did.
  Mode needs() const {
    if (unequal) return Mode::kArbitrary;
    if (write) return Mode::kCommon;
    return read ? Mode::kCrew : Mode::kErew;
  }
};

}  // namespace lanewise::pram
