#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/aggregate/functions.h"
#include "sql/bind_data.h"
#include "sql/errors.h"
#include "sql/translate.h"
#include "sql/types.h"

namespace lanewise::sql {

namespace {

/// The separator of string_agg.
ExprPtr separator(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr) {
  std::string text;
  read_bind_data(context, expr.function, expr.bind_info.get(),
                 [&](auto& in) { text = in.template ReadProperty<duckdb::string>(100, "separator"); });
  return literal(Value::varchar(text));
}

/// The fraction of a quantile; negative where it counts from the greatest value.
ExprPtr fraction(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr) {
  duckdb::vector<duckdb::Value> fractions;
  bool descending = false;
  read_bind_data(context, expr.function, expr.bind_info.get(), [&](auto& in) {
    in.ReadProperty(100, "quantiles", fractions);
    in.template ReadProperty<duckdb::vector<duckdb::idx_t>>(101, "order");
    in.ReadProperty(102, "desc", descending);
  });
  if (fractions.size() != 1) unsupported(fmt::format("{} of several fractions is not", expr.function.name));
  if (descending) unsupported(fmt::format("{} in descending order is not", expr.function.name));
  return literal(to_value(fractions[0]));
}

/// What the optimiser made of first, last and any_value with ORDER BY, each with the name it had.
std::string_view unordered_name(std::string_view name) {
  if (name == "arg_min_null") return "first";
  if (name == "arg_max_null") return "last";
  if (name == "arg_min") return "any_value";
  return {};
}

/// Whether the targets are all columns of the rows, in their order.
bool targets_are_columns(const duckdb::LogicalDistinct& op) {
  const auto is_column = [&](size_t i) {
    const duckdb::Expression& target = *op.distinct_targets[i];
    return target.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF &&
           target.Cast<duckdb::BoundReferenceExpression>().index == i;
  };
  size_t i = 0;
  while (i < op.distinct_targets.size() && is_column(i)) ++i;
  return i == op.distinct_targets.size() && i == op.children[0]->types.size();
}

/// GROUPING(a, b): one bit per argument, set where the grouping set leaves the column out.
int64_t grouping_bits(const duckdb::unsafe_vector<duckdb::idx_t>& columns, const duckdb::GroupingSet& set) {
  int64_t result = 0;
  for (duckdb::idx_t column : columns) result = result << 1 | (set.count(column) == 0 ? 1 : 0);
  return result;
}

}  // namespace

std::vector<plan::SortKey> Translator::made_sort_key(const duckdb::Expression& expr, const Rows& input) {
  if (expr.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
    const auto found = input.sort_keys.find(expr.Cast<duckdb::BoundReferenceExpression>().index);
    return found == input.sort_keys.end() ? std::vector<plan::SortKey>() : found->second;
  }
  if (expr.GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) return {};
  const auto& function = expr.Cast<duckdb::BoundFunctionExpression>();
  if (function.function.name != "create_sort_key") return {};
  std::vector<plan::SortKey> keys;
  for (size_t i = 0; i + 1 < function.children.size(); i += 2) {
    require_order(*function.children[i]);
    const auto& direction =
        function.children[i + 1]->Cast<duckdb::BoundConstantExpression>().value.ToString();
    keys.push_back({comparable(expression(*function.children[i], input)),
                    direction.find("DESC") != std::string::npos,
                    direction.find("NULLS FIRST") != std::string::npos});
  }
  return keys;
}

/// An argument; a NULL without a type is one of the type that the function takes.
ExprPtr Translator::argument(const duckdb::Expression& arg, const duckdb::BoundAggregateExpression& expr,
                             const Rows& input) {
  ExprPtr result = expression(arg, input);
  if (result->type != TypeId::kNull || expr.return_type.id() == duckdb::LogicalTypeId::SQLNULL) return result;
  return lanewise::cast(std::move(result),
                        type_of(expr.return_type, fmt::format("the aggregate {}", expr.ToString())));
}

plan::AggregateCall Translator::call(const duckdb::BoundAggregateExpression& expr, const Rows& input) {
  plan::AggregateCall result;
  const std::string& name = expr.function.name;
  result.function = name;
  result.distinct = expr.IsDistinct();
  result.type = type_of(expr.return_type, fmt::format("the aggregate {}", expr.ToString()));
  if (expr.filter) result.filter = expression(*expr.filter, input);
  if (expr.order_bys) result.order = sort_keys(expr.order_bys->orders, input);
  auto count = expr.children.size();
  if (count == 2 && !unordered_name(name).empty()) {
    auto keys = made_sort_key(*expr.children[1], input);
    if (!keys.empty()) {
      result.function = unordered_name(name);
      result.order = std::move(keys);
      count = 1;
    }
  }
  for (size_t i = 0; i < count; ++i) result.args.push_back(argument(*expr.children[i], expr, input));
  if (name == "string_agg" || name == "group_concat" || name == "listagg")
    result.args.push_back(separator(context_, expr));
  if (name == "quantile" || name == "quantile_cont" || name == "quantile_disc")
    result.args.push_back(fraction(context_, expr));

  if (name == "histogram") result.args[0] = normalized(std::move(result.args[0]));
  if (name == "count_if") {  // DuckDB's is NULL where no condition is true or false
    result.function = "sum";
    result.args[0] = lanewise::cast(std::move(result.args[0]), TypeId::kInt8);
  }

  constexpr std::array kWithoutOrder = {"count", "first", "arbitrary", "last", "any_value"};
  if (std::find(kWithoutOrder.begin(), kWithoutOrder.end(), result.function) == kWithoutOrder.end()) {
    for (const auto& child : expr.children) require_order(*child);
  }
  std::vector<Type> types;
  std::vector<std::string> names;
  for (const ExprPtr& arg : result.args) {
    types.push_back(arg->type);
    names.push_back(arg->type.name());
  }
  const ops::AggregateFunction* function = ops::find_aggregate(result.function, types);
  if (function == nullptr || function->resolve(types) != result.type)
    unsupported(fmt::format("the aggregate {}({}) is not", name, fmt::join(names, ", ")));
  result.function = function->name;
  return result;
}

Rows Translator::aggregate(duckdb::LogicalAggregate& op) {
  const Rows input = rows(*op.children[0]);
  if (op.grouping_sets.size() <= 1 && op.grouping_functions.empty()) {
    duckdb::GroupingSet all;
    for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) all.insert(i);
    return grouping_set(op, all, input);
  }
  std::vector<plan::NodePtr> sets;
  for (const duckdb::GroupingSet& set : op.grouping_sets) sets.push_back(exact(grouping_set(op, set, input)));
  Rows result = grouping_set(op, op.grouping_sets[0], input);
  result.node = plan::union_all(std::move(sets));
  result.columns.clear();
  for (size_t i = 0; i < result.node->schema.size(); ++i) result.columns.push_back(i);
  return result;
}

