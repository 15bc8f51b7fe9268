#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lanes/automata/rows.h"
#include "ops/run/options.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// The counters of one line of the plan.
struct Counters {
  uint64_t rows_in = 0;
  uint64_t rows_out = 0;
  uint64_t bytes = 0;
  uint64_t nanos = 0;
  lanes::Stats lanes;

  void add(const Counters& other) {
    rows_in += other.rows_in;
    rows_out += other.rows_out;
    bytes += other.bytes;
    nanos += other.nanos;
    lanes.add(other.lanes);
  }
};

/// Time since construction or since the last lap().
class Stopwatch {
 public:
  uint64_t lap() {
    const auto now = std::chrono::steady_clock::now();
    const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count();
    last_ = now;
    return static_cast<uint64_t>(nanos);
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// How the keys of joins find rows, see OperatorProfile::keys.
using KeyNotes = std::unordered_map<const plan::Join*, std::vector<std::string>>;

/// The lines' counters, with names and details, in the order of the plan's text.
std::vector<OperatorProfile> make_profile(const std::vector<plan::Line>& lines,
                                          std::vector<Counters> counters, const KeyNotes& keys,
                                          const Options& options);

}  // namespace lanewise::ops
