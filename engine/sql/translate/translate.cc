#include "sql/translate/translate.h"

#include <fmt/format.h>

#include <numeric>

#include "sql/duckdb/errors.h"
#include "sql/translate/first_rows.h"
#include "sql/values/types.h"

namespace lanewise::sql {

using duckdb::LogicalOperatorType;

Rows all_of(plan::NodePtr node) {
  std::vector<size_t> columns(node->schema.size());
  std::iota(columns.begin(), columns.end(), 0);
  return {std::move(node), std::move(columns), {}};
}

std::vector<size_t> mapped(const std::vector<size_t>& columns, const duckdb::vector<duckdb::idx_t>& map) {
  if (map.empty()) return columns;
  std::vector<size_t> result;
  for (duckdb::idx_t i : map) result.push_back(columns.at(i));
  return result;
}

namespace {

Rows with_estimate(Rows rows, const duckdb::LogicalOperator& op) {
  if (op.has_estimated_cardinality) {
    rows.node = plan::with_estimate(rows.node, static_cast<double>(op.estimated_cardinality));
  }
  return rows;
}

/// "joins (HASH JOIN ...)": the user's words for operators that the engine does not support.
std::string what_is_missing(const duckdb::LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_PIVOT:
      return "PIVOT is not";
    case LogicalOperatorType::LOGICAL_DEPENDENT_JOIN:
      return "correlated subqueries are not";
    default:
      return fmt::format("the plan node {} is not", duckdb::LogicalOperatorToString(op.type));
  }
}

}  // namespace

Rows Translator::rows(duckdb::LogicalOperator& op) { return with_estimate(untouched(op), op); }

Rows Translator::untouched(duckdb::LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_GET:
      return get(op.Cast<duckdb::LogicalGet>());
    case LogicalOperatorType::LOGICAL_FILTER:
      return filter(op.Cast<duckdb::LogicalFilter>());
    case LogicalOperatorType::LOGICAL_PROJECTION:
      return projection(op.Cast<duckdb::LogicalProjection>());
    case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
      return aggregate(op.Cast<duckdb::LogicalAggregate>());
    case LogicalOperatorType::LOGICAL_ORDER_BY:
      return order(op.Cast<duckdb::LogicalOrder>());
    case LogicalOperatorType::LOGICAL_TOP_N:
      return top_n(op.Cast<duckdb::LogicalTopN>());
    case LogicalOperatorType::LOGICAL_LIMIT:
      return limit(op.Cast<duckdb::LogicalLimit>());
    case LogicalOperatorType::LOGICAL_SAMPLE:
      return sample(op.Cast<duckdb::LogicalSample>());
    case LogicalOperatorType::LOGICAL_DISTINCT:
      return distinct(op.Cast<duckdb::LogicalDistinct>());
    case LogicalOperatorType::LOGICAL_WINDOW:
      return window(op.Cast<duckdb::LogicalWindow>());
    case LogicalOperatorType::LOGICAL_UNION:
    case LogicalOperatorType::LOGICAL_EXCEPT:
    case LogicalOperatorType::LOGICAL_INTERSECT:
      return set_operation(op.Cast<duckdb::LogicalSetOperation>());
    case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      return cte(op.Cast<duckdb::LogicalMaterializedCTE>());
    case LogicalOperatorType::LOGICAL_RECURSIVE_CTE:
      return recursion(op.Cast<duckdb::LogicalRecursiveCTE>());
    case LogicalOperatorType::LOGICAL_CTE_REF:
      return cte_ref(op.Cast<duckdb::LogicalCTERef>());
    case LogicalOperatorType::LOGICAL_DUMMY_SCAN:
      return dummy();
    case LogicalOperatorType::LOGICAL_EMPTY_RESULT:
      return empty(op.Cast<duckdb::LogicalEmptyResult>());
    case LogicalOperatorType::LOGICAL_EXPRESSION_GET:
      return expression_get(op.Cast<duckdb::LogicalExpressionGet>());
    case LogicalOperatorType::LOGICAL_CHUNK_GET:
      return column_data(op.Cast<duckdb::LogicalColumnDataGet>());
    case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
      return cross_product(op.Cast<duckdb::LogicalCrossProduct>());
    case LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
    case LogicalOperatorType::LOGICAL_ASOF_JOIN:
      return comparison_join(op.Cast<duckdb::LogicalComparisonJoin>());
    case LogicalOperatorType::LOGICAL_POSITIONAL_JOIN:
      return positional_join(op.Cast<duckdb::LogicalPositionalJoin>());
    case LogicalOperatorType::LOGICAL_DELIM_JOIN:
      return delim_join(op.Cast<duckdb::LogicalComparisonJoin>());
    case LogicalOperatorType::LOGICAL_DELIM_GET:
      return delim_get(op.Cast<duckdb::LogicalDelimGet>());
    case LogicalOperatorType::LOGICAL_UNNEST:
      return unnest(op.Cast<duckdb::LogicalUnnest>());
    case LogicalOperatorType::LOGICAL_ANY_JOIN:
      return any_join(op.Cast<duckdb::LogicalAnyJoin>());
    default:
      unsupported(what_is_missing(op));
  }
}

