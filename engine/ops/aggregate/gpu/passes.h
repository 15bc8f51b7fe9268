#pragma once

#include <vector>

#include "ops/run/options.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// An aggregation of DISTINCT values of several expressions, or with medians and quantiles, as several
/// aggregations over the same rows: one for each median and quantile, one for the DISTINCT values of each
/// expression. All else is in the first one of the latter, or has one of its own.
class Passes {
 public:
  explicit Passes(const plan::Pipeline& pipeline);

  /// The pipeline with sinks of their own; empty where it is not one of these, and runs as it is.
  const std::vector<plan::Pipeline>& pipelines() const { return pipelines_; }
  /// What the pipeline gives, of what they gave.
  Table together(std::vector<Table> tables, const Options& options) const;

 private:
  std::vector<size_t> pass_of_;  // by call
  std::vector<plan::NodePtr> sinks_;
  std::vector<plan::Pipeline> pipelines_;
  Schema output_;
};

}  // namespace lanewise::ops
