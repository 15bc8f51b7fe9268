#pragma once

#include <vector>

#include "ops/run/options.h"
#include "plan/node.h"

namespace lanewise::ops {

/// Aggregates that need all their rows together (string_agg, mode): the device filters and computes, rows
/// come to the host in their order with what the aggregates take, and the CPU's aggregation does the rest.
class RowAggregation {
 public:
  /// An aggregation of calls that all need rows.
  explicit RowAggregation(const plan::Aggregate& aggregate);

  /// The columns of each row: keys first.
  const std::vector<ExprPtr>& columns() const { return columns_; }
  const Schema& schema() const { return schema_; }
  /// What the operator gives for rows of schema().
  Table finish(Table rows, const Schema& output, const Options& options) const;

 private:
  ExprPtr add(const ExprPtr& expr);

  std::vector<ExprPtr> columns_;
  Schema schema_;
  std::vector<ExprPtr> keys_;               // of those columns
  std::vector<plan::AggregateCall> calls_;  // over those columns
};

}  // namespace lanewise::ops
