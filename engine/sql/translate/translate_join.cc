#include <fmt/format.h>

#include <algorithm>

#include "expr/functions/build.h"
#include "expr/functions/predicates.h"
#include "sql/duckdb/errors.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

using duckdb::ExpressionType;
using duckdb::LogicalOperatorType;

namespace {

constexpr const char* kSeveralRows = "More than one row returned by a subquery used as an expression";

/// The rows of a scalar subquery, as the binder wraps them: first(), and an error if there is more than one.
struct ScalarSubquery {
  duckdb::LogicalOperator* rows;
  std::string message;
};

/// An aggregate without groups, which returns one row.
bool is_ungrouped(const duckdb::LogicalOperator& op) {
  if (op.type != LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY) return false;
  const auto& aggregate = op.Cast<duckdb::LogicalAggregate>();
  return aggregate.groups.empty() && aggregate.grouping_sets.size() <= 1;
}

std::optional<ScalarSubquery> scalar_subquery(duckdb::LogicalOperator& op) {
  if (op.type != LogicalOperatorType::LOGICAL_PROJECTION || op.expressions.size() != 1) return std::nullopt;
  if (op.expressions[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CASE) return std::nullopt;
  const auto& choice = op.expressions[0]->Cast<duckdb::BoundCaseExpression>();
  if (choice.case_checks.size() != 1) return std::nullopt;
  const duckdb::Expression& then = *choice.case_checks[0].then_expr;
  if (then.GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) return std::nullopt;
  const auto& raise = then.Cast<duckdb::BoundFunctionExpression>();
  if (raise.function.name != "error" || raise.children.size() != 1) return std::nullopt;
  if (raise.children[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) return std::nullopt;

  duckdb::LogicalOperator& child = *op.children[0];
  if (!is_ungrouped(child) || child.expressions.size() != 2) return std::nullopt;
  const auto& first = child.expressions[0]->Cast<duckdb::BoundAggregateExpression>();
  const auto& count = child.expressions[1]->Cast<duckdb::BoundAggregateExpression>();
  if (first.function.name != "first" || count.function.name != "count_star" || first.filter ||
      first.order_bys) {
    return std::nullopt;
  }
  if (first.children[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_REF) return std::nullopt;
  if (choice.else_expr->GetExpressionClass() != duckdb::ExpressionClass::BOUND_REF) return std::nullopt;
  if (child.children[0]->types.size() != 1) return std::nullopt;
  const auto& message = raise.children[0]->Cast<duckdb::BoundConstantExpression>().value;
  return ScalarSubquery{child.children[0].get(), message.ToString()};
}

/// The same rows with one more column that is true: in a join, it is NULL for a missing row.
plan::NodePtr with_mark(const plan::NodePtr& node) {
  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  for (const Field& field : node->schema) {
    exprs.push_back(column(exprs.size(), field.type));
    names.push_back(field.name);
  }
  exprs.push_back(literal(Value::boolean(true)));
  names.push_back("there is a row");
  return plan::project(node, std::move(exprs), std::move(names));
}

plan::JoinKind kind_of(duckdb::JoinType type) {
  switch (type) {
    case duckdb::JoinType::INNER:
      return plan::JoinKind::kInner;
    case duckdb::JoinType::LEFT:
      return plan::JoinKind::kLeft;
    case duckdb::JoinType::RIGHT:
      return plan::JoinKind::kRight;
    case duckdb::JoinType::OUTER:
      return plan::JoinKind::kFull;
    case duckdb::JoinType::SEMI:
      return plan::JoinKind::kSemi;
    case duckdb::JoinType::ANTI:
      return plan::JoinKind::kAnti;
    case duckdb::JoinType::RIGHT_SEMI:
      return plan::JoinKind::kRightSemi;
    case duckdb::JoinType::RIGHT_ANTI:
      return plan::JoinKind::kRightAnti;
    case duckdb::JoinType::MARK:
      return plan::JoinKind::kMark;
    case duckdb::JoinType::SINGLE:
      return plan::JoinKind::kSingle;
    default:
      unsupported(fmt::format("joins ({} JOIN) are not", duckdb::EnumUtil::ToString(type)));
  }
}

/// Columns of the left rows, then those of the right ones, as in a join's condition.
Rows side_by_side(const Rows& left, const Rows& right) {
  Rows both{plan::scalar_join(left.node, right.node, ""), left.columns, {}};
  const size_t before = left.node->schema.size();
  for (const size_t column : right.columns)
    both.columns.push_back(column == kNoColumn ? kNoColumn : before + column);
  return both;
}

/// For an inequality; nothing for other comparisons.
std::optional<plan::RangeOrder> range_order(ExpressionType comparison) {
  switch (comparison) {
    case ExpressionType::COMPARE_LESSTHAN:
      return plan::RangeOrder::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return plan::RangeOrder::kLessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN:
      return plan::RangeOrder::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return plan::RangeOrder::kGreaterOrEqual;
    default:
      return std::nullopt;
  }
}

bool is_key(ExpressionType comparison) {
  return comparison == ExpressionType::COMPARE_EQUAL ||
         comparison == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
}

std::vector<const duckdb::Expression*> conjuncts(const duckdb::Expression& condition) {
  if (condition.type != ExpressionType::CONJUNCTION_AND) return {&condition};
  std::vector<const duckdb::Expression*> all;
  for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children)
    for (const duckdb::Expression* const part : conjuncts(*child)) all.push_back(part);
  return all;
}

/// A constant, or what DuckDB makes of a comparison that is never true by its statistics.
bool is_never_true(const duckdb::Expression* condition) {
  if (condition->GetExpressionClass() == duckdb::ExpressionClass::BOUND_FUNCTION) {
    const auto& call = condition->Cast<duckdb::BoundFunctionExpression>();
    return call.function.name == "constant_or_null" && is_never_true(call.children[0].get());
  }
  if (condition->type != ExpressionType::VALUE_CONSTANT) return false;
  const duckdb::Value& constant = condition->Cast<duckdb::BoundConstantExpression>().value;
  return constant.IsNull() || !constant.GetValue<bool>();
}

void add_condition(ExprPtr& all, ExprPtr one) {
  all = all == nullptr ? std::move(one) : conjunction({std::move(all), std::move(one)});
}

}  // namespace

bool Translator::gives_one_row(const duckdb::LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_PROJECTION:
      return gives_one_row(*op.children[0]);
    case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
      return gives_one_row(*op.children[0]) && gives_one_row(*op.children[1]);
    case LogicalOperatorType::LOGICAL_DUMMY_SCAN:
      return true;
    // The optimiser makes a CTE of a subquery that occurs twice in a statement.
    case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      if (gives_one_row(*op.children[0])) {
        ctes_of_one_row_.insert(op.Cast<duckdb::LogicalMaterializedCTE>().table_index);
      }
      return gives_one_row(*op.children[1]);
    case LogicalOperatorType::LOGICAL_CTE_REF:
      return ctes_of_one_row_.contains(op.Cast<duckdb::LogicalCTERef>().cte_index);
    default:
      return is_ungrouped(op);
  }
}

bool Translator::gives_row_or_none(const duckdb::LogicalOperator& op) {
  if (gives_one_row(op)) return true;
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_FILTER:
    case LogicalOperatorType::LOGICAL_PROJECTION:
      return gives_row_or_none(*op.children[0]);
    case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      return gives_row_or_none(*op.children[1]);
    case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
      return gives_row_or_none(*op.children[0]) && gives_row_or_none(*op.children[1]);
    default:
      return false;
  }
}

