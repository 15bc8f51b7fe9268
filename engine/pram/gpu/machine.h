#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pram/executor/meta_machine.h"
#include "pram/gpu/backends/backend.h"
#include "pram/gpu/batch.h"
#include "pram/gpu/sets.h"
#include "pram/gpu/writes.h"

namespace lanewise::pram {

/// Runs a meta-program on a device; the host runs what needs no processors.
class DeviceMachine : public MetaMachine {
 public:
  /// `code`: `emitted`, compiled by the backend. Takes the inputs and uploads them.
  DeviceMachine(const Program& program, const MetaProgram& meta, const EmittedProgram& emitted,
                const Code& code, const DeviceTools& tools, const Arrays& inputs, const Options& options);

  /// Runs to the end; throws like MetaMachine::run(). The results stay on the device.
  void go();
  /// The same; then the results are in memory().
  void run_and_download();

 private:
  void host(const Statement& statement) override;
  bool holds(const Expr& condition) override;
  void begin_block(const Meta& meta) override;
  void end_block() override { block_.reset(); }
  void begin_batch(const Meta& meta) override;
  void end_batch() override;
  void kernel(const Meta& meta) override;
  uint32_t active(uint32_t set) const override { return sets_[set].count; }
  void test(const Meta& meta, uint32_t set) override;
  void take(uint32_t from, bool wanted, uint32_t to) override;
  void copy_set(uint32_t from, uint32_t to) override { sets_[to] = sets_[from]; }
  Columns look() override;
  bool has_column(uint32_t index) const override { return !emitted_.in_register[index]; }

  /// The kernel of a node, statement or condition, after its `first` arguments.
  void launch(const void* of, uint64_t positions, std::vector<uint64_t> first);
  /// Defers a kernel, after its `first` arguments.
  void put_off(const void* of, uint64_t processors, std::vector<uint64_t> first);
  /// The value of a linear index (window_step.h); nothing if its evaluation fails.
  std::optional<Word> linear(const Expr& expr, Word processor);
  /// Finds a step's cells for all processors, if its indexes determine them.
  void find_cells(const WindowStep& window, BatchStep& step);
  void add_row(const BatchPart& part, const BatchStep& step, std::vector<uint64_t>& table) const;
  /// Launches deferred work; `last`: the batch ends here.
  void launch_batch(bool last = false);
  void launch_windows(const BatchPart& part, const Buffer& rows, std::span<const BatchStep> steps,
                      size_t done, bool last);
  uint64_t value_of(const KernelArgument& argument) const;
  /// Reads `status`; throws Failed if a kernel failed.
  const std::vector<Word>& read_status();
  /// The arguments positions, form, set, status.
  std::vector<uint64_t> of_set(const DeviceSet& set) const;
  Buffer allocate(size_t bytes);
  /// Makes room for `words` words in `buffer`.
  void reserve(Buffer& buffer, size_t words);
  /// Waits if kernels are timed one by one.
  void finish_if_timed();

  const EmittedProgram& emitted_;
  const Code& code_;
  const DeviceTools& tools_;
  Reservation reservation_;
  std::vector<Buffer> variables_, readers_, private_columns_;
  std::optional<uint32_t> block_;
  std::vector<DeviceSet> sets_;
  DeviceWriter writer_;
  std::vector<DeviceColumn> buffered_;  // of the last kernel with buffered writes
  Buffer status_, kept_;
  const Meta* batch_ = nullptr;  // not null: kernels are deferred
  std::vector<BatchStep> steps_put_off_;
  uint64_t widest_ = 0;    // maximum processors of one of them
  Buffer arrived_;         // counter of the groups that have waited for each other, over all steps
  uint64_t arrivals_ = 0;  // its value when all work is done
  std::vector<Word> status_read_;
  uint64_t kept_before_ = 0;  // number kept by all tests before the last one
  uint32_t kept_count_ = 0;   // number kept by the last test
};

}  // namespace lanewise::pram
