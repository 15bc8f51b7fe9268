#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/kernels.h"
#include "exec/device/accelerator.h"
#include "exec/device/device_input.h"
#include "exec/device/device_sink.h"
#include "exec/device/groups-inl.h"
#include "exec/device/kernel_writer.h"
#include "exec/device/match.h"
#include "exec/device/rows-inl.h"

namespace lanewise::exec {

/// What running kernels came to, for the profile.
struct DeviceTimes {
  int launches = 0;           ///< batches of rows
  int modules = 0;            ///< sources that were needed
  int compiled = 0;           ///< of these, how many the cache did not have
  double module_seconds = 0;  ///< until they were loaded
  double kernel_seconds = 0;  ///< between the first and the last kernel of each batch
  uint64_t uploaded = 0;      ///< bytes
};

/// The device has no memory for so many rows at a time.
class DeviceFull : public MemoryError {
 public:
  using MemoryError::MemoryError;
};

/// A branch of a pipeline on its way through a GPU, batch by batch.
class BranchRun {
 public:
  BranchRun(const Branch& branch, const DeviceSink& sink, const std::vector<Table>& results,
            const Options& options, Accelerator& gpu, DeviceTimes& times);

  /// Calls `batch` for all rows, some at a time, in their order, until it gives false. Fewer at a time where
  /// the device has too little memory for more, then from the same row on; DeviceFull where it is too little
  /// for any.
  void for_each_batch(const std::function<bool()>& batch);
  /// Raises what a row raised, if one did, in the words of the reference evaluator.
  void raise_faults();

  // Of the present batch:
  uint64_t rows() const { return rows_; }
  /// Runs the stages, all of them or all but the last one. What they leave is in active().
  void narrow(bool last_too);
  /// The bitmap of the rows that are left; 0: all.
  device::cuda::Address active() const { return active_; }
  /// A job for the batch, with all but kOut, kList and the outputs filled in.
  kernel::Job job() const;
  device::Kernel kernel(const std::string& name) const { return module_->kernel(name); }
  /// Launches it for `rows` rows, as many blocks as fit at once, at most `most_blocks`.
  void launch(const std::string& name, const kernel::Job& job, uint64_t rows,
              unsigned threads = kernel::kThreads, size_t shared = 0);
  /// What was launched so far counts as the batch's kernels; the time until here is booked.
  void kernels_end() { end_->record(gpu_.stream); }
  /// Memory for the batch. Throws DeviceFull.
  device::DeviceBuffer allocate(size_t bytes, std::string_view what);
  const KernelWriter& writer() const { return *writer_; }

  const DeviceInput& input() const { return input_; }
  const Program& program() const { return program_; }

 private:
  void open(int64_t first, int64_t rows);
  void run_matches(const Stage& stage);
  device::cuda::Address hits_of(const Match& match) const;
  size_t place_of(size_t column) const;

  const Branch& branch_;
  const DeviceSink& sink_;
  const Options& options_;
  Accelerator& gpu_;
  DeviceTimes& times_;
  const Program program_;
  const std::vector<size_t> columns_;
  DeviceInput input_;
  device::DeviceBuffer fault_;
  std::vector<std::optional<Matching>> matchings_;           // as writer_->matches()
  std::unordered_map<std::string, device::Module> modules_;  // by their source

  uint64_t first_ = 0, rows_ = 0;
  std::vector<DeviceStore::ColumnPtr> held_;
  std::optional<KernelWriter> writer_;
  const device::Module* module_ = nullptr;
  std::optional<device::Event> end_;  // of its kernels
  std::vector<device::DeviceBuffer> hits_;
  device::DeviceBuffer bitmap_;
  device::cuda::Address active_ = 0;
};

/// Blocks of row kernels at most, for one slot of states each.
uint64_t most_blocks(const Accelerator& gpu);

}  // namespace lanewise::exec
