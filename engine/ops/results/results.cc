#include "ops/results/results.h"

#include "data/gpu/device_column.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/join/gpu/join_table.h"

namespace lanewise::ops {

std::vector<Batch> to_host(const std::vector<arrow::DeviceBatch>& batches, Accelerator& gpu,
                           MemoryBudget* budget) {
  const gpu::Device::Current current(gpu.device);
  std::vector<Batch> all;
  for (const arrow::DeviceBatch& from : batches) {
    Batch& batch = all.emplace_back();
    batch.rows = from.rows;
    for (const auto& column : from.columns)
      batch.columns.push_back(lanewise::to_host(*column, gpu.staging, gpu.stream, budget));
  }
  return all;
}

int64_t LeftRows::rows() const {
  int64_t rows = 0;
  for (const arrow::DeviceBatch& batch : batches) rows += batch.rows;
  return rows;
}

int64_t PipelineResult::rows() const {
  if (kept != nullptr) return kept->rows();
  if (left) return left->rows();
  if (on_device != nullptr) return static_cast<int64_t>(on_device->rows());
  if (parts != nullptr) return parts->rows();
  return build != nullptr ? build->rows : table.rows();
}

std::shared_ptr<const Build> PipelineResult::open_build(size_t part) const {
  return part == plan::kNoPart ? build : parts->open(part);
}

bool PipelineResult::bring(MemoryBudget* budget) {
  if (!left) return false;
  table.batches = to_host(left->batches, *left->gpu, budget);
  left.reset();
  return true;
}

std::shared_ptr<const Build> whole_build(const plan::StepSpec& step, const Results& results) {
  const bool is_whole = step.reads_result() && step.part == plan::kNoPart;
  return is_whole ? results[step.result].build : nullptr;
}

StepInput read_by(const plan::StepSpec& step, const Results& results) {
  if (!step.reads_result() || step.result >= results.size()) return {};
  const PipelineResult& result = results[step.result];
  return {&result.table, result.open_build(step.part), result.on_device.get()};
}

}  // namespace lanewise::ops
