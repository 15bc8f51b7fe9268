#pragma once

#include <optional>
#include <vector>

#include "exec/gpu/aggregate/aggregates.h"
#include "exec/gpu/aggregate/row_aggregation.h"
#include "exec/gpu/codegen/sink_form.h"
#include "exec/gpu/groups/group_plan.h"
#include "exec/pipeline/pipeline.h"

namespace lanewise::exec {

/// What a pipeline's sink requires of kernels.
struct DeviceSink {
  bool aggregates_rows = false;             ///< all of them; else they are grouped, or collected
  std::vector<DeviceAggregate> aggregates;  ///< without groups
  std::optional<GroupPlan> groups;          ///< GROUP BY, DISTINCT
  std::optional<RowAggregation> rows;       ///< aggregates that take rows on the host
  const plan::Sort* sort = nullptr;         ///< ORDER BY, with its limit
  const plan::Join* build = nullptr;        ///< the rows are its build side
  int64_t offset = 0;                       ///< collected rows that are left out at the beginning
  int64_t limit = -1;                       ///< negative: all

  /// Over the rows that come to the sink; null: those rows themselves. Aggregates: an argument and a filter
  /// for each of them (null: none); groups: each key and null, then the argument and the filter of each
  /// input; a sort: the rows' columns, then its keys; a build side: the columns that are kept, then its keys;
  /// aggregates on the host: what they take.
  const std::vector<ExprPtr>* expressions() const {
    return has_pairs() || rows || sort || build ? &expressions_ : nullptr;
  }
  SinkForm form() const;
  /// Whether expressions 2 i and 2 i + 1 are a value and the condition under which it is needed.
  bool has_pairs() const { return aggregates_rows || groups.has_value(); }

  /// `input` is the schema of the rows that come to the sink. Throws expr::NotOnDevice.
  DeviceSink(const plan::Node* sink, const Schema& input);

 private:
  std::vector<ExprPtr> expressions_;
};

}  // namespace lanewise::exec