plan::NodePtr Translator::exact(Rows input) {
  const Schema& schema = input.node->schema;
  bool identity = input.columns.size() == schema.size();
  for (size_t i = 0; identity && i < schema.size(); ++i) identity = input.columns[i] == i;
  if (identity) return input.node;
  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  for (size_t index : input.columns) {
    if (index == kNoColumn) unsupported("a sort key (create_sort_key) as a column is not");
    exprs.push_back(column(index, schema.at(index).type));
    names.push_back(schema[index].name);
  }
  return plan::project(input.node, std::move(exprs), std::move(names));
}

Rows Translator::filtered(Rows input, ExprPtr predicate) {
  const auto* scan = std::get_if<plan::Scan>(&input.node->payload);
  if (scan == nullptr) return {plan::filter(input.node, std::move(predicate)), std::move(input.columns), {}};
  std::vector<ExprPtr> predicates = scan->predicates;
  predicates.push_back(std::move(predicate));
  return {plan::scan(scan->source, scan->columns, std::move(predicates)), std::move(input.columns), {}};
}

Rows Translator::filter(duckdb::LogicalFilter& op) {
  Rows result = rows(*op.children[0]);
  const std::vector<ExprPtr> predicates = expressions(op.expressions, result);
  result.node = with_first_rows(std::move(result.node), predicates);
  for (const ExprPtr& predicate : predicates) result = filtered(std::move(result), predicate);
  result.columns = mapped(result.columns, op.projection_map);
  return result;
}

Rows Translator::projection(duckdb::LogicalProjection& op) {
  const Rows input = rows(*op.children[0]);
  std::vector<std::string> input_names;
  for (const Field& field : input.node->schema) input_names.push_back(field.name);
  Rows result;
  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  const auto add = [&](ExprPtr expr, std::string name) {
    exprs.push_back(std::move(expr));
    names.push_back(std::move(name));
    return exprs.size() - 1;
  };
  for (const auto& expr : op.expressions) {
    std::vector<plan::SortKey> keys = made_sort_key(*expr, input);
    for (plan::SortKey& key : keys) {
      const Type type = key.expr->type;
      key.expr = column(add(key.expr, key.expr->to_string(&input_names)), type);
    }
    const size_t i = result.columns.size();
    result.columns.push_back(keys.empty() ? add(expression(*expr, input), expr->GetName()) : kNoColumn);
    if (!keys.empty()) result.sort_keys[i] = std::move(keys);
  }
  result.node = plan::project(input.node, std::move(exprs), std::move(names));
  return result;
}

/// Returns the input's columns, then the elements.
Rows Translator::unnest(duckdb::LogicalUnnest& op) {
  const Rows input = rows(*op.children[0]);
  std::vector<ExprPtr> lists;
  std::vector<std::string> names;
  for (const auto& expr : op.expressions) {
    ExprPtr list = expression(*expr->Cast<duckdb::BoundUnnestExpression>().child, input);
    if (list->type.id == TypeId::kArray) list = lanewise::cast(list, Type::list(list->type.element()));
    lists.push_back(std::move(list));
    names.push_back(expr->GetName());
  }
  Rows result{plan::unnest(input.node, std::move(lists), names), input.columns, input.sort_keys};
  for (size_t i = 0; i < names.size(); ++i) result.columns.push_back(input.node->schema.size() + i);
  return result;
}

std::vector<plan::SortKey> Translator::sort_keys(const duckdb::vector<duckdb::BoundOrderByNode>& orders,
                                                 const Rows& input) {
  std::vector<plan::SortKey> keys;
  for (const duckdb::BoundOrderByNode& order : orders) {
    if (order.type == duckdb::OrderType::ORDER_DEFAULT ||
        order.null_order == duckdb::OrderByNullType::ORDER_DEFAULT) {
      throw InternalError("the binder left the direction of a sort open");
    }
    keys.push_back({ordered(*order.expression, input), order.type == duckdb::OrderType::DESCENDING,
                    order.null_order == duckdb::OrderByNullType::NULLS_FIRST});
  }
  return keys;
}

