#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

namespace lanewise::index {

/// The states of an image that readers still use. A snapshot of version v sees nodes of versions up to v;
/// later nodes have later versions. Thread-safe.
class Versions {
 public:
  void open(uint64_t version) {
    std::lock_guard lock(mutex_);
    open_.insert(version);
    publish();
  }
  void close(uint64_t version) {
    std::lock_guard lock(mutex_);
    open_.erase(open_.find(version));
    publish();
  }
  /// The newest and oldest open snapshot; 0 and the greatest number if there are none.
  uint64_t newest() const { return newest_.load(std::memory_order_acquire); }
  uint64_t oldest() const { return oldest_.load(std::memory_order_acquire); }

 private:
  void publish() {
    newest_.store(open_.empty() ? 0 : *open_.rbegin(), std::memory_order_release);
    oldest_.store(open_.empty() ? UINT64_MAX : *open_.begin(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::multiset<uint64_t> open_;
  std::atomic<uint64_t> newest_{0};
  std::atomic<uint64_t> oldest_{UINT64_MAX};
};

}  // namespace lanewise::index
