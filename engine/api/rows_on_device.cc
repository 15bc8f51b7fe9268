#include "api/rows_on_device.h"

#include <utility>

#include "data/arrow/arrow_stream.h"

namespace lanewise {

RowsOnDevice::RowsOnDevice(std::shared_ptr<const arrow::DeviceRecords> rows, Schema schema,
                           gpu::Staging& staging, MemoryBudget& budget)
    : schema_(std::move(schema)),
      rows_(rows->rows()),
      there_(std::move(rows)),
      staging_(&staging),
      budget_(&budget) {}

void RowsOnDevice::copy() {
  if (failed_) std::rethrow_exception(failed_);
  if (here_ == nullptr) here_ = std::make_unique<const Table>(there_->to_host(schema_, *staging_, budget_));
}

const Table& RowsOnDevice::on_host() {
  const std::lock_guard lock(mutex_);
  copy();
  return *here_;
}

void RowsOnDevice::export_host(const std::shared_ptr<RowsOnDevice>& rows, ArrowArrayStream* out) {
  struct Stream {
    ArrowArrayStream stream{};
    explicit Stream(Table table) { arrow::export_stream(std::move(table), &stream); }
    Stream(const Stream&) = delete;
    ~Stream() { stream.release(&stream); }
  };
  const auto schema = [rows](ArrowSchema* to) {
    Stream none(Table{rows->schema_, {}});
    arrow::check_stream(none.stream, none.stream.get_schema(&none.stream, to));
  };
  const auto next = [rows, read = std::shared_ptr<Stream>()](ArrowArray* to) mutable {
    if (read == nullptr) read = std::make_shared<Stream>(rows->on_host());
    arrow::check_stream(read->stream, read->stream.get_next(&read->stream, to));
  };
  arrow::export_calls(schema, next, out);
}

bool RowsOnDevice::export_rows(ArrowDeviceArrayStream* out) {
  const std::lock_guard lock(mutex_);
  if (there_ == nullptr) return false;
  arrow::export_device_rows(there_, schema_, out);
  return true;
}

size_t RowsOnDevice::leave_device() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || there_ == nullptr || there_.use_count() > 1) return 0;
  copy();
  return std::exchange(there_, nullptr)->bytes();
}

void RowsOnDevice::end() {
  const std::lock_guard lock(mutex_);
  if (there_ == nullptr) return;
  try {
    copy();
  } catch (...) {
    failed_ = std::current_exception();
  }
  there_ = nullptr;
}

}  // namespace lanewise
