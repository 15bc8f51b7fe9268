#include "ops/scan/scan_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"

namespace lanewise::ops {

namespace {
constexpr int kSliceBits = 20;  // of an order; the other bits are the batch's
constexpr uint64_t kMaxBatchOrder = uint64_t{1} << 38;
}  // namespace

class ScanInput::ScanReader : public Reader {
 public:
  explicit ScanReader(ScanInput& input) : input_(input), held_(input.held_), read_from_(input.read_from_) {}
  ~ScanReader() override {
    if (reading_) input_.end_reading(false);
  }

  bool next(Morsel& morsel, uint64_t below) override {
    for (;;) {
      {
        std::unique_lock lock(input_.mutex_);
        held_.hold(HeldOrders::kNone);
        if (below < input_.below_) input_.below_ = below;
        while (!input_.ready_.empty()) {
          const auto first = std::ranges::min_element(input_.ready_, {}, &Morsel::order);
          morsel = std::move(*first);
          input_.ready_.erase(first);
          held_.hold(morsel.order);
          if (morsel.order < input_.below_) return true;
          input_.cut_short_ = true;
        }
        held_.hold(HeldOrders::kNone);
        if (!reading_) {
          if (!input_.start_reading()) {
            if (!input_.wait(lock)) return false;
            continue;
          }
          read_from_.hold(0);
        }
      }
      read();
    }
  }

 private:
  void read() {
    reading_ = true;
    if (worker_ == nullptr) worker_ = input_.scan_->worker();
    std::optional<ScanBatch> batch = worker_->next();
    if (batch.has_value() && input_.add(*batch, read_from_)) return;
    reading_ = false;
    read_from_.hold(HeldOrders::kNone);
    worker_.reset();
    input_.end_reading(!batch.has_value());
  }

  ScanInput& input_;
  HeldOrders::Holder held_, read_from_;
  std::unique_ptr<ScanWorker> worker_;
  bool reading_ = false;
};

ScanInput::ScanInput(std::unique_ptr<Scan> scan, size_t threads, const Slicing& slicing,
                     const Cancellation* cancellation, OnBatch on_batch, OnComplete on_complete)
    : scan_(std::move(scan)),
      slicing_(slicing),
      cancellation_(cancellation),
      on_batch_(std::move(on_batch)),
      on_complete_(std::move(on_complete)),
      threads_(threads),
      max_reading_(std::min(threads, std::max<size_t>(1, scan_->max_workers()))) {}

std::unique_ptr<Reader> ScanInput::reader() { return std::make_unique<ScanReader>(*this); }

bool ScanInput::start_reading() {
  if (started_ == max_reading_ || all_read_ || cut_short_) return false;
  ++started_;
  ++reading_;
  return true;
}

void ScanInput::end_reading(bool all_read) {
  std::lock_guard lock(mutex_);
  --reading_;
  (all_read ? all_read_ : cut_short_) = true;
  changed_.notify_all();
}

bool ScanInput::wait(std::unique_lock<std::mutex>& lock) {
  if (reading_ == 0) return false;
  changed_.wait_for(lock, std::chrono::milliseconds(20));
  if (cancellation_ != nullptr) cancellation_->check();
  return true;
}

/// Large enough that the slices of a huge batch have distinct orders.
int64_t ScanInput::slice_rows(int64_t batch_rows) const {
  return std::max<int64_t>(slicing_.vector_rows, (batch_rows >> kSliceBits) + 1);
}

std::optional<uint64_t> ScanInput::row_of(uint64_t order, uint32_t row) const {
  const uint64_t wanted = order >> kSliceBits, slice = order & ((uint64_t{1} << kSliceBits) - 1);
  int64_t before = 0, first = 0;
  for (const auto& [batch, rows] : seen_) {
    if (batch < wanted) before += rows;
    if (batch == wanted) first = static_cast<int64_t>(slice) * slice_rows(rows);
  }
  return static_cast<uint64_t>(before + first) + row;
}

bool ScanInput::add(const ScanBatch& batch, HeldOrders::Holder& read_from) {
  if (batch.order >= kMaxBatchOrder) throw InternalError(fmt::format("a batch of order {}", batch.order));
  const uint64_t order = batch.order << kSliceBits;
  if (order >= below_) return false;
  if (on_batch_) on_batch_(batch);

  const int64_t rows = batch.batch.rows;
  const int64_t slice_rows = this->slice_rows(rows);
  const int64_t morsel_rows = std::max(slicing_.morsel_rows / slice_rows, int64_t{1}) * slice_rows;
  std::lock_guard lock(mutex_);
  seen_.emplace_back(batch.order, rows);
  read_from.hold((batch.order + 1) << kSliceBits);
  for (int64_t first = 0; first < rows; first += morsel_rows) {
    Morsel& morsel = ready_.emplace_back();
    morsel.order = order + static_cast<uint64_t>(first / slice_rows);
    morsel.rows = std::min(morsel_rows, rows - first);
    morsel.slice_rows = static_cast<uint32_t>(slice_rows);
    for (const ColumnPtr& column : batch.batch.columns) morsel.columns.push_back({column, first});
  }
  changed_.notify_all();
  return true;
}

uint64_t ScanInput::processed_below() const {
  const std::lock_guard lock(mutex_);
  uint64_t lowest = std::min(held_.lowest(), read_from_.lowest());
  for (const Morsel& morsel : ready_) lowest = std::min(lowest, morsel.order);
  // Until each thread that will read has begun, the next batch may be any after those that were read.
  if (lowest == HeldOrders::kNone && !all_read_ && !cut_short_)
    return seen_.empty() ? 0 : (std::ranges::max(seen_).first + 1) << kSliceBits;
  return lowest;
}

void ScanInput::finish() {
  if (on_complete_ && all_read_ && !cut_short_) on_complete_();
}

}  // namespace lanewise::ops
