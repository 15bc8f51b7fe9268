#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exec/gpu/plain_kernels.h"
#include "ops/gpu/branch/device_sink.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/results/results.h"
#include "ops/run/options.h"
#include "ops/run/profile.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// What a pipeline requires that devices do not do, as text; empty: they run it. `results` are those of the
/// pipelines before, as far as they are there.
std::string not_on_device(const plan::Pipeline& pipeline, const ops::Results& results);

/// A pipeline's result, and lines about how it was made.
struct DeviceResult {
  Table table;
  std::shared_ptr<const ops::JoinTable> build =
      nullptr;  ///< instead of the table, where the sink is a join's
  // Instead of the table's batches, where the rows stayed on the device:
  std::optional<ops::LeftRows> left = {};
  std::shared_ptr<const arrow::DeviceRecords> kept = nullptr;
  std::vector<std::string> notes = {};
  ops::KeyNotes keys = {};
  double kernel_seconds = 0;
  int modules = 0;  ///< that no query before it had loaded
};

/// What distinguishes the pipeline's kernels from others, whatever the values that it reads: of those that
/// kernel_sources() gives. Throws expr::NotOnDevice.
std::string kernels_name(const plan::Pipeline& pipeline, const ops::Results& results,
                         const codegen::Strategy& strategy);

/// Runs the pipeline on the GPU and books what it did. Rows with another goal than the host stay on the
/// device if they are many and their last form is made there. If they find no room, or Arrow has none for a
/// value, they come to the host. Throws expr::NotOnDevice, and what run() throws.
DeviceResult run_on_device(const plan::Pipeline& pipeline, ops::Results& results, const ops::Options& options,
                           ops::Accelerator& gpu, std::vector<ops::Counters>& counters,
                           ops::Goal goal = ops::Goal::kHost);

/// The sources of the pipeline's kernels, for columns of one form without dictionaries; with `rare` those too
/// that only many rows in many groups need, or a query whose own are still compiled. Throws
/// expr::NotOnDevice.
std::vector<std::string> kernel_sources(const plan::Pipeline& pipeline, const ops::Results& results,
                                        const codegen::Strategy& strategy = {},
                                        const EveryColumn& form = {.nullable = true}, bool rare = false);

}  // namespace lanewise::exec
