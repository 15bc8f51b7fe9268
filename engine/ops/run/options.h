#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "codegen/strategy.h"
#include "expr/evaluation/evaluate.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"
#include "ops/join/lookup_choice.h"
#include "ops/run/place.h"
#include "ops/work/costs.h"
#include "plan/node.h"

namespace lanewise::ops {

struct Accelerator;
class ColumnStore;

/// A GPU, as far as known without opening it.
struct DeviceView {
  Place place = {.gpu = 0};
  DeviceCosts costs = {};
  std::string architecture = {};  ///< "sm_90"; empty: not yet known
  Accelerator* opened = nullptr;  ///< null: not yet opened
  std::string missing = {};       ///< why there is none; empty: there may be one
};

/// How a plan runs. The references outlive the run.
struct Options {
  lanes::Target target = lanes::Target::scalar;
  lanes::Tuning tuning = {};
  int threads = 1;
  uint32_t vector_rows = 0;  ///< rows that an operator processes at a time; 0: the default
  MemoryBudget* budget = nullptr;
  const Cancellation* cancellation = nullptr;
  bool profile_lanes = false;    ///< collect OperatorProfile::matchers and occupancy
  ColumnStore* store = nullptr;  ///< keeps columns of sources in memory; may be null
  bool keep_columns = true;      ///< add the columns that are read to the store
  /// Sources may leave out rows that predicates exclude, where columns are not kept: then errors name no row.
  bool source_may_skip = false;
  size_t join_parts = 0;  ///< number of parts of a join; 0: as memory requires; for tests
  LookupForm join_lookup = LookupForm::automatic;  ///< forced on cores; for tests
  bool semi_joins_first = false;                   ///< even where they cost more than they save; for tests
  std::function<void(const std::string& what, double share)>
      progress;  ///< fraction 0..1 or negative; called from any thread
  /// Opens the GPU of a place on first use; not set: everything runs on the CPU. May return null if there is
  /// none, or throw.
  std::function<Accelerator*(Place)> accelerator;
  /// Runs a plan on cores, for run_on_cores(). Set if `accelerator` is.
  std::function<Table(const plan::NodePtr& plan, const Options& options)> on_cores;
  /// If set, a pipeline that the GPU does not support, or has no memory for, is an error. Otherwise the GPU
  /// runs the supported pipelines that are estimated to be faster there, by the costs of device_views and
  /// host_rates. The CPU runs the others, and those that need more memory than the GPU has.
  bool device_only = false;
  /// The GPUs that the plan may use, of which there is at least one. Set if `accelerator` is.
  std::function<std::vector<DeviceView>()> device_views;
  Rates host_rates = {};
  codegen::Strategy device_strategy = {};
  /// Rows of the result stay in the GPU's memory if the GPU made them, unless they are few: then it takes
  /// less time to copy them with what comes to the host anyway. All types are those of DeviceRecords.
  bool keep_on_device = false;
};

/// What one operator did.
struct OperatorProfile {
  std::string name;                   ///< "Filter", "Scan contents.parquet"
  std::string details;                ///< predicates, keys, columns
  std::vector<std::string> matchers;  ///< as plan::matchers(); with Options::profile_lanes
  std::vector<std::string> keys;      ///< of a join: "300 rows, array by 599 numbers, ...", and why
  std::vector<std::string> device;    ///< times on a GPU: the total, then each kernel
  double kernel_seconds = 0;          ///< total of these kernels
  std::string target;                 ///< the lanes used: "avx512", "avx512, interleaved"
  int depth = 0;                      ///< in the plan tree
  uint64_t rows_in = 0;
  uint64_t rows_out = 0;
  uint64_t bytes = 0;     ///< size of the columns read
  uint64_t nanos = 0;     ///< summed over threads
  double occupancy = -1;  ///< fraction of lane steps with a live row; negative: no lanes, or not counted
};

/// For expressions whose results live in the arena.
EvalContext context_for(const Options& options, Arena& arena);

/// The rows of a plan that operators on GPUs leave to the cores.
Table run_on_cores(const plan::NodePtr& plan, const Options& options);

}  // namespace lanewise::ops
