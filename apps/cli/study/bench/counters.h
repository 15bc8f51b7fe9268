#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace lanewise::cli::bench {

/// Events of one piece of work; of each of its rows, where a result holds them.
struct Events {
  double branches = 0;
  double branch_misses = 0;
  double cache_misses = 0;  ///< of the last cache

  Events operator-(const Events& other) const {
    return {branches - other.branches, branch_misses - other.branch_misses,
            cache_misses - other.cache_misses};
  }
  Events operator/(double rows) const { return {branches / rows, branch_misses / rows, cache_misses / rows}; }
};

/// The processor's own counters of the calling thread, where the system gives them.
class Counters {
 public:
  Counters();
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  bool available() const { return why_not_.empty(); }
  /// Why there are none.
  const std::string& why_not() const { return why_not_; }

  void start();
  /// What happened since start(); nothing where there are no counters or they did not run all the time.
  std::optional<Events> stop();

 private:
  static constexpr size_t kEvents = 3;
  std::array<int, kEvents> files_;  // of the kernel; the first leads the group
  std::string why_not_;
};

}  // namespace lanewise::cli::bench
