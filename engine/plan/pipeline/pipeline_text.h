#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plan/pipeline/pipeline.h"

namespace lanewise::plan {

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
  std::string part = {};      ///< "each round of recursion #1"; empty: of the plan itself
};

/// `before` pipelines have numbers already. `name_of` gives another name than Values to some; may be empty.
std::vector<PipelineText> texts_of(const std::vector<Pipeline>& pipelines, size_t before = 0,
                                   const std::function<std::string(const Values&)>& name_of = {});

/// "pipeline 2: Scan orders → inner Join with 1 → Aggregate; after 1". Its part is in parentheses.
std::string to_string(const PipelineText& pipeline);

}  // namespace lanewise::plan
