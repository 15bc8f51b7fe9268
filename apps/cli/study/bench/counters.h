#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace lanewise::cli::bench {

/// Event counts of one run, or per row in a result.
struct Events {
  double branches = 0;
  double branch_misses = 0;
  double cache_misses = 0;  ///< misses of the last-level cache

  Events operator-(const Events& other) const {
    return {branches - other.branches, branch_misses - other.branch_misses,
            cache_misses - other.cache_misses};
  }
  Events operator/(double rows) const { return {branches / rows, branch_misses / rows, cache_misses / rows}; }
};

/// The processor's counters for the calling thread and the threads that it starts later, if the system allows
/// them.
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
  /// The events since start(); nothing if there are no counters, or if they did not run all the time.
  std::optional<Events> stop();

 private:
  static constexpr size_t kEvents = 3;
  /// As the kernel reports it.
  struct Count {
    uint64_t value, enabled, running;
  };
  std::array<Count, kEvents> read() const;

  std::array<int, kEvents> files_;  // descriptors of the kernel
  std::array<Count, kEvents> before_{};
  std::string why_not_;
};

}  // namespace lanewise::cli::bench