/// Both children of a join, one of which has at most one row: the columns of the left one, then those of the
/// right one.
Rows Translator::scalar_join(duckdb::LogicalOperator& op) {
  const size_t one = gives_row_or_none(*op.children[1]) ? 1 : 0;
  const Rows many = rows(*op.children[1 - one]);
  std::string message = kSeveralRows;
  Rows row;
  if (const auto subquery = scalar_subquery(*op.children[one])) {
    message = subquery->message;
    row = rows(*subquery->rows);
  } else {
    row = rows(*op.children[one]);
  }
  plan::NodePtr single = exact(std::move(row));
  const size_t before = many.node->schema.size();
  std::vector<size_t> added(single->schema.size());
  for (size_t i = 0; i < added.size(); ++i) added[i] = before + i;
  const bool may_be_none = !gives_one_row(*op.children[one]);
  if (may_be_none) single = with_mark(single);
  std::vector<size_t> columns = one == 1 ? many.columns : added;
  const std::vector<size_t>& rest = one == 1 ? added : many.columns;
  columns.insert(columns.end(), rest.begin(), rest.end());
  Rows result{plan::scalar_join(many.node, single, std::move(message)), std::move(columns), {}};
  if (!may_be_none) return result;
  return filtered(std::move(result), column(before + added.size(), TypeId::kBool));
}

