#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "data/source.h"
#include "ops/scan/held_orders.h"
#include "ops/scan/input.h"

namespace lanewise::ops {

/// Rows read from a source while they are processed. Threads that are not reading take morsels
/// of batches that other threads have read.
class ScanInput : public Input {
 public:
  /// Receives every batch before its rows are handed out, from any thread.
  using OnBatch = std::function<void(const ScanBatch&)>;
  /// Called at the end if all rows of the source were handed out.
  using OnComplete = std::function<void()>;

  /// `threads` process the rows; as many of them read as the scan allows.
  ScanInput(std::unique_ptr<Scan> scan, size_t threads, const Slicing& slicing,
            const Cancellation* cancellation, OnBatch on_batch = nullptr, OnComplete on_complete = nullptr);
  std::unique_ptr<Reader> reader() override;
  size_t max_readers() const override { return threads_; }
  std::optional<uint64_t> row_of(uint64_t order, uint32_t row) const override;
  uint64_t processed_below() const override;
  double progress() const override { return scan_->progress(); }
  void finish() override;

 private:
  class ScanReader;

  bool start_reading();
  void end_reading(bool all_read);
  /// Waits for morsels of other threads; false if there will be none.
  bool wait(std::unique_lock<std::mutex>& lock);
  /// Adds the batch's morsels; false if the batch lies after what is needed.
  bool add(const ScanBatch& batch, HeldOrders::Holder& read_from);
  int64_t slice_rows(int64_t batch_rows) const;

  std::unique_ptr<Scan> scan_;
  const Slicing slicing_;
  const Cancellation* cancellation_;
  const OnBatch on_batch_;
  const OnComplete on_complete_;
  const size_t threads_;
  const size_t max_reading_;  // threads that read

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Morsel> ready_;
  HeldOrders held_;       // morsels in work
  HeldOrders read_from_;  // by each thread that reads: no later batch of it has a lower order
  std::vector<std::pair<uint64_t, int64_t>> seen_;  // batches: order and rows
  size_t started_ = 0;
  size_t reading_ = 0;
  bool all_read_ = false;                    // a reader reached the end of the source
  bool cut_short_ = false;                   // a reader stopped before the end
  std::atomic<uint64_t> below_{UINT64_MAX};  // orders from this one on are known to be unneeded
};

}  // namespace lanewise::ops
