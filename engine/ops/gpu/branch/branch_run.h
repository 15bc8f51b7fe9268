#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/rows-inl.h"
#include "gpu/modules/kernels.h"
#include "ops/filter/gpu/match.h"
#include "ops/gpu/branch/device_sink.h"
#include "ops/gpu/branch/fault_of_pair.h"
#include "ops/gpu/branch/section_sources.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/gpu/device/device_full.h"
#include "ops/gpu/device/kernel_clock.h"
#include "ops/join/gpu/join_table.h"
#include "ops/scan/gpu/batch_feed.h"
#include "ops/scan/gpu/device_input.h"

namespace lanewise::ops {

/// Runs a branch of a pipeline on a GPU, batch by batch.
class BranchRun {
 public:
  /// `program` is that of the branch and the sink.
  BranchRun(const plan::Branch& branch, codegen::Program program, const DeviceSink& sink,
            const Results& results, const Options& options, Accelerator& gpu, DeviceTimes& times);

  /// Calls `batch` for batches of rows, in order, until it returns false. If device memory runs out, repeats
  /// the batch, with fewer rows if `make_room` freed nothing; DeviceFull if even the smallest does not fit.
  void for_each_batch(const std::function<bool()>& batch, const std::function<bool()>& make_room);
  /// If a row failed, throws the error that the reference evaluator reports for it. `with` is downloaded in
  /// the same transfer.
  void raise_faults(Downloads with = {});
  /// The download of the first failed row, for callers that combine it with others; after all launches.
  gpu::Download bring_fault();

  // For the current batch:
  /// The number of the batch's rows; after narrow(), of the rows, or pairs of rows, of the last section.
  /// Those in active() have passed the filters.
  uint64_t rows() const { return rows_; }
  /// Whether the batch is all of the input.
  bool is_all() const { return input_rows_ == static_cast<uint64_t>(input_.rows()); }
  /// Runs all stages, or those before first_of_last(). active() becomes the rows that pass; rows() and their
  /// order may change.
  void narrow(bool last_too);
  /// Runs the last stage's filter, if it has one, after narrow(false).
  void filter_by_last();
  /// The outputs if they are columns of the input and all rows passed; otherwise empty.
  std::vector<DeviceStore::ColumnPtr> outputs_as_they_are() const;
  /// Begins to build the kernels of these sources; the first use of each waits for it.
  void add_kernels(const std::vector<codegen::KernelText>& texts);
  /// Whether the fast kernel is ready; if not, slower ones replace it while it is compiled.
  bool has_kernel(const std::string& name) const { return kernels_.contains(name); }
  /// The bitmap of the rows that passed; 0: all rows.
  gpu::cuda::Address active() const { return active_; }
  /// A job for the batch, without kOut, kList and the outputs.
  kernel::Job job() const;
  gpu::Kernel kernel(const std::string& name);
  /// Runs the kernel `aggregate`, and the kernels that it needs, as try_rows() does.
  bool try_aggregate(const kernel::Job& job);
  /// Launch parameters of a kernel over rows.
  struct RowLaunch {
    unsigned threads = kernel::kThreads;
    size_t shared = 0;
    uint64_t bytes = 0;  ///< that it reads, for the profile
  };
  /// Launches the kernel for `rows` rows, with as many blocks as the device runs at once.
  void launch_rows(const std::string& name, const kernel::Job& job, uint64_t rows) {
    launch_rows(name, job, rows, RowLaunch());
  }
  void launch_rows(const std::string& name, const kernel::Job& job, uint64_t rows, const RowLaunch& how) {
    while (!try_rows(name, job, rows, how)) continue;
  }
  /// Launches it once. Returns false if the kernel had too little memory for its strings: the caller must
  /// clear its output and try again, with more memory. DeviceFull is thrown before the launch.
  bool try_rows(const std::string& name, kernel::Job job, uint64_t rows, const RowLaunch& how);
  /// Launches a kernel with its own arguments; `name` is its name in the profile.
  template <class... Arguments>
  void launch_resident(const gpu::Kernel& kernel, const std::string& name, uint64_t rows,
                       const RowLaunch& how, Arguments... arguments) {
    const uint64_t blocks = blocks_for(kernel, rows, how);
    clock_.time(name, how.bytes, [&] {
      kernel.launch(gpu_.stream, {.blocks = blocks, .threads = how.threads, .shared = how.shared},
                    arguments...);
    });
  }
  /// Frees the strings that this kernel made.
  void forget_texts(const std::string& name) { heaps_.erase(name); }
  bool makes_texts(const std::string& name) const { return making_texts_.contains(name); }
  /// Launches one of list_kernels(), with its own arguments.
  template <class... Arguments>
  void launch(const std::string& name, uint64_t blocks, Arguments... arguments) {
    const gpu::Kernel found = gpu_.list_kernel(name);
    clock_.time(name, 0, [&] {
      found.launch(gpu_.stream, {.blocks = blocks, .threads = kernel::kThreads}, arguments...);
    });
  }
  KernelClock& clock() { return clock_; }
  /// Bytes of the columns that the last kernel reads, including those of the outputs.
  uint64_t bytes_of_last_kernel() const {
    return bytes_read({first_of_last(), program_.stages.size()}, true);
  }
  /// Memory for the batch. Throws DeviceFull.
  gpu::DeviceBuffer allocate(size_t bytes, std::string_view what);
  /// Sources of the last section, whose rows go to the sink.
  const SectionSources& sources() const { return sources_.back(); }

