#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

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

/// Reports work that does not report itself, as long as it lives.
class Watch {
 public:
  struct State {
    std::string what;
    double share = -1;  ///< negative: unknown
  };
  /// `look` is called from another thread.
  explicit Watch(std::function<State()> look);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;  // last, as it uses the others
};

}  // namespace lanewise::cli