Rows Translator::joined(const duckdb::LogicalJoin& op, const Rows& left, const Rows& right, plan::Join join) {
  join.kind = kind_of(op.join_type);
  if (join.kind == plan::JoinKind::kSingle && is_set("scalar_subquery_error_on_multiple_rows", "true"))
    join.message = kSeveralRows;
  if (plan::gives_left(join.kind)) join.left = mapped(left.columns, op.left_projection_map);
  if (plan::gives_right(join.kind)) join.right = mapped(right.columns, op.right_projection_map);
  return pairs(left, right, std::move(join));
}

Rows Translator::pairs(const Rows& left, const Rows& right, plan::Join join) {
  std::vector<size_t> columns;
  size_t made = 0;
  for (std::vector<size_t>* side : {&join.left, &join.right}) {
    for (const size_t column : *side) columns.push_back(column == kNoColumn ? kNoColumn : made++);
    std::erase(*side, kNoColumn);
  }
  if (join.kind == plan::JoinKind::kMark) columns.push_back(made);
  return {plan::join(left.node, right.node, std::move(join)), std::move(columns), {}};
}

Rows Translator::cross_product(duckdb::LogicalCrossProduct& op) {
  if (gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1])) return scalar_join(op);
  const Rows left = rows(*op.children[0]), right = rows(*op.children[1]);
  plan::Join join;
  join.left = left.columns;
  join.right = right.columns;
  return pairs(left, right, std::move(join));
}

/// The rows of a join, one side of which has at most one row.
Rows Translator::join_with_row(duckdb::LogicalComparisonJoin& op) {
  const size_t split = op.children[0]->types.size();
  Rows result = scalar_join(op);
  const auto middle = result.columns.begin() + static_cast<std::ptrdiff_t>(split);
  Rows left{result.node, {result.columns.begin(), middle}, {}};
  Rows right{result.node, {middle, result.columns.end()}, {}};
  for (const duckdb::JoinCondition& condition : op.conditions) {
    ExprPtr predicate = compare(condition.comparison, *condition.left, *condition.right, left, right);
    result = filtered(std::move(result), std::move(predicate));
  }
  std::vector<size_t> columns = mapped(left.columns, op.left_projection_map);
  const std::vector<size_t> rest = mapped(right.columns, op.right_projection_map);
  columns.insert(columns.end(), rest.begin(), rest.end());
  return {result.node, std::move(columns), {}};
}

Rows Translator::comparison_join(duckdb::LogicalComparisonJoin& op) {
  const bool one_row = gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1]);
  const bool nearest = op.type == LogicalOperatorType::LOGICAL_ASOF_JOIN;
  if (op.join_type == duckdb::JoinType::INNER && one_row && !op.predicate && !nearest)
    return join_with_row(op);
  const Rows left = rows(*op.children[0]);
  const Rows right = rows(*op.children[1]);
  return comparison_join(op, left, right);
}

