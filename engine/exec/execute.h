#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "exec/gpu/strategy.h"
#include "exec/inputs/column_store.h"
#include "exec/placement/costs.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"
#include "plan/node.h"

namespace lanewise::exec {

struct Accelerator;

/// The available GPU, as far as it is known without opening it.
struct DeviceView {
  DeviceCosts costs;
  int ordinal = 0;
  std::string architecture = {};  ///< "sm_90"; empty: not known yet
  Accelerator* opened = nullptr;  ///< null: not yet
  std::string missing = {};       ///< why there is none; empty: there may be one
};

/// How a plan runs. The references outlive the run.
struct Options {
  lanes::Target target = lanes::Target::scalar;
  lanes::Tuning tuning = {};
  int threads = 1;
  uint32_t vector_rows = 0;  ///< rows that an operator handles at a time; 0: the default
  MemoryBudget* budget = nullptr;
  const Cancellation* cancellation = nullptr;
  bool profile_lanes = false;    ///< OperatorProfile::matchers and occupancy are wanted
  ColumnStore* store = nullptr;  ///< where columns of sources stay hot; may be null
  bool keep_columns = true;      ///< columns that are read go to the store
  size_t join_parts = 0;         ///< in how many parts joins are made, 0: as memory demands; for tests
  std::function<void(const std::string& what, double share)>
      progress;  ///< share 0..1 or negative; from any thread
  /// Opens the GPU when it is first needed; not set: everything runs on the CPU. May return null if there is
  /// none, or throw.
  std::function<Accelerator*()> accelerator;
  /// If set, a pipeline that the GPU does not support, or has no memory for, is an error. Otherwise the GPU
  /// runs the supported pipelines that are estimated to be faster there, by device_view's costs and
  /// host_rates. The CPU runs the others, and those for which the GPU has too little memory.
  bool device_only = false;
  std::function<DeviceView()> device_view;
  Rates host_rates = {};
  Strategy device_strategy = {};
};

/// What one operator did.
struct OperatorProfile {
  std::string name;                   ///< "Filter", "Scan contents.parquet"
  std::string details;                ///< predicates, keys, columns
  std::vector<std::string> matchers;  ///< as plan::matchers(); with Options::profile_lanes
  std::vector<std::string> device;    ///< what a GPU did: in all, then by kernels
  double kernel_seconds = 0;          ///< of these kernels
  std::string target;                 ///< the lanes that ran: "avx512", "avx512, interleaved"
  int depth = 0;                      ///< in the plan's tree
  uint64_t rows_in = 0;
  uint64_t rows_out = 0;
  uint64_t bytes = 0;     ///< of the columns read
  uint64_t nanos = 0;     ///< summed over threads
  double occupancy = -1;  ///< share of lane steps with a live row; negative: no lanes, or not counted
};

struct Result {
  Table table;
  std::vector<OperatorProfile> profile;  ///< in the order of the plan's lines
  bool from_hot_columns = false;
};

/// A line for each pipeline of a plan: whether a GPU supports it; with Options::device_view, also where it
/// would run and both estimates. With `kernels`, the sources of the supported ones.
std::string explain_device(const plan::NodePtr& root, bool kernels, const Options& options);

/// Runs the plan. Throws UserError (including MemoryError) or CancelledError, and then leaves nothing.
Result execute(const plan::NodePtr& root, const Options& options);

}  // namespace lanewise::exec