/// Groups, aggregates and GROUPING() of one grouping set, with NULL for the groups that it leaves out.
Rows Translator::grouping_set(duckdb::LogicalAggregate& op, const duckdb::GroupingSet& set,
                              const Rows& input) {
  std::vector<ExprPtr> keys;
  std::vector<plan::AggregateCall> calls;
  std::vector<std::string> names;
  std::vector<size_t> columns;
  for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) {
    if (set.count(i) == 0) continue;
    keys.push_back(comparable(expression(*op.groups[i], input)));
    names.push_back(op.groups[i]->GetName());
  }
  for (const auto& expr : op.expressions) {
    calls.push_back(call(expr->Cast<duckdb::BoundAggregateExpression>(), input));
    names.push_back(expr->GetName());
  }
  const plan::NodePtr node = plan::aggregate(input.node, std::move(keys), std::move(calls), names);
  for (size_t i = 0; i < names.size(); ++i) columns.push_back(i);
  if (set.size() == op.groups.size() && op.grouping_functions.empty()) return {node, std::move(columns), {}};

  std::vector<ExprPtr> exprs;
  std::vector<std::string> all_names;
  const auto add = [&](ExprPtr expr, const std::string& name) {
    exprs.push_back(std::move(expr));
    all_names.push_back(name);
  };
  size_t next = 0;
  for (duckdb::idx_t i = 0; i < op.groups.size(); ++i) {
    const std::string name = op.groups[i]->GetName();
    if (set.count(i) != 0) {
      add(column(next, node->schema[next].type), name);
      ++next;
    } else {
      add(literal(Value(type_of(op.groups[i]->return_type, name))), name);
    }
  }
  for (; next < names.size(); ++next) add(column(next, node->schema[next].type), names[next]);
  for (const auto& grouping : op.grouping_functions) {
    add(literal(Value::int64(grouping_bits(grouping, set))), "GROUPING");
  }
  columns.clear();
  for (size_t i = 0; i < exprs.size(); ++i) columns.push_back(i);
  return {plan::project(node, std::move(exprs), std::move(all_names)), std::move(columns), {}};
}

/// DISTINCT ON keeps the first row of each group, in its order. DISTINCT is the same, but that its targets
/// may be all columns as they are: fewer where ORDER BY needs more, or others (their collation's) for those
/// with COLLATE.
Rows Translator::distinct(duckdb::LogicalDistinct& op) {
  Rows input = rows(*op.children[0]);
  input = {exact(std::move(input)), {}, {}};
  for (size_t i = 0; i < input.node->schema.size(); ++i) input.columns.push_back(i);
  const bool plain = std::ranges::none_of(input.columns, [&](size_t i) {
    const ExprPtr whole = column(i, input.node->schema[i].type);
    return comparable(whole) != whole;
  });
  if (!op.order_by && plain && targets_are_columns(op)) {
    input.node = plan::distinct(input.node);
    return input;
  }
  std::vector<ExprPtr> keys;
  std::vector<std::string> names;
  for (const auto& target : op.distinct_targets) {
    keys.push_back(comparable(expression(*target, input)));
    names.push_back(target->GetName());
  }
  std::vector<plan::SortKey> order;
  if (op.order_by) order = sort_keys(op.order_by->orders, input);
  std::vector<plan::AggregateCall> calls;
  std::vector<size_t> columns;
  for (size_t i = 0; i < input.node->schema.size(); ++i) {
    const Field& field = input.node->schema[i];
    plan::AggregateCall first;
    first.function = "first";
    first.args = {column(i, field.type)};
    first.order = order;
    first.type = field.type;
    calls.push_back(std::move(first));
    columns.push_back(names.size());
    names.push_back(field.name);
  }
  return {plan::aggregate(input.node, std::move(keys), std::move(calls), std::move(names)),
          std::move(columns),
          {}};
}

}  // namespace lanewise::sql