Rows Translator::comparison_join(const duckdb::LogicalComparisonJoin& op, const Rows& left,
                                 const Rows& right) {
  plan::Join join;
  const bool nearest = op.type == LogicalOperatorType::LOGICAL_ASOF_JOIN;
  const bool has_keys = std::any_of(op.conditions.begin(), op.conditions.end(),
                                    [](const auto& condition) { return is_key(condition.comparison); });
  // Rows are sorted by an inequality only if there is nothing better: runs of equal keys are usually short.
  const bool may_have_range = nearest || (!has_keys && op.join_type != duckdb::JoinType::MARK &&
                                          op.join_type != duckdb::JoinType::SINGLE);
  const Rows both = side_by_side(left, right);
  const Rows right_of_both{
      both.node,
      {both.columns.begin() + static_cast<std::ptrdiff_t>(left.columns.size()), both.columns.end()},
      {}};
  for (const duckdb::JoinCondition& condition : op.conditions) {
    const bool null_is_equal = condition.comparison == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
    const auto order = range_order(condition.comparison);
    if (is_key(condition.comparison)) {
      join.keys.push_back({comparable(expression(*condition.left, left)),
                           comparable(expression(*condition.right, right)), null_is_equal});
    } else if (may_have_range && !join.range && order &&
               (nearest || !holds_variant(condition.left->return_type))) {
      join.range = {*order, ordered(*condition.left, left), ordered(*condition.right, right), nearest};
    } else {
      add_condition(join.condition,
                    compare(condition.comparison, *condition.left, *condition.right, both, right_of_both));
    }
  }
  if (op.predicate) add_condition(join.condition, expression(*op.predicate, both));
  if (nearest && (!join.range || join.condition != nullptr))
    unsupported("ASOF joins with other conditions are not");
  return joined(op, left, right, std::move(join));
}

Rows Translator::any_join(duckdb::LogicalAnyJoin& op) {
  const bool one_row = gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1]);
  const bool maps = !op.left_projection_map.empty() || !op.right_projection_map.empty();
  if (op.join_type == duckdb::JoinType::INNER && one_row && !maps) {
    Rows result = scalar_join(op);
    ExprPtr predicate = expression(*op.condition, result);
    return filtered(std::move(result), std::move(predicate));
  }
  const Rows left = rows(*op.children[0]), right = rows(*op.children[1]);
  const Rows both = side_by_side(left, right);
  const size_t split = left.node->schema.size();
  const bool is_mark = op.join_type == duckdb::JoinType::MARK;
  plan::Join join;
  const std::vector<const duckdb::Expression*> parts = conjuncts(*op.condition);
  if (!is_mark && std::ranges::any_of(parts, is_never_true)) {
    join.keys.push_back(
        {literal(Value(TypeId::kInt32)), literal(Value(TypeId::kInt32))});  // NULL equals nothing
    return joined(op, left, right, std::move(join));
  }
  std::vector<const duckdb::Expression*> others;
  for (const duckdb::Expression* const part : parts) {
    std::optional<Compared> key;
    if (!is_mark && is_key(part->type)) key = sides(*part, both, split);
    if (key) {
      const bool null_is_equal = part->type == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
      join.keys.push_back({std::move(key->left), std::move(key->right), null_is_equal});
    } else {
      others.push_back(part);
    }
  }
  const bool may_have_range = join.keys.empty() && !is_mark && op.join_type != duckdb::JoinType::SINGLE;
  for (const duckdb::Expression* const part : others) {
    std::optional<Compared> range;
    if (may_have_range && !join.range && range_order(part->type)) range = sides(*part, both, split);
    if (range) {
      join.range = {*range_order(range->comparison), std::move(range->left), std::move(range->right)};
    } else {
      add_condition(join.condition, expression(*part, both));
    }
  }
  return joined(op, left, right, std::move(join));
}

