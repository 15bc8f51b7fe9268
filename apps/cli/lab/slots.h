#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/cancel.h"
#include "base/error.h"

namespace lanewise::cli::lab {

/// Limits the number of runs at once; others wait.
class Slots {
 public:
  explicit Slots(int most) : free_(most) {}

  /// A slot, as long as it is alive.
  class Slot {
   public:
    /// Throws CancelledError if the wait is cancelled.
    Slot(Slots& slots, const Cancellation& cancellation) : slots_(slots) {
      std::unique_lock lock(slots_.mutex_);
      while (slots_.free_ == 0) {
        cancellation.check();
        slots_.changed_.wait_for(lock, std::chrono::milliseconds(20));
      }
      --slots_.free_;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
      const std::lock_guard lock(slots_.mutex_);
      ++slots_.free_;
      slots_.changed_.notify_one();
    }

   private:
    Slots& slots_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;
};

/// Counts the live objects.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::atomic<int>& count_;
};

}  // namespace lanewise::cli::lab
