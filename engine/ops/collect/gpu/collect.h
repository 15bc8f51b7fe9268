#pragma once

#include <vector>

#include "data/arrow/arrow_device_rows.h"
#include "ops/gpu/branch/branch_run.h"
#include "ops/gpu/branch/device_sink.h"
#include "ops/gpu/branch/row_list.h"

namespace lanewise::ops {

/// What the kernel `project` reads: rows of the input, or slots of a table.
struct MarkedRows {
  uint64_t rows;              ///< at most 2^32
  gpu::cuda::Address bitmap;  ///< of those that are wanted
  kernel::Job job;            ///< with all but kRows, kList and the outputs
  Downloads with = {};        ///< come to the host with the rows, as it is after `project`
};

/// Where collected rows go. Few of them come to the host at once, which takes one round trip.
enum class Destination : uint8_t { kHost, kDevice, kDeviceIfMany };
/// Of the current batch, which may be the only one. Of several, none comes to the host alone: that would
/// change the order of rows.
Destination destination(Goal goal, bool only);

/// Which rows are wanted, of all of them.
struct WantedRows {
  int64_t offset = 0;
  int64_t limit = -1;  ///< negative: all
};

/// Rows that kernels left, in their order: brought to the host, or kept in the device's memory.
class Collector {
 public:
  Collector(const Schema& schema, const Options& options, Accelerator& gpu, WantedRows wanted = {},
            Destination to = Destination::kHost);

  /// For the batches from now on; once they had to make room, the host.
  void set_destination(Destination to) { to_ = made_room_ ? Destination::kHost : to; }
  /// Brings the rows to the host that stayed on the device; false: there are none.
  bool make_room();
  /// The same if there are few of them, in several batches.
  void bring_few();

  /// Takes what the current batch's bitmap leaves. Throws DeviceFull; then it has taken nothing of the batch.
  void take(BranchRun& run) { take(run, {run.rows(), run.active(), run.job(), {}}); }
  void take(BranchRun& run, const MarkedRows& from);
  /// Takes rows [first, last) of a list: all or none, where it throws DeviceFull.
  void take(BranchRun& run, const kernel::Job& job, const RowList& list, uint64_t first, uint64_t last,
            Downloads with = {});
  /// The rows that the current batch's bitmap leaves, as columns in the device's memory. Throws DeviceFull.
  std::vector<DeviceColumn> keep(BranchRun& run);
  /// How many of the rows have a value in the first column: nothing of them comes to the host.
  uint64_t count_values(BranchRun& run, const MarkedRows& from);
  /// Whether more rows can change the result.
  bool wants_more() const { return seen_ < wanted_; }
  /// Rows so far, those included that are left out.
  uint64_t seen() const { return seen_; }
  std::vector<Batch> take() { return std::move(batches_); }
  /// Those that stayed on the device.
  std::vector<arrow::DeviceBatch> take_kept() { return std::move(kept_); }

 private:
  struct Layout;
  std::vector<DeviceColumn> keep(BranchRun& run, kernel::Job job, const RowList& list, uint64_t first,
                                 uint64_t rows);
  bool stays(uint64_t rows) const;
  void lay_out_texts(DeviceColumn& column, gpu::cuda::Address texts, BranchRun& run);
  void project(BranchRun& run, const kernel::Job& job, const RowList& list, uint64_t first, uint64_t rows,
               Downloads with);
  void fetch_texts(Column& column, gpu::cuda::Address texts, BranchRun& run);
  void place_texts(Column& column, const std::vector<kernel::Text>& texts, const uint8_t* room,
                   gpu::cuda::Address from);
  const Schema& schema_;
  const Options& options_;
  Accelerator& gpu_;
  const uint64_t offset_, wanted_;
  Destination to_;
  bool made_room_ = false;
  uint64_t seen_ = 0;
  std::vector<Batch> batches_;
  std::vector<arrow::DeviceBatch> kept_;
};

}  // namespace lanewise::ops
