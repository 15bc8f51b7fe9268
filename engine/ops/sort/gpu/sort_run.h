#pragma once

#include "gpu/sort/sort.h"
#include "ops/collect/gpu/collect.h"
#include "ops/gpu/branch/branch_run.h"
#include "ops/gpu/branch/device_sink.h"
#include "ops/gpu/branch/row_list.h"
#include "plan/node.h"

namespace lanewise::ops {

/// ORDER BY, batch by batch: the list of a batch's rows is sorted in the device's memory, and the rows come
/// to the host in its order; where there was more than one batch, the host puts them together.
class SortRun : public SinkRun {
 public:
  /// Throws DeviceError where the plug-in that sorts is missing.
  /// The references outlive it.
  SortRun(const plan::Sort& sort, const Schema& schema, const DeviceSink::Setting& setting);

  void take(BranchRun& run, bool only) override;
  uint64_t came() const override { return came_; }
  SinkResult finish(const Schema& output) override;

 private:
  void sort(BranchRun& run, RowList& list);
  void sort(BranchRun& run, gpu::SortPairs& pairs, unsigned bits);
  void sort_texts(BranchRun& run, size_t word, gpu::SortPairs& pairs, uint64_t steps);
  RowList places_tied(BranchRun& run, size_t word, const gpu::SortPairs& pairs, uint64_t steps);
  void write_sizes(BranchRun& run, size_t key, const gpu::SortPairs& pairs, uint64_t depth,
                   gpu::cuda::Address longest, gpu::cuda::Address longer);
  bool drop_behind(BranchRun& run, RowList& list);
  void write_keys(BranchRun& run, size_t word, uint64_t depth, const gpu::SortPairs& pairs);

  const plan::Sort& sort_;
  const Schema& schema_;
  const Options& options_;
  Accelerator& gpu_;
  const gpu::Sorter& sorter_;
  const uint64_t wanted_;  // rows, those included that are left out at the beginning
  const Destination to_;   // of the only batch
  std::vector<arrow::DeviceBatch> kept_;
  Table sorted_;  // one batch after the other, each in order
  int batches_ = 0;
  uint64_t left_out_ = 0;  // of the rows before the first one that is wanted
  uint64_t came_ = 0;
};

}  // namespace lanewise::ops
