#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "lanes/automata/rows.h"
#include "progress.h"
#include "study/bench/counters.h"
#include "study/bench/options.h"

namespace lanewise::cli::bench {

/// One way to do a work.
struct Contender {
  std::string level;
  std::string not_offered = {};  ///< why this level cannot do the work; then nothing below is called
  std::function<uint64_t()> digest = nullptr;       ///< does the work once; a hash of all that it gives
  std::function<double()> seconds = nullptr;        ///< does it once and says how long that took
  std::function<lanes::Stats()> observe = nullptr;  ///< does it once and says what the lanes did
  uint32_t refill_below = 0;                        ///< the threshold of refill, where one was given
  /// All work is done by the calling thread: its time is that of the processor where it was interrupted.
  bool one_thread = false;
};

/// What was measured of a level.
struct Result {
  std::string level;
  std::string not_offered = {};
  uint64_t digest = 0;
  double seconds = 0;             ///< the median
  std::vector<double> runs = {};  ///< the seconds of each run, ascending
  std::optional<lanes::Stats> stats = {};
  std::optional<Events> events = {};  ///< of each row
  uint32_t refill_below = 0;

  /// The distance of the runs' quartiles, as a share of the median: above kBusy the machine had other work.
  double spread() const;
};

inline constexpr double kBusy = 0.1;

/// The levels that did the same work on the same data.
struct Group {
  std::string title;
  nlohmann::ordered_json about;  ///< the work and the data
  uint64_t rows = 0;
  uint64_t bytes = 0;                       ///< that the work reads; 0: that says nothing
  std::vector<std::string> arguments = {};  ///< of this program, for this work on such data
  std::vector<Result> results;
};

/// Where and how it was measured.
struct Setting {
  std::string name;  ///< of the benchmark
  std::string processor;
  int cores = 0;
  double read_rate = 0;         ///< bytes per second, see read_rate.h
  std::string counters;         ///< why there are none; empty: there are
  uint64_t simulated_rows = 0;  ///< of the simulation that gave branches and misses; 0: none
  Options options;
};

/// Measures levels in turns, so that other work on the machine hits all of them.
class Bench {
 public:
  /// Measures the machine's read rate where it is not given. Must outlive the calls of all contenders. `say`
  /// receives what is being done; without it, a terminal does.
  Bench(std::string name, const Options& options, const Cancellation& cancellation, double read_rate = 0,
        std::function<void(const std::string&)> say = nullptr);
  ~Bench();

  /// Whether the user chose this level, by its name or the first words of it ("simd" is the widest of the
  /// machine).
  bool wants(const std::string& level) const;
  /// Shows on a terminal what is being done.
  void say(const std::string& what);
  /// Throws InternalError if the levels do not agree.
  Group measure(Group group, const std::vector<Contender>& contenders);

  const Setting& setting() const { return setting_; }
  const Cancellation& cancellation() const { return cancellation_; }

 private:
  void simulate(const Group& group, Result& result);

  Setting setting_;
  const Cancellation& cancellation_;
  Counters counters_;
  Progress progress_;
  std::function<void(const std::string&)> say_;
};

}  // namespace lanewise::cli::bench
