#include <fmt/format.h>

#include <algorithm>

#include "sql/duckdb/errors.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

using duckdb::BoundWindowExpression;
using duckdb::ExpressionType;
using duckdb::WindowBoundary;

namespace {

/// Whether a call of a non-aggregate function sees its whole partition from each row.
bool sees_partition(const BoundWindowExpression& expr) {
  const bool to_peers =
      expr.end == WindowBoundary::CURRENT_ROW_RANGE || expr.end == WindowBoundary::CURRENT_ROW_GROUPS;
  return expr.type != ExpressionType::WINDOW_AGGREGATE && expr.start == WindowBoundary::UNBOUNDED_PRECEDING &&
         (expr.end == WindowBoundary::UNBOUNDED_FOLLOWING || (to_peers && expr.orders.empty())) &&
         expr.exclude_clause == duckdb::WindowExcludeMode::NO_OTHER;
}

bool same_order(const duckdb::BoundOrderByNode& a, const duckdb::BoundOrderByNode& b) {
  return a.type == b.type && a.null_order == b.null_order && a.expression->Equals(*b.expression);
}

/// Whether the window's order begins with that of the arguments.
bool shares_order(const BoundWindowExpression& expr) {
  return expr.arg_orders.size() <= expr.orders.size() &&
         std::equal(expr.arg_orders.begin(), expr.arg_orders.end(), expr.orders.begin(), same_order);
}

bool is_shift(const BoundWindowExpression& expr) {
  return expr.type == ExpressionType::WINDOW_LAG || expr.type == ExpressionType::WINDOW_LEAD;
}

/// Whether the ORDER BY among the arguments replaces the window's. Otherwise it orders the rows of frames.
bool has_own_order(const BoundWindowExpression& expr) {
  if (expr.arg_orders.empty()) return false;
  if (expr.type == ExpressionType::WINDOW_FILL) return true;
  return sees_partition(expr) && (!is_shift(expr) || !expr.ignore_nulls || shares_order(expr));
}

/// The window's own order decides between rows that are equal in that of the arguments.
duckdb::vector<duckdb::BoundOrderByNode> orders_of(const BoundWindowExpression& expr) {
  duckdb::vector<duckdb::BoundOrderByNode> orders;
  if (has_own_order(expr)) {
    for (const auto& order : expr.arg_orders) orders.push_back(order.Copy());
  }
  for (const auto& order : expr.orders) orders.push_back(order.Copy());
  return orders;
}

bool same_keys(const BoundWindowExpression& a, const BoundWindowExpression& b) {
  const auto equal = [](const auto& x, const auto& y) { return x->Equals(*y); };
  const auto of_a = orders_of(a), of_b = orders_of(b);
  return std::equal(a.partitions.begin(), a.partitions.end(), b.partitions.begin(), b.partitions.end(),
                    equal) &&
         std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), same_order);
}

bool counts_rows(WindowBoundary bound) {
  return bound == WindowBoundary::CURRENT_ROW_ROWS || bound == WindowBoundary::EXPR_PRECEDING_ROWS ||
         bound == WindowBoundary::EXPR_FOLLOWING_ROWS;
}
bool counts_groups(WindowBoundary bound) {
  return bound == WindowBoundary::CURRENT_ROW_GROUPS || bound == WindowBoundary::EXPR_PRECEDING_GROUPS ||
         bound == WindowBoundary::EXPR_FOLLOWING_GROUPS;
}

plan::FrameEnd end_of(WindowBoundary bound) {
  switch (bound) {
    case WindowBoundary::CURRENT_ROW_RANGE:
    case WindowBoundary::CURRENT_ROW_ROWS:
    case WindowBoundary::CURRENT_ROW_GROUPS:
      return plan::FrameEnd::kCurrentRow;
    case WindowBoundary::EXPR_PRECEDING_ROWS:
    case WindowBoundary::EXPR_PRECEDING_RANGE:
    case WindowBoundary::EXPR_PRECEDING_GROUPS:
      return plan::FrameEnd::kPreceding;
    case WindowBoundary::EXPR_FOLLOWING_ROWS:
    case WindowBoundary::EXPR_FOLLOWING_RANGE:
    case WindowBoundary::EXPR_FOLLOWING_GROUPS:
      return plan::FrameEnd::kFollowing;
    default:
      return plan::FrameEnd::kUnbounded;
  }
}

plan::FrameExclusion exclusion_of(duckdb::WindowExcludeMode mode) {
  switch (mode) {
    case duckdb::WindowExcludeMode::CURRENT_ROW:
      return plan::FrameExclusion::kCurrentRow;
    case duckdb::WindowExcludeMode::GROUP:
      return plan::FrameExclusion::kGroup;
    case duckdb::WindowExcludeMode::TIES:
      return plan::FrameExclusion::kTies;
    default:
      return plan::FrameExclusion::kNone;
  }
}

/// SQL's name of a non-aggregate window function; null for aggregates and unknown functions.
const char* name_of(ExpressionType type) {
  switch (type) {
    case ExpressionType::WINDOW_ROW_NUMBER:
      return "row_number";
    case ExpressionType::WINDOW_RANK:
      return "rank";
    case ExpressionType::WINDOW_RANK_DENSE:
      return "dense_rank";
    case ExpressionType::WINDOW_PERCENT_RANK:
      return "percent_rank";
    case ExpressionType::WINDOW_CUME_DIST:
      return "cume_dist";
    case ExpressionType::WINDOW_NTILE:
      return "ntile";
    case ExpressionType::WINDOW_LAG:
      return "lag";
    case ExpressionType::WINDOW_LEAD:
      return "lead";
    case ExpressionType::WINDOW_FIRST_VALUE:
      return "first_value";
    case ExpressionType::WINDOW_LAST_VALUE:
      return "last_value";
    case ExpressionType::WINDOW_NTH_VALUE:
      return "nth_value";
    case ExpressionType::WINDOW_FILL:
      return "fill";
    default:
      return nullptr;
  }
}

