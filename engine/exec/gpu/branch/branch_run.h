#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/gpu/branch/device_sink.h"
#include "exec/gpu/branch/fault_of_pair.h"
#include "exec/gpu/branch/section_sources.h"
#include "exec/gpu/codegen/rows-inl.h"
#include "exec/gpu/device/accelerator.h"
#include "exec/gpu/device/device_full.h"
#include "exec/gpu/device/kernel_clock.h"
#include "exec/gpu/input/batch_feed.h"
#include "exec/gpu/input/device_input.h"
#include "exec/gpu/join/join_table.h"
#include "exec/gpu/match/match.h"
#include "gpu/modules/kernels.h"

namespace lanewise::exec {

/// A branch of a pipeline on its way through a GPU, batch by batch.
class BranchRun {
 public:
  BranchRun(const Branch& branch, const DeviceSink& sink, const Results& results, const Options& options,
            Accelerator& gpu, DeviceTimes& times);

  /// Calls `batch` for all rows, some at a time, in their order, until it returns false. Where the device has
  /// too little memory, again from the same row on, for fewer rows if there is nothing that `make_room` gives
  /// back; DeviceFull where it is too little for any.
  void for_each_batch(const std::function<bool()>& batch, const std::function<bool()>& make_room);
  /// Raises the error of a row, if there is one, in the words of the reference evaluator. `with` comes to the
  /// host in the same transfer.
  void raise_faults(Downloads with = {});
  /// The transfer that says whether there is one, for a caller that makes it together with others, after all
  /// launches.
  gpu::Download bring_fault();

  // For the current batch:
  /// The input's; once narrow() was called, those that come to the last section, or those whose pairs come to
  /// it, among which active() are.
  uint64_t rows() const { return rows_; }
  /// Whether the batch is all of the input.
  bool is_all() const { return input_rows_ == static_cast<uint64_t>(input_.rows()); }
  /// Runs the stages, all of them or those before first_of_last(). What they leave is in active(); before the
  /// last kernel rows() may change, and their order.
  void narrow(bool last_too);
  /// Runs the last stage's filter, if it has one, where narrow(false) was called before.
  void filter_by_last();
  /// The outputs, where they are columns of the input and all rows are left; else nothing.
  std::vector<DeviceStore::ColumnPtr> outputs_as_they_are() const;
  /// Begins to build the kernels of these sources; each is waited for when it is first used.
  void add_kernels(const std::vector<KernelText>& texts);
  /// Whether there is one of that name; else there are slower ones, while it is compiled.
  bool has_kernel(const std::string& name) const { return kernels_.contains(name); }
  /// The bitmap of the rows that are left; 0: all.
  gpu::cuda::Address active() const { return active_; }
  /// A job for the batch, with all but kOut, kList and the outputs filled in.
  kernel::Job job() const;
  gpu::Kernel kernel(const std::string& name);
  /// Runs the kernel `aggregate`, and what belongs to it, as try_rows() does.
  bool try_aggregate(const kernel::Job& job);
  /// How a kernel over rows is launched.
  struct RowLaunch {
    unsigned threads = kernel::kThreads;
    size_t shared = 0;
    uint64_t bytes = 0;  ///< for the profile
  };
  /// Launches it for `rows` rows, as many blocks as fit at once, at most `most_blocks`.
  void launch_rows(const std::string& name, const kernel::Job& job, uint64_t rows) {
    launch_rows(name, job, rows, RowLaunch());
  }
  void launch_rows(const std::string& name, const kernel::Job& job, uint64_t rows, const RowLaunch& how) {
    while (!try_rows(name, job, rows, how)) continue;
  }
  /// The same once. False: strings that the kernel makes found no room; what it wrote is to be cleared, and
  /// it is to run again, with more. DeviceFull comes before it runs.
  bool try_rows(const std::string& name, kernel::Job job, uint64_t rows, const RowLaunch& how);
  /// Launches a kernel that has a name in the profile, and arguments of its own.
  template <class... Arguments>
  void launch_resident(const gpu::Kernel& kernel, const std::string& name, uint64_t rows,
                       const RowLaunch& how, Arguments... arguments) {
    const uint64_t blocks = blocks_for(kernel, rows, how);
    clock_.time(name, how.bytes, [&] {
      kernel.launch(gpu_.stream, {.blocks = blocks, .threads = how.threads, .shared = how.shared},
                    arguments...);
    });
  }
  /// The strings that this kernel made are no longer read.
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
  /// Bytes of the columns that the last kernel reads, the outputs' columns with it.
  uint64_t bytes_of_last_kernel() const {
    return bytes_read({first_of_last(), program_.stages.size()}, true);
  }
  /// Memory for the batch. Throws DeviceFull.
  gpu::DeviceBuffer allocate(size_t bytes, std::string_view what);
  /// That of the last section, whose rows come to the sink.
  const SectionSources& sources() const { return sources_.back(); }