/// Both sides of a comparison of the left child's columns, the first `split`, with those of the right child.
/// Nothing if a side reads columns of both or may raise an error. DuckDB leaves such comparisons in the
/// condition of an outer join if another part of it reads one child only.
std::optional<Translator::Compared> Translator::sides(const duckdb::Expression& part, const Rows& both,
                                                      size_t split) {
  const auto& comparison = part.Cast<duckdb::BoundComparisonExpression>();
  if (holds_variant(comparison.left->return_type)) return std::nullopt;
  const auto value = [&](const duckdb::Expression& expr) {
    return is_key(part.type) ? comparable(expression(expr, both)) : ordered(expr, both);
  };
  Compared made{part.type, value(*comparison.left), value(*comparison.right)};
  if (expr::may_raise(*made.left) || expr::may_raise(*made.right)) return std::nullopt;
  const auto reads = [&](const ExprPtr& expr, bool of_left) {
    const std::vector<size_t> columns = columns_of(*expr);
    return !columns.empty() &&
           std::ranges::all_of(columns, [&](size_t column) { return (column < split) == of_left; });
  };
  if (reads(made.left, false)) {
    std::swap(made.left, made.right);
    made.comparison = duckdb::FlipComparisonExpression(made.comparison);
  }
  if (!reads(made.left, true) || !reads(made.right, false)) return std::nullopt;
  std::vector<size_t> places(both.node->schema.size());
  for (size_t column = split; column < places.size(); ++column) places[column] = column - split;
  made.right = remap(made.right, places);
  return made;
}

/// Row by row; the shorter side is padded with NULLs.
Rows Translator::positional_join(duckdb::LogicalPositionalJoin& op) {
  const auto numbered_side = [&](size_t side) { return numbered(all_of(exact(rows(*op.children[side])))); };
  Rows left = numbered_side(0), right = numbered_side(1);
  plan::Join join;
  join.kind = plan::JoinKind::kFull;
  join.keys.push_back(
      {column(left.columns.back(), TypeId::kInt64), column(right.columns.back(), TypeId::kInt64)});
  left.columns.pop_back();
  right.columns.pop_back();
  join.left = left.columns;
  join.right = right.columns;
  return pairs(left, right, std::move(join));
}

/// A correlated subquery: it is joined with the outer rows, and reads the distinct values of
/// the columns on which it depends (delim_get).
Rows Translator::delim_join(duckdb::LogicalComparisonJoin& op) {
  const size_t outer_side = op.delim_flipped ? 1 : 0;
  Rows outer_rows = rows(*op.children[outer_side]);
  const auto& columns = outer_rows.columns;
  if (std::find(columns.begin(), columns.end(), kNoColumn) == columns.end())
    outer_rows = all_of(exact(std::move(outer_rows)));
  const plan::NodePtr outer = outer_rows.node;
  const uint64_t outer_id = next_id_++, values_id = next_id_++;
  outer_rows.node = plan::cte_ref(outer_id, outer->schema);
  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  for (const auto& expr : op.duplicate_eliminated_columns) {
    exprs.push_back(expression(*expr, outer_rows));
    names.push_back(expr->GetName());
  }
  const plan::NodePtr values =
      plan::distinct(plan::project(outer_rows.node, std::move(exprs), std::move(names)));
  delim_values_.push_back({values_id, values->schema});
  const Rows inner_rows = rows(*op.children[1 - outer_side]);
  delim_values_.pop_back();
  Rows result = outer_side == 0 ? comparison_join(op, outer_rows, inner_rows)
                                : comparison_join(op, inner_rows, outer_rows);
  result.node = plan::cte(outer_id, outer, plan::cte(values_id, values, result.node));
  return result;
}

Rows Translator::delim_get(const duckdb::LogicalDelimGet& op) {
  if (delim_values_.empty() || delim_values_.back().schema.size() != op.chunk_types.size())
    throw InternalError("values of a correlated subquery that no join gives");
  return all_of(plan::cte_ref(delim_values_.back().id, delim_values_.back().schema));
}

}  // namespace lanewise::sql