[[noreturn]] void refuse(const BoundWindowExpression& expr) {
  unsupported(fmt::format("the window function {} is not", expr.ToString()));
}

}  // namespace

plan::Frame Translator::frame(const BoundWindowExpression& expr, const Rows& input) {
  plan::Frame result;
  const bool has_no_frame =
      expr.type == ExpressionType::WINDOW_FILL || (is_shift(expr) && expr.arg_orders.empty());
  if (has_own_order(expr) || has_no_frame) {
    result.begin.end = result.end.end = plan::FrameEnd::kUnbounded;
    return result;
  }
  if (counts_rows(expr.start) || counts_rows(expr.end)) result.unit = plan::FrameUnit::kRows;
  if (counts_groups(expr.start) || counts_groups(expr.end)) result.unit = plan::FrameUnit::kGroups;
  const auto bound = [&](WindowBoundary where, const duckdb::unique_ptr<duckdb::Expression>& offset) {
    plan::FrameBound made{end_of(where), nullptr};
    if (made.end != plan::FrameEnd::kPreceding && made.end != plan::FrameEnd::kFollowing) return made;
    made.offset = expression(*offset, input);
    const bool fits = result.unit != plan::FrameUnit::kRange ||
                      expression(*expr.orders.at(0).expression, input)->type == made.offset->type;
    if (!fits || made.offset->type.is_string()) refuse(expr);
    return made;
  };
  result.begin = bound(expr.start, expr.start_expr);
  result.end = bound(expr.end, expr.end_expr);
  result.exclusion = exclusion_of(expr.exclude_clause);
  return result;
}

plan::AggregateCall Translator::window_aggregate(const BoundWindowExpression& expr, const Rows& input) {
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> children;
  for (const auto& child : expr.children) children.push_back(child->Copy());
  duckdb::BoundAggregateExpression aggregate(
      *expr.aggregate, std::move(children), expr.filter_expr ? expr.filter_expr->Copy() : nullptr,
      expr.bind_info ? expr.bind_info->Copy() : nullptr,
      expr.distinct ? duckdb::AggregateType::DISTINCT : duckdb::AggregateType::NON_DISTINCT);
  if (aggregate.function.name == "count" && aggregate.children.empty())
    aggregate.function.name = "count_star";
  if (!expr.arg_orders.empty()) {
    aggregate.order_bys = duckdb::make_uniq<duckdb::BoundOrderModifier>();
    for (const auto& order : expr.arg_orders) aggregate.order_bys->orders.push_back(order.Copy());
  }
  return call(aggregate, input);
}

plan::WindowCall Translator::window_call(const BoundWindowExpression& expr, const Rows& input) {
  plan::WindowCall result;
  result.frame = frame(expr, input);
  result.ignore_nulls = expr.ignore_nulls;
  if (expr.type == ExpressionType::WINDOW_AGGREGATE) {
    result.call = window_aggregate(expr, input);
    return result;
  }
  const char* const name = name_of(expr.type);
  const bool orders_frame =
      !expr.arg_orders.empty() && !has_own_order(expr) && !(is_shift(expr) && shares_order(expr));
  if (name == nullptr || expr.distinct || expr.filter_expr) refuse(expr);
  if (orders_frame) result.call.order = sort_keys(expr.arg_orders, input);
  result.call.function = name;
  result.call.type = type_of(expr.return_type, fmt::format("the window function {}", expr.ToString()));
  for (const auto& child : expr.children) result.call.args.push_back(expression(*child, input));
  if (expr.type == ExpressionType::WINDOW_FILL) {
    const auto& orders = expr.arg_orders.empty() ? expr.orders : expr.arg_orders;
    result.call.args.push_back(expression(*orders.at(0).expression, input));
  }
  if (is_shift(expr)) {
    const auto or_else = [&](const duckdb::unique_ptr<duckdb::Expression>& given, Value usual) {
      result.call.args.push_back(given ? expression(*given, input) : literal(std::move(usual)));
    };
    or_else(expr.offset_expr, Value::int64(1));
    or_else(expr.default_expr, Value(result.call.type));
  }
  return result;
}

Rows Translator::window(duckdb::LogicalWindow& op) {
  Rows result = rows(*op.children[0]);
  const size_t before = result.columns.size();
  result.columns.resize(before + op.expressions.size());
  std::vector<bool> done(op.expressions.size());
  for (size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    const auto& first = op.expressions[i]->Cast<BoundWindowExpression>();
    plan::Window window;
    for (const auto& key : first.partitions) window.partition.push_back(comparable(expression(*key, result)));
    window.order = sort_keys(orders_of(first), result);
    std::vector<std::string> names;
    for (size_t k = i; k < done.size(); ++k) {
      const auto& expr = op.expressions[k]->Cast<BoundWindowExpression>();
      if (done[k] || !same_keys(first, expr)) continue;
      done[k] = true;
      result.columns[before + k] = result.node->schema.size() + window.calls.size();
      window.calls.push_back(window_call(expr, result));
      names.push_back(expr.GetName());
    }
    result.node = plan::window(result.node, std::move(window), std::move(names));
  }
  return result;
}

}  // namespace lanewise::sql
