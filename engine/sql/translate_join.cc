#include <fmt/format.h>

#include "sql/errors.h"
#include "sql/translate.h"

namespace lanewise::sql {

using duckdb::LogicalOperatorType;

namespace {

/// The rows of a scalar subquery, as the binder wraps them: first(), and an error if there is more than one.
struct ScalarSubquery {
  duckdb::LogicalOperator* rows;
  std::string message;
};

/// An aggregate without groups, which gives one row.
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

/// The same rows with one more column that is true: a join with no row makes it NULL.
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

std::string condition_text(const duckdb::LogicalComparisonJoin& join) {
  std::string text;
  for (const duckdb::JoinCondition& condition : join.conditions) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " AND ", condition.left->ToString(),
                        duckdb::ExpressionTypeToOperator(condition.comparison), condition.right->ToString());
  }
  return text;
}

[[noreturn]] void no_join(duckdb::JoinType type, const std::string& condition) {
  unsupported(fmt::format("joins ({} JOIN{}{}) are not", duckdb::EnumUtil::ToString(type),
                          condition.empty() ? "" : " on ", condition));
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
    // The optimiser makes a CTE of a subquery that stands in a statement twice.
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

/// Both children of a join of which one has at most one row: the columns of the left one, then those of the
/// right one.
Rows Translator::scalar_join(duckdb::LogicalOperator& op) {
  const size_t one = gives_row_or_none(*op.children[1]) ? 1 : 0;
  const Rows many = rows(*op.children[1 - one]);
  std::string message = "More than one row returned by a subquery used as an expression";
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

Rows Translator::cross_product(duckdb::LogicalCrossProduct& op) {
  if (gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1])) return scalar_join(op);
  unsupported("joins (CROSS PRODUCT) are not");
}

Rows Translator::comparison_join(duckdb::LogicalComparisonJoin& op) {
  const bool single = gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1]);
  if (op.join_type != duckdb::JoinType::INNER || !single || op.predicate ||
      !op.duplicate_eliminated_columns.empty()) {
    no_join(op.join_type, condition_text(op));
  }
  const size_t split = op.children[0]->types.size();
  Rows result = scalar_join(op);
  const auto middle = result.columns.begin() + static_cast<std::ptrdiff_t>(split);
  Rows left{result.node, {result.columns.begin(), middle}, {}};
  Rows right{result.node, {middle, result.columns.end()}, {}};
  for (const duckdb::JoinCondition& condition : op.conditions) {
    ExprPtr predicate = compare(condition.comparison, *condition.left, *condition.right, left, right);
    result = filtered(std::move(result), std::move(predicate));
  }
  std::vector<size_t> columns;
  const auto keep = [&](const std::vector<size_t>& side, const duckdb::vector<duckdb::idx_t>& map) {
    if (map.empty()) columns.insert(columns.end(), side.begin(), side.end());
    for (duckdb::idx_t i : map) columns.push_back(side.at(i));
  };
  keep(left.columns, op.left_projection_map);
  keep(right.columns, op.right_projection_map);
  return {result.node, std::move(columns), {}};
}

Rows Translator::any_join(duckdb::LogicalAnyJoin& op) {
  const bool single = gives_row_or_none(*op.children[0]) || gives_row_or_none(*op.children[1]);
  const bool maps = !op.left_projection_map.empty() || !op.right_projection_map.empty();
  if (op.join_type != duckdb::JoinType::INNER || !single || maps)
    no_join(op.join_type, op.condition->ToString());
  Rows result = scalar_join(op);
  ExprPtr predicate = expression(*op.condition, result);
  return filtered(std::move(result), std::move(predicate));
}

}  // namespace lanewise::sql
