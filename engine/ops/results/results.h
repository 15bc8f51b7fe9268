#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "data/arrow/arrow_device_rows.h"
#include "data/column.h"
#include "ops/join/parts.h"
#include "ops/operator.h"

namespace lanewise::ops {

struct Accelerator;
class JoinTable;

/// A copy in the host's memory. Throws MemoryError.
std::vector<Batch> to_host(const std::vector<arrow::DeviceBatch>& batches, Accelerator& gpu,
                           MemoryBudget* budget);

/// Rows that a pipeline left in a device's memory for later ones, batch by batch.
struct LeftRows {
  Accelerator* gpu;
  std::vector<arrow::DeviceBatch> batches;

  int64_t rows() const;
};

/// The result of a pipeline: rows, or the build side of a join. A build side is in host
/// memory (in parts, if it is too large), in device memory, or in both.
struct PipelineResult {
  Table table;
  std::shared_ptr<const Build> build = nullptr;
  std::shared_ptr<BuildParts> parts = nullptr;
  std::shared_ptr<const JoinTable> on_device = nullptr;
  std::optional<LeftRows> left = {};                           ///< instead of the table
  std::shared_ptr<const arrow::DeviceRecords> kept = nullptr;  ///< instead of the table: the query's result

  int64_t rows() const;
  /// The build side, or that part of it, which is opened; null if only a device has it.
  std::shared_ptr<const Build> open_build(size_t part) const;
  /// Brings the rows that were left on a device to the host; false: there are none. Throws MemoryError.
  bool bring(MemoryBudget* budget);
};
/// One result for each pipeline; empty until the pipeline has run.
using Results = std::vector<PipelineResult>;

/// The build side that the step reads, if it is whole; else null.
std::shared_ptr<const Build> whole_build(const plan::StepSpec& step, const Results& results);

/// What the step reads of them. Opens the part of a build side, if it reads one.
StepInput read_by(const plan::StepSpec& step, const Results& results);

}  // namespace lanewise::ops
