#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "data/arrow/arrow_device.h"
#include "data/arrow/arrow_device_column.h"

namespace lanewise::arrow {

/// Arrow has no room for a value, or for the strings of a column.
class DoesNotFit : public UserError {
 public:
  using UserError::UserError;
};

/// Columns of equal length in device memory.
struct DeviceBatch {
  int64_t rows = 0;
  std::vector<std::shared_ptr<const DeviceColumn>> columns;
};

/// Rows in device memory in Arrow's layout: one struct array.
class DeviceRecords {
 public:
  /// Whether columns of this type are converted on the device; others must come through the host.
  static bool supports(Type type);
  /// Takes the columns of `batches`, of which there is at least one row. Those of one batch stay where they
  /// are if Arrow has the same layout; everything else is copied and converted on the device. `pool` is that
  /// of their memory. Complete when it returns. Throws MemoryError, DoesNotFit.
  DeviceRecords(const Schema& schema, const std::vector<DeviceBatch>& batches, const BorderKernels& kernels,
                std::shared_ptr<gpu::DevicePool> pool, const gpu::Stream& stream, gpu::Staging& staging);
  /// These columns of `whole`, in its memory.
  DeviceRecords(std::shared_ptr<const DeviceRecords> whole, const std::vector<size_t>& columns);
  ~DeviceRecords();
  DeviceRecords(const DeviceRecords&) = delete;

  int device() const { return pool_->device().ordinal(); }  ///< its ordinal
  int64_t rows() const { return rows_; }
  size_t bytes() const { return bytes_; }
  /// An array of this memory, which keeps `all` alive.
  static ArrowDeviceArray array(const std::shared_ptr<const DeviceRecords>& all);
  /// A copy in host memory, of the types that Arrow has.
  Table to_host(const Schema& schema, gpu::Staging& staging, MemoryBudget* budget) const;

 private:
  class Maker;
  struct Part {
    int64_t nulls = 0;
    std::vector<const void*> buffers = {};
  };
  static ArrowArray node(const std::shared_ptr<const DeviceRecords>& all, const Part& part,
                         std::vector<ArrowArray> children);

  const std::shared_ptr<gpu::DevicePool> pool_;       // outlives what follows
  const std::shared_ptr<const DeviceRecords> whole_;  // null: it is one
  std::vector<std::shared_ptr<const DeviceColumn>> columns_;
  std::vector<gpu::DeviceBuffer> buffers_;
  std::vector<Part> parts_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
  mutable std::atomic<bool> shared_{false};  // others may still read it
};

/// A stream of this array alone, whose columns are named as in `schema`.
void export_device_rows(const std::shared_ptr<const DeviceRecords>& rows, const Schema& schema,
                        ArrowDeviceArrayStream* out);

}  // namespace lanewise::arrow
