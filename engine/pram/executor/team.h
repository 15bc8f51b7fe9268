#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cancel.h"
#include "primitives/parallel.h"

namespace lanewise::pram {

/// Threads that share the parts of a kernel.
class Team {
 public:
  Team(size_t threads, const Cancellation* cancellation) : threads_(threads), cancellation_(cancellation) {}

  size_t threads() const { return threads_; }
  void check() const {
    if (cancellation_ != nullptr) cancellation_->check();
  }

  /// Calls f(worker, part) for each part, only on the calling thread if there are few. Throws what f throws.
  template <class F>
  void run(uint32_t parts, F f) const {
    const auto workers = std::min<size_t>(threads_, parts / kGrab);
    if (workers <= 1) {
      for (uint32_t part = 0; part < parts; ++part) {
        check();
        f(size_t{0}, part);
      }
      return;
    }
    std::atomic<uint32_t> next{0};
    run_workers(workers, [&](size_t worker) {
      try {
        for (uint32_t first = next.fetch_add(kGrab); first < parts; first = next.fetch_add(kGrab)) {
          check();
          for (uint32_t part = first; part < std::min(parts, first + kGrab); ++part) f(worker, part);
        }
      } catch (...) {
        next = parts;
        throw;
      }
    });
  }

 private:
  static constexpr uint32_t kGrab = 4;  ///< parts that a thread takes at once

  size_t threads_;
  const Cancellation* cancellation_;
};

}  // namespace lanewise::pram