  const DeviceInput& input() const { return input_; }
  const Program& program() const { return program_; }

 private:
  void raise_as_reference(const std::vector<Value>& row) const;
  void open(RowRange now, RowRange ahead);
  uint64_t blocks_for(const gpu::Kernel& kernel, uint64_t rows, const RowLaunch& how) const;
  void filter(size_t stage);
  kernel::Job job(const std::vector<size_t>& order) const;
  void run_matches(size_t stage);
  void book_kernels();
  gpu::cuda::Address lane_steps_of(const std::string& kernel) const;
  uint64_t bytes_read(StageRange stages, bool outputs_too) const;
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
  Strategy strategy_of_pairs() const;
  const KernelBuilder& builder() const { return sources_[section_].builder(); }
  size_t first_of_last() const { return sources().builder().first_of_last(); }
  /// Those of the current batch, by place.
  const std::vector<const DeviceColumn*>& held() const { return held_; }

  const Branch& branch_;
  const DeviceSink& sink_;
  const Options& options_;
  Accelerator& gpu_;
  DeviceTimes& times_;
  const Program program_;
  const std::vector<Section> sections_;
  const std::vector<size_t> columns_;
  const std::vector<std::shared_ptr<const JoinTable>> tables_;  // by probe
  DeviceInput input_;
  BatchFeed feed_;
  gpu::DeviceBuffer fault_;
  uint64_t first_fault_ = UINT64_MAX;                            // the row; none
  bool fault_came_ = true;                                       // to the host, since the last launch
  std::vector<std::vector<std::optional<Matching>>> matchings_;  // by section: as its builder's matches()

  uint64_t first_ = 0, input_rows_ = 0, rows_ = 0;
  size_t section_ = 0;
  std::vector<const DeviceColumn*> held_;
  std::vector<DeviceColumn>
      split_;  // the input's that the last kernel reads, in the order of a lookup's parts
  std::vector<SectionSources> sources_;  // by section
  struct Place {
    std::string source, entry;
    std::shared_ptr<const gpu::BuiltModule> built;  // null: not used yet
  };
  std::unordered_map<std::string, Place> kernels_;  // by name: where each is
  std::set<std::string> awaited_;                   // sources that were not there when the batch began
  std::string missing_;                             // a source to be compiled after this batch
  KernelClock clock_;
  std::vector<gpu::DeviceBuffer> hits_;
  std::vector<gpu::DeviceBuffer> found_;  // by probe: rows of its build side; after them: the input's
  std::vector<std::string> counted_;      // kernels of the section that count their lanes' steps
  gpu::DeviceBuffer lane_steps_;          // kernel::LaneSteps of each
  gpu::DeviceBuffer bitmap_;
  gpu::DeviceBuffer queue_;   // a kernel::PairQueue, where the last section uses pairs
  uint64_t queue_room_ = 0;   // for pieces
  uint32_t least_pairs_ = 0;  // of a row there
  gpu::cuda::Address active_ = 0;
  struct TextHeap {
    gpu::DeviceBuffer memory;
    uint64_t wanted = 0;  // bytes, since there were too few
  };
  std::set<std::string> making_texts_;               // kernels
  std::unordered_map<std::string, TextHeap> heaps_;  // of the strings that each of them made
};

}  // namespace lanewise::exec
