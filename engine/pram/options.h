#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "base/cancel.h"
#include "base/memory.h"
#include "pram/language/tree.h"
#include "pram/machine/error.h"
#include "pram/meta/passes.h"

namespace lanewise::pram {

class KernelObserver;

/// What runs a program: the interpreter, step by step, which finds every conflict and counts costs; or the
/// compiled meta-program, on blocks of processors and several threads, or as kernels on a GPU.
enum class Executor : uint8_t { kInterpreter, kCpu, kCuda, kOpenCl };

/// How executors hold sets of active processors: a bit for each processor or a list of the active ones; by
/// default, whichever is faster.
enum class ActiveForm : uint8_t { kAuto, kBitset, kList };

struct Options {
  uint64_t seed = 0;  ///< of the draw between processors in mode CRCW arbitrary
  /// At most 2^32 - 2; more is an error, for programs that never end. To executors a launch is a step.
  uint64_t max_steps = 10'000'000;
  const Cancellation* cancellation = nullptr;
  std::atomic<uint64_t>* steps = nullptr;  ///< how many are done, for whoever watches a run
  MemoryBudget* budget = nullptr;
  /// Conflicts do not end the run: the first of each kind is reported in the result. Where a program's mode
  /// forbids them, one of the processors is drawn, as in CRCW arbitrary.
  bool survey = false;
  Executor executor = Executor::kInterpreter;

  // Of executors only.
  Passes passes = all_passes();
  ActiveForm active = ActiveForm::kAuto;
  int threads = 0;  ///< 0: one for each core
  /// Conflicts that the mode forbids are found, and reported as the interpreter does. Steps are then done one
  /// by one, without passes. Not checked, programs with such conflicts give any result.
  bool check = false;
  /// In CRCW arbitrary the thread that comes last wins, as on hardware, instead of the processor that is
  /// drawn: faster, and another one each time.
  bool race = false;
  /// GPUs wait after each kernel, so that its time is known; else times are those of launching.
  bool time_kernels = false;
  KernelObserver* observer = nullptr;  ///< sees each kernel (executor/observer.h)
  /// Kernels of GPUs are compiled for these very sizes and numbers of the input, each time anew for others.
  bool specialise = false;
  /// Kernels that follow each other in the same way as before are launched as one CUDA graph.
  bool graphs = false;
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

/// What the kernels of one line cost an executor: those that assign, and those that test a condition.
struct KernelCost {
  uint32_t line = 0;
  uint64_t launches = 0;
  uint64_t processors = 0;  ///< active, added over the launches
  uint64_t lanes = 0;       ///< that were started for them: of a GPU whole groups, for each place of the set
  uint64_t lists = 0;       ///< launches whose set was a list
  /// What active processors read and write in memory, as the text says: 8 bytes for a cell or for a private
  /// variable that outlives its kernel. What a loop within a kernel repeats counts once.
  uint64_t bytes = 0;
  double seconds = 0;

  /// Share of the lanes that had an active processor.
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
