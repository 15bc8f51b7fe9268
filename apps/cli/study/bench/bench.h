#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/error.h"
#include "lanes/automata/rows.h"
#include "process/progress.h"
#include "study/bench/counters.h"
#include "study/bench/energy.h"
#include "study/bench/options.h"

namespace lanewise::cli::bench {

/// A level's answer is wrong: unlike a device's failure it always ends the study.
struct WrongResult : InternalError {
  using InternalError::InternalError;
};

/// One way to do a task.
struct Contender {
  std::string level;
  std::string not_offered = {};  ///< why this level cannot do the task; if set, nothing below is called
  // does the task once; returns a hash of its whole result
  std::function<uint64_t()> digest = nullptr;
  std::function<double()> seconds = nullptr;        ///< does the task once; returns its time
  std::function<lanes::Stats()> observe = nullptr;  ///< does the task once; returns what the lanes did
  uint32_t refill_below = 0;                        ///< the threshold of refill, if one was given
  /// The calling thread does all work, so processor time is used if it is interrupted.
  bool one_thread = false;
  /// A device or a plug-in may fail: the level is then not offered, for this reason, and the others go on.
  bool may_fail = false;
  /// More about this level, after its last run: the copies' times, the kernel's registers.
  std::function<nlohmann::ordered_json()> facts = nullptr;
};

/// The measurements of a level.
struct Result {
  std::string level;
  std::string not_offered = {};
  uint64_t digest = 0;
  double seconds = 0;             ///< the median
  std::vector<double> runs = {};  ///< the seconds of each run, ascending
  std::optional<lanes::Stats> stats = {};
  std::optional<Events> events = {};  ///< of each row
  std::optional<Joules> energy = {};  ///< of a run
  uint32_t refill_below = 0;
  nlohmann::ordered_json facts = {};  ///< joins the level's JSON

  /// The distance between the quartiles of the runs, as a share of the median. Above kBusy the machine had
  /// other work.
  double spread() const;
};

inline constexpr double kBusy = 0.1;

/// The levels that did the same task on the same data.
struct Group {
  std::string title;
  nlohmann::ordered_json about;  ///< the task and the data
  uint64_t rows = 0;
  uint64_t bytes = 0;                       ///< that the task reads; 0: the rate has no meaning
  std::vector<std::string> arguments = {};  ///< of this program, for this work on such data
  std::vector<Result> results;
};

/// How and where it was measured.
struct Setting {
  std::string name;  ///< of the benchmark
  std::string processor;
  int cores = 0;
  double read_rate = 0;         ///< bytes per second, see read_rate.h
  std::string counters;         ///< why there are none; empty: there are some
  uint64_t simulated_rows = 0;  ///< of the simulation that gave branches and misses; 0: none
  Options options;
};

/// Measures levels in turns, so that other work on the machine slows all of them.
class Bench {
 public:
  /// Measures the machine's read rate unless it is given. Must outlive the calls of all contenders. `say`
  /// receives progress messages; without it, a terminal shows them.
  Bench(std::string name, const Options& options, const Cancellation& cancellation, double read_rate = 0,
        std::function<void(const std::string&)> say = nullptr);
  ~Bench();

  /// Whether the user chose this level, by its name or its first words ("simd" is the widest of the machine).
  bool wants(const std::string& level) const;
  /// Shows progress on a terminal.
  void say(const std::string& what);
  /// Throws InternalError if the levels do not agree.
  Group measure(Group group, const std::vector<Contender>& contenders);

  const Setting& setting() const { return setting_; }
  const Cancellation& cancellation() const { return cancellation_; }

 private:
  void simulate(const Group& group, Result& result);
  void measure_energy(const Contender& contender, Result& result);
  void prepare(const std::string& title, const Contender& contender, Result& result);

  Setting setting_;
  const Cancellation& cancellation_;
  Counters counters_;
  Energy energy_;
  Progress progress_;
  std::function<void(const std::string&)> say_;
};

}  // namespace lanewise::cli::bench
