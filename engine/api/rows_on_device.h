#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "data/arrow/arrow_device_rows.h"

namespace lanewise {

/// Rows of a result in a GPU's memory. They are copied to the host when they are wanted there, when the GPU's
/// memory is short, or when the session ends. Thread-safe.
class RowsOnDevice {
 public:
  /// `staging` and `budget` are the session's.
  RowsOnDevice(std::shared_ptr<const arrow::DeviceRecords> rows, Schema schema, gpu::Staging& staging,
               MemoryBudget& budget);

  int64_t rows() const { return rows_; }
  /// The copy in host memory, with Arrow's types: HUGEINT is DECIMAL(38, 0). Throws MemoryError, DeviceError.
  const Table& on_host();
  /// Exports the rows, which are copied to the host when the first of them is read.
  static void export_host(const std::shared_ptr<RowsOnDevice>& rows, ArrowArrayStream* out);
  /// Exports the rows without a copy. False: they are on the host alone.
  bool export_rows(ArrowDeviceArrayStream* out);
  /// Copies the rows to the host and frees the GPU's memory. Returns the bytes freed: none if others share
  /// it, or another thread uses the rows.
  size_t leave_device();
  /// The session ends: what on_host() may throw is kept for its caller.
  void end();

 private:
  void copy();

  std::mutex mutex_;
  const Schema schema_;
  const int64_t rows_;
  std::shared_ptr<const arrow::DeviceRecords> there_;  // null: on the host alone
  std::unique_ptr<const Table> here_;
  gpu::Staging* staging_;
  MemoryBudget* budget_;
  std::exception_ptr failed_;
};

}  // namespace lanewise