  const DeviceInput& input() const { return input_; }
  const codegen::Program& program() const { return program_; }

 private:
  void raise_as_reference(const std::vector<Value>& row) const;
  void open(RowRange now, RowRange ahead);
  uint64_t blocks_for(const gpu::Kernel& kernel, uint64_t rows, const RowLaunch& how) const;
  void filter(size_t stage);
  kernel::Job job(const std::vector<size_t>& order) const;
  void run_matches(size_t stage);
  void book_kernels();
  gpu::cuda::Address lane_steps_of(const std::string& kernel) const;
  uint64_t bytes_read(codegen::StageRange stages, bool outputs_too) const;
  size_t place_of(size_t column) const;
  void hold_columns();
  void begin_kernels();
  void begin_section(size_t section);
  void clear_section();
  void expand();
  void begin_pairs();
  const JoinTable* splitting() const;
  bool has_room_for(const std::vector<const DeviceColumn*>& columns) const;
  void order_by_parts();
  codegen::Strategy strategy_of_pairs() const;
  const codegen::KernelBuilder& builder() const { return sources_[section_].builder(); }
  size_t first_of_last() const { return sources().builder().first_of_last(); }
  /// The current batch's columns, by place.
  const std::vector<const DeviceColumn*>& held() const { return held_; }

  const plan::Branch& branch_;
  const DeviceSink& sink_;
  const Options& options_;
  Accelerator& gpu_;
  DeviceTimes& times_;
  const codegen::Program program_;
  const std::vector<codegen::Section> sections_;
  const std::vector<size_t> columns_;
  const std::vector<std::shared_ptr<const JoinTable>> tables_;  // by probe
  DeviceInput input_;
  BatchFeed feed_;
  gpu::DeviceBuffer fault_;
  uint64_t first_fault_ = UINT64_MAX;  // a row, or none
  bool fault_came_ = true;             // it was downloaded after the last launch
  std::vector<std::vector<std::optional<Matching>>>
      matchings_;  // by section, then as its builder's matches()

  uint64_t first_ = 0, input_rows_ = 0, rows_ = 0;
  size_t section_ = 0;
  std::vector<const DeviceColumn*> held_;
  std::vector<DeviceColumn>
      split_;  // columns of the input that the last kernel reads, in the order of a lookup's parts
  std::vector<SectionSources> sources_;  // by section
  struct Place {
    std::string source, entry;
    std::shared_ptr<const gpu::BuiltModule> built;  // null: not used yet
  };
  std::unordered_map<std::string, Place> kernels_;  // by name
  std::set<std::string> awaited_;                   // sources that were not built when the batch began
  std::string missing_;                             // a source to compile after this batch
  KernelClock clock_;
  std::vector<gpu::DeviceBuffer> hits_;
  std::vector<gpu::DeviceBuffer> found_;  // by probe: rows of its build side; last: rows of the input
  std::vector<std::string> counted_;      // kernels of the section that count their lanes' steps
  gpu::DeviceBuffer lane_steps_;          // kernel::LaneSteps of each of `counted_`
  gpu::DeviceBuffer bitmap_;
  gpu::DeviceBuffer queue_;   // a kernel::PairQueue, if the last section uses pairs
  uint64_t queue_room_ = 0;   // pieces that the queue holds
  uint32_t least_pairs_ = 0;  // pairs of a row without a match
  gpu::cuda::Address active_ = 0;
  struct TextHeap {
    gpu::DeviceBuffer memory;
    uint64_t wanted = 0;  // bytes for the next try, if they were too few
  };
  std::set<std::string> making_texts_;               // names of kernels
  std::unordered_map<std::string, TextHeap> heaps_;  // by kernel: the strings that it made
};

}  // namespace lanewise::ops
