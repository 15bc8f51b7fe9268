#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exec/pipeline/pipeline.h"

namespace lanewise::exec {

/// A pipeline in words. Pipelines have numbers from 1.
struct PipelineText {
  struct Branch {
    std::string source;
    std::vector<std::string> steps;
  };
  size_t number;
  std::vector<Branch> branches;  ///< several: their rows are concatenated (UNION ALL)
  std::string sink;
  std::vector<size_t> after;  ///< the pipelines whose results it reads
};

std::vector<PipelineText> texts_of(const std::vector<Pipeline>& pipelines);

/// "pipeline 2: Scan orders → inner Join with 1 → Aggregate; after 1".
std::string to_string(const PipelineText& pipeline);

}  // namespace lanewise::exec
