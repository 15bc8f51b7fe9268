#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/gpu/device_rows.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/results/results.h"
#include "ops/run/options.h"
#include "ops/scan/stored_input.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// Columns of a branch's input, as a device reads them: what its store holds, what the source or an earlier
/// pipeline has in its memory, else what is read and uploaded.
/// Where they are more than the device's memory, those stream that are not in the store: in smaller batches,
/// that nothing keeps.
class DeviceInput {
 public:
  /// `columns` are those of the input that are needed. The references outlive the input.
  DeviceInput(const plan::Branch& branch, std::vector<size_t> columns, const Results& results,
              const Options& options, Accelerator& gpu);

  int64_t rows() const { return rows_; }
  bool streams() const { return streams_; }
  /// Rows to be loaded at a time: of what streams so many that there is room for two batches, and for what
  /// kernels need.
  int64_t batch_rows() const { return batch_rows_; }
  /// The rows to be loaded next, at most `most`: from `first` on, or, where rows stream, after others of
  /// which bounds show that no step keeps them. Without rows: none are left.
  RowRange next_rows(int64_t first, int64_t most) const;
  /// Rows that are never loaded.
  int64_t skipped_rows() const;
  /// The needed columns' rows [first, first + rows). Of what streams they belong to Accelerator::copies, and
  /// other threads than the input's may load them, one at a time. Throws MemoryError where the device has no
  /// room.
  std::vector<DeviceStore::ColumnPtr> load(int64_t first, int64_t rows);
  /// One row's values, at their columns' places in the input; columns that are not needed are NULL.
  std::vector<Value> row(int64_t row);
  uint64_t uploaded_bytes() const { return uploaded_.load(std::memory_order_relaxed); }

 private:
  using HostColumn = std::vector<lanewise::ColumnPtr>;  // its chunks

  void read_rows();
  void plan_batches();
  void leave_out_rows(const Results& results);
  std::vector<DeviceStore::ColumnPtr> stored(size_t place) const;
  bool is_there(size_t place) const;
  const HostColumn& host(size_t place);
  std::vector<ColumnPiece> pieces(size_t place, int64_t first, int64_t rows);
  DeviceStore::ColumnPtr column(size_t place, int64_t first, int64_t rows);
  std::pair<const arrow::DeviceBatch&, int64_t> batch_with(int64_t row) const;
  static DeviceStore::ColumnPtr part(DeviceStore::ColumnPtr whole, int64_t first, int64_t rows);

  const plan::Branch& branch_;
  const std::vector<size_t> columns_;
  const Options& options_;
  Accelerator& gpu_;
  const plan::Scan* scan_ = nullptr;
  std::shared_ptr<const JoinTable> build_;  // whose rows these are, with their marks
  const LeftRows* left_ = nullptr;          // by an earlier pipeline
  std::vector<int64_t> left_ends_;          // of its batches: rows up to each end
  const DeviceRows* there_ = nullptr;       // the source's rows, if this device has them
  std::string identity_;                    // empty: nothing is kept
  int64_t rows_ = -1;
  std::vector<HostColumn> host_;  // by place; without chunks: not read
  bool streams_ = false;
  std::optional<std::vector<RowRange>> ranges_;  // of rows that may be kept, from multiples of 64 on
  /// By place, where others stream: the store's parts of batch_rows of the device, which it keeps meanwhile.
  std::vector<std::vector<DeviceStore::ColumnPtr>> resident_;
  int64_t batch_rows_;
  std::atomic<uint64_t> uploaded_{0};
};

}  // namespace lanewise::ops
