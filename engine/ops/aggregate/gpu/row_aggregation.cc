#include "ops/aggregate/gpu/row_aggregation.h"

#include <algorithm>
#include <string>

#include "expr/functions/build.h"
#include "ops/run/options.h"

namespace lanewise::ops {

RowAggregation::RowAggregation(const plan::Aggregate& aggregate) : calls_(aggregate.aggregates) {
  for (const ExprPtr& key : aggregate.keys) keys_.push_back(add(key));
  for (plan::AggregateCall& call : calls_) {
    const ExprPtr filter = call.filter;
    const auto taken = [&](const ExprPtr& expr) {  // of rows that the filter leaves out nothing may raise
      if (expr->kind == Expr::Kind::kLiteral) return expr;
      return add(filter == nullptr ? expr : case_when({filter, expr, literal(Value(expr->type))}));
    };
    for (ExprPtr& arg : call.args) arg = taken(arg);
    for (plan::SortKey& key : call.order) key.expr = taken(key.expr);
    if (filter != nullptr) call.filter = add(filter);
  }
}

/// The column that it becomes.
ExprPtr RowAggregation::add(const ExprPtr& expr) {
  const auto found =
      std::ranges::find_if(columns_, [&](const ExprPtr& column) { return equal(column, expr); });
  const auto place = static_cast<size_t>(found - columns_.begin());
  if (found == columns_.end()) {
    columns_.push_back(expr);
    schema_.push_back({"column " + std::to_string(place), expr->type});
  }
  return column(place, expr->type);
}

Table RowAggregation::finish(Table rows, const Schema& output, const Options& options) const {
  std::vector<std::string> names;
  for (const Field& field : output) names.push_back(field.name);
  const plan::NodePtr input = plan::values(std::make_shared<const Table>(std::move(rows)));
  Table table = run_on_cores(plan::aggregate(input, keys_, calls_, names), options);
  table.schema = output;
  return table;
}

}  // namespace lanewise::ops
