#pragma once

#include <memory>
#include <vector>

#include "data/column.h"
#include "ops/join/parts.h"

namespace lanewise::exec {

class JoinTable;

/// What a pipeline gave: rows, or, where it ends in a join, that join's build side, in the host's memory (in
/// parts, if it is larger), in a device's, or in both.
struct PipelineResult {
  Table table;
  std::shared_ptr<const ops::Build> build = nullptr;
  std::shared_ptr<ops::BuildParts> parts = nullptr;
  std::shared_ptr<const JoinTable> on_device = nullptr;

  int64_t rows() const;
};
/// By pipeline; of those that have not run, empty.
using Results = std::vector<PipelineResult>;

}  // namespace lanewise::exec
