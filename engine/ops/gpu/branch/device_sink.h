#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel_builder.h"
#include "data/arrow/arrow_device_rows.h"
#include "data/column.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/gpu/device/kernel_clock.h"
#include "ops/run/options.h"

/// What an operator implements that ends pipelines on GPUs.
namespace lanewise::ops {

class BranchRun;
class JoinTable;

using Downloads = std::vector<gpu::Download>;

/// Where a pipeline's rows go. Few rows for later pipelines come to the host all the same.
enum class Goal : uint8_t { kHost, kLaterPipelines, kResult };

/// The kernels of a branch's last section, whose rows the sink takes, for columns in the batch's form. A run
/// of the sink finds those that the same sink made.
class SinkKernels {
 public:
  virtual ~SinkKernels() = default;
  /// What narrows the rows, and what takes them. What takes long to compile stands alone.
  virtual std::vector<codegen::KernelText> texts() const = 0;
  /// The kernels for the next batch: those, or slower ones instead of one that is still to be compiled.
  struct ForNow {
    std::vector<codegen::KernelText> texts;
    std::string missing = {};  ///< the source that is to be compiled meanwhile; empty: none
  };
  virtual ForNow texts_for_now(Accelerator& /*gpu*/) const { return {texts()}; }
  /// Those that a run may need as well with that strategy; with `rare` those too that depend on the rows.
  virtual std::vector<codegen::KernelText> other_texts(const codegen::Strategy& /*strategy*/,
                                                       bool /*rare*/) const {
    return {};
  }
};

/// What a sink leaves.
struct SinkResult {
  Table table;
  std::vector<arrow::DeviceBatch> kept = {};         ///< instead of the table's batches
  std::shared_ptr<const JoinTable> build = nullptr;  ///< instead of the table
};

/// A sink that takes rows of its pipeline's branches, batch by batch.
class SinkRun {
 public:
  virtual ~SinkRun() = default;
  /// Whether more rows can change the result.
  virtual bool wants_more() const { return true; }
  /// Takes the current batch; `only` says that there is no other. Throws DeviceFull; then it has taken
  /// nothing of it. Throws UserError where a sum overflows.
  virtual void take(BranchRun& run, bool only) = 0;
  /// Gives memory of the device back that it keeps from earlier batches; false: there is none.
  virtual bool make_room() { return false; }
  /// What is to come to the host at the end of each branch.
  virtual Downloads bring() { return {}; }
  /// Rows so far; after the end of the last branch.
  virtual uint64_t came() const = 0;
  /// What the sink gives; once.
  virtual SinkResult finish(const Schema& output) = 0;
};

/// The sink of a pipeline, for GPUs.
class DeviceSink {
 public:
  /// What a run is given; all of it outlives the run.
  struct Setting {
    const Options& options;
    Accelerator& gpu;
    DeviceTimes& times;
    Goal goal;
  };

  virtual ~DeviceSink() = default;
  virtual codegen::SinkForm form() const = 0;
  /// The sink and the builder outlive them. Throws expr::NotOnDevice.
  virtual std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const = 0;
  /// The sink outlives the run. Throws MemoryError, DeviceError.
  virtual std::unique_ptr<SinkRun> start(const Setting& setting) const = 0;
};

}  // namespace lanewise::ops
