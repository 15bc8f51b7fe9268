#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lanewise::ops {

/// The orders of the morsels that readers hold; all lower ones have been processed or are still to be read.
class HeldOrders {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  /// One reader's.
  class Holder {
   public:
    explicit Holder(HeldOrders& all) : all_(all) {
      const std::lock_guard lock(all_.mutex_);
      all_.holders_.push_back(this);
    }
    ~Holder() {
      const std::lock_guard lock(all_.mutex_);
      std::erase(all_.holders_, this);
    }
    Holder(const Holder&) = delete;

    void hold(uint64_t order) {
      const std::lock_guard lock(all_.mutex_);
      order_ = order;
    }

   private:
    friend class HeldOrders;
    HeldOrders& all_;
    uint64_t order_ = kNone;
  };

  uint64_t lowest() const {
    const std::lock_guard lock(mutex_);
    uint64_t lowest = kNone;
    for (const Holder* holder : holders_) lowest = std::min(lowest, holder->order_);
    return lowest;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<const Holder*> holders_;
};

}  // namespace lanewise::ops
