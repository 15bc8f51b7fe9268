#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace lanewise::cli {

/// A line on a terminal's standard error that says how far a statement is, once it has taken a second. Silent
/// elsewhere.
class Progress {
 public:
  /// A new statement begins: the clock starts again.
  void start();
  /// From any thread; share 0..1, negative if unknown.
  void report(const std::string& what, double share);
  /// Wipes the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_{};
  bool visible_ = false;
};

}  // namespace lanewise::cli
