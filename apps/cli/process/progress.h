#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace lanewise::cli {

/// A line on standard error that shows the progress of a statement, after its first second. Only on a
/// terminal.
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

/// Shows the progress of work that does not report it itself, while it is alive.
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
  std::thread thread_;  // last, since it uses the other members
};

}  // namespace lanewise::cli
