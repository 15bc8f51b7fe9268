#include "exec/results/results.h"

#include "exec/gpu/join/join_table.h"

namespace lanewise::exec {

int64_t PipelineResult::rows() const {
  if (kept != nullptr) return kept->rows();
  if (left) return left->batch.rows;
  if (on_device != nullptr) return static_cast<int64_t>(on_device->rows());
  if (parts != nullptr) return parts->rows();
  return build != nullptr ? build->rows : table.rows();
}

}  // namespace lanewise::exec
