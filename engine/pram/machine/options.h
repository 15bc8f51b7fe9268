#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "base/cancel.h"
#include "base/memory.h"
#include "pram/machine/error.h"
#include "pram/meta/passes.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

class KernelObserver;

/// How a program runs. The interpreter works step by step, finds every conflict and counts costs. The other
/// executors run the compiled meta-program: on several threads, each with blocks of processors, or as kernels
/// on a GPU.
enum class Executor : uint8_t { kInterpreter, kCpu, kCuda, kOpenCl };

constexpr bool is_device(Executor executor) {
  return executor == Executor::kCuda || executor == Executor::kOpenCl;
}

/// How executors represent sets of active processors: as a bitmap, or as a list of the active
/// ones. The default is the faster one.
enum class ActiveForm : uint8_t { kAuto, kBitset, kList };

struct Options {
  uint64_t seed = 0;  ///< chooses the winning processor in mode CRCW arbitrary
  /// A longer run is an error, so that every program ends. At most 2^32 - 2. For executors, a launch counts
  /// as a step.
  uint64_t max_steps = 10'000'000;
  const Cancellation* cancellation = nullptr;
  std::atomic<uint64_t>* steps = nullptr;  ///< number of finished steps, for progress displays
  MemoryBudget* budget = nullptr;
  /// Conflicts do not end the run: the result reports the first of each kind. If the mode forbids a conflict,
  /// one of the processors is chosen, as in CRCW arbitrary.
  bool survey = false;
  Executor executor = Executor::kInterpreter;

  // For executors only.
  Passes passes = all_passes();
  ActiveForm active = ActiveForm::kAuto;
  int threads = 0;  ///< 0: one for each core
  /// Reports conflicts that the mode forbids, as the interpreter does. Steps then run one by one, without
  /// passes. Without this check, the result of a program with such conflicts is undefined.
  bool check = false;
  /// In CRCW arbitrary the last thread wins, as on hardware, instead of a processor chosen by `seed`. Faster,
  /// but not reproducible.
  bool race = false;
  /// Wait after each GPU kernel to measure it; otherwise only launches are timed.
  bool time_kernels = false;
  KernelObserver* observer = nullptr;  ///< sees each kernel (executor/observer.h)
  /// Compile GPU kernels for the sizes and numbers of this input, once for each.
  bool specialise = false;
  /// Launch a repeated sequence of kernels as one CUDA graph.
  bool graphs = false;
  /// Runs the whole program as one kernel of one group, on a GPU. It is an error if a block has more
  /// processors than a group has members (256), or the variables do not fit into its memory (at most 4,080
  /// cells).
  bool one_group = false;
};

/// The costs of one line.
struct LineCost {
  uint64_t steps = 0;
  uint64_t work = 0;  ///< active processors, summed over the steps
  uint32_t peak = 0;  ///< maximum number of active processors in one step

  bool operator==(const LineCost&) const = default;
};

/// The costs of a run on a PRAM. A step is one assignment, or one test of a condition, by all active
/// processors at once.
struct Cost {
  uint64_t steps = 0;
  uint64_t work = 0;
  uint64_t depth = 0;  ///< steps if both branches of each `if` run at the same time
  uint32_t peak = 0;
  std::map<uint32_t, LineCost> lines;

  bool operator==(const Cost&) const = default;
};

/// The costs of the kernels of one line: assignments and tests of conditions.
struct KernelCost {
  uint32_t line = 0;
  uint64_t launches = 0;
  uint64_t processors = 0;  ///< active processors, summed over the launches
  uint64_t lanes = 0;       ///< lanes started for them, in whole groups on a GPU
  uint64_t lists = 0;       ///< launches whose active set was a list
  /// Bytes that active processors read and write according to the program: 8 for a cell, or for a private
  /// variable that outlives its kernel. Iterations of a loop within a kernel count once.
  uint64_t bytes = 0;
  double seconds = 0;

  /// Fraction of the lanes that had an active processor.
  double occupancy() const {
    return lanes == 0 ? 1 : static_cast<double>(processors) / static_cast<double>(lanes);
  }
  KernelCost& operator+=(const KernelCost& other) {
    launches += other.launches;
    processors += other.processors;
    lanes += other.lanes;
    lists += other.lists;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
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