Rows Translator::order(duckdb::LogicalOrder& op) {
  const Rows input = all_of(exact(rows(*op.children[0])));
  Rows result = all_of(plan::sort(input.node, sort_keys(op.orders, input)));
  result.columns = mapped(result.columns, op.projection_map);
  return result;
}

Rows Translator::top_n(duckdb::LogicalTopN& op) {
  const Rows input = all_of(exact(rows(*op.children[0])));
  return all_of(plan::sort(input.node, sort_keys(op.orders, input), static_cast<int64_t>(op.limit),
                           static_cast<int64_t>(op.offset)));
}

Rows Translator::numbered(const Rows& input, std::vector<ExprPtr> among) {
  plan::Window window;
  window.partition = std::move(among);
  plan::WindowCall call;
  call.call.function = "row_number";
  call.call.type = TypeId::kInt64;
  window.calls.push_back(std::move(call));
  return all_of(plan::window(input.node, std::move(window), {"number"}));
}

std::vector<ExprPtr> Translator::collated(const Rows& input,
                                          const duckdb::vector<duckdb::LogicalType>& types) {
  std::vector<ExprPtr> keys;
  for (size_t i = 0; i < types.size(); ++i) {
    duckdb::unique_ptr<duckdb::Expression> key =
        duckdb::make_uniq<duckdb::BoundReferenceExpression>(types[i], i);
    duckdb::ExpressionBinder::PushCollation(context_, key, types[i]);
    keys.push_back(comparable(expression(*key, input)));
  }
  return keys;
}

/// EXCEPT and INTERSECT are joins of equal rows, by the first child's collations; with ALL the n-th of equal
/// rows is matched with the n-th.
Rows Translator::set_operation(duckdb::LogicalSetOperation& op) {
  std::vector<plan::NodePtr> children;
  for (const auto& child : op.children) children.push_back(exact(rows(*child)));
  if (op.type == LogicalOperatorType::LOGICAL_UNION) {
    Rows all = all_of(plan::union_all(std::move(children)));
    return op.setop_all ? all : all_of(plan::distinct(all.node));
  }
  const auto& types = op.children[0]->types;
  const size_t columns = types.size();
  std::vector<std::vector<ExprPtr>> keys;
  for (plan::NodePtr& child : children) {
    keys.push_back(collated(all_of(child), types));
    if (!op.setop_all) continue;
    child = numbered(all_of(child), keys.back()).node;
    keys.back().push_back(column(columns, TypeId::kInt64));
  }
  plan::Join join;
  join.kind = op.type == LogicalOperatorType::LOGICAL_EXCEPT ? plan::JoinKind::kAnti : plan::JoinKind::kSemi;
  for (size_t i = 0; i < keys[0].size(); ++i) join.keys.push_back({keys[0][i], keys[1][i], true});
  for (size_t i = 0; i < columns; ++i) join.left.push_back(i);
  const plan::NodePtr rest = plan::join(children[0], children[1], std::move(join));
  return all_of(op.setop_all ? rest : plan::distinct(rest));
}

Rows Translator::cte(duckdb::LogicalMaterializedCTE& op) {
  const plan::NodePtr definition = exact(rows(*op.children[0]));
  ctes_[op.table_index] = definition->schema;
  if (gives_one_row(*op.children[0])) ctes_of_one_row_.insert(op.table_index);
  Rows body = rows(*op.children[1]);
  return {plan::cte(op.table_index, definition, body.node), std::move(body.columns), {}};
}

Rows Translator::recursion(duckdb::LogicalRecursiveCTE& op) {
  plan::Recursion recursion{op.table_index, next_id_++, !op.union_all && op.key_targets.empty(), {}};
  for (const auto& key : op.key_targets) {
    if (key->GetExpressionClass() != duckdb::ExpressionClass::BOUND_REF)
      unsupported(fmt::format("USING KEY with {} is not", key->ToString()));
    recursion.keys.push_back(key->Cast<duckdb::BoundReferenceExpression>().index);
  }
  plan::NodePtr anchor = exact(rows(*op.children[0]));
  ctes_[op.table_index] = anchor->schema;
  recurring_[op.table_index] = recursion.all_id;
  plan::NodePtr step = exact(rows(*op.children[1]));
  return all_of(plan::recursion(anchor, step, std::move(recursion)));
}

Rows Translator::cte_ref(duckdb::LogicalCTERef& op) {
  const auto found = ctes_.find(op.cte_index);
  if (found == ctes_.end()) unsupported("a common table expression that is read outside its query is not");
  const uint64_t id = op.is_recurring ? recurring_.at(op.cte_index) : op.cte_index;
  return all_of(plan::cte_ref(id, found->second));
}

}  // namespace lanewise::sql
