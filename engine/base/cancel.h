#pragma once

#include <atomic>

#include "base/error.h"

namespace lanewise {

/// A flag that stops work. Long loops call check() at least every few milliseconds. Setting it is safe in a
/// signal handler.
class Cancellation {
 public:
  void cancel() { requested_.store(true, std::memory_order_relaxed); }
  void reset() { requested_.store(false, std::memory_order_relaxed); }
  bool requested() const { return requested_.load(std::memory_order_relaxed); }
  void check() const {
    if (requested()) throw CancelledError();
  }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace lanewise
