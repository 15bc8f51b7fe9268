#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expr/functions/build.h"
#include "ops/aggregate/functions/functions.h"
#include "sql/duckdb/errors.h"
#include "sql/functions/duckdb_aggregates.h"
#include "sql/scan/bind_data.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

namespace {

/// Whether the order of rows cannot matter, as all of them have the same arguments.
bool order_is_free(const duckdb::BoundAggregateExpression& expr) {
  return std::ranges::all_of(expr.children, [](const auto& arg) { return arg->IsFoldable(); }) &&
         (!expr.order_bys || std::ranges::none_of(expr.order_bys->orders, [](const auto& key) {
           return key.expression->CanThrow();
         }));
}

/// Whether the order of rows may change the result of an aggregate of DuckDB: its ORDER BY, or that of the
/// input, whose first one of equal values counts at any number of threads.
bool order_counts(const duckdb::BoundAggregateExpression& expr) {
  constexpr std::array kOfAnyOrder = {
      "approx_count_distinct", "approx_quantile",   "bit_and", "bit_or", "bit_xor",
      "bitstring_agg",         "reservoir_quantile"};
  const std::string& name = expr.function.name;
  if (order_is_free(expr) ||
      expr.function.GetOrderDependent() != duckdb::AggregateOrderDependent::ORDER_DEPENDENT ||
      std::ranges::find(kOfAnyOrder, name) != kOfAnyOrder.end())
    return false;
  // The n of the first row counts; all others must be equal where parts are merged.
  if (name == "min" || name == "max") return expr.children.size() == 2 && !expr.children[1]->IsFoldable();
  return expr.order_bys || name != "approx_top_k";
}

duckdb::shared_ptr<duckdb::BoundAggregateExpression> shared_copy(
    const duckdb::BoundAggregateExpression& expr) {
  return duckdb::unique_ptr_cast<duckdb::Expression, duckdb::BoundAggregateExpression>(expr.Copy());
}

bool is_null_literal(const Expr& expr) { return expr.kind == Expr::Kind::kLiteral && expr.literal.is_null(); }

/// The separator of string_agg.
ExprPtr separator(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr) {
  std::string text;
  read_bind_data(context, expr.function, expr.bind_info.get(),
                 [&](auto& in) { text = in.template ReadProperty<duckdb::string>(100, "separator"); });
  return literal(Value::varchar(text));
}

bool is_quantile(std::string_view name) {
  return name == "quantile" || name == "quantile_cont" || name == "quantile_disc";
}

/// The fractions of a quantile; negative if they count from the greatest value.
std::vector<ExprPtr> fractions_of(duckdb::ClientContext& context,
                                  const duckdb::BoundAggregateExpression& expr) {
  duckdb::vector<duckdb::Value> fractions;
  bool descending = false;
  read_bind_data(context, expr.function, expr.bind_info.get(), [&](auto& in) {
    in.ReadProperty(100, "quantiles", fractions);
    in.template ReadProperty<duckdb::vector<duckdb::idx_t>>(101, "order");
    in.ReadProperty(102, "desc", descending);
  });
  std::vector<ExprPtr> result;
  for (const duckdb::Value& fraction : fractions) {
    Value value = to_value(fraction);
    if (descending) {
      const double real = fraction.GetValue<double>();
      if (real == 0)
        unsupported(fmt::format("{} of the fraction 0 in descending order is not", expr.function.name));
      if (real > 0)
        value = value.type().is_float() ? Value(value.type(), -value.real())
                                        : Value(value.type(), -value.integer());
    }
    result.push_back(literal(std::move(value)));
  }
  return result;
}

/// f(CASE WHEN c THEN x END) as f(x) FILTER (WHERE c), for a function that leaves out NULLs: other rows then
/// need no value.
plan::AggregateCall filtered_by_case(plan::AggregateCall call) {
  if (call.args.size() != 1 || !call.order.empty()) return call;
  const ExprPtr& arg = call.args[0];
  const Expr& choice = arg->kind == Expr::Kind::kCast ? *arg->args[0] : *arg;
  if (choice.kind != Expr::Kind::kCase || choice.args.size() > 3) return call;
  if (choice.args.size() == 3 && !is_null_literal(*choice.args[2])) return call;
  const ExprPtr condition = choice.args[0];
  ExprPtr value = choice.args[1];
  if (arg->kind == Expr::Kind::kCast) value = lanewise::cast(std::move(value), arg->type, arg->try_cast);
  call.args = {std::move(value)};
  call.filter = call.filter == nullptr ? condition : conjunction({call.filter, condition});
  return call;
}

/// Our table's function for the call; null if there is none.
const ops::AggregateFunction* known_function(const plan::AggregateCall& call) {
  std::vector<Type> types;
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  const ops::AggregateFunction* function = ops::find_aggregate(call.function, types);
  return function == nullptr || function->resolve(types) != call.type ? nullptr : function;
}

/// Whether it has an argument whose order matters and differs from that of our values.
bool has_order_of_duckdb(const duckdb::BoundAggregateExpression& expr) {
  const ops::AggregateFunction* function = ops::find_aggregate(expr.function.name);
  return (function == nullptr || function->compares_values) &&
         std::ranges::any_of(expr.children, [](const auto& child) { return holds_text(child->return_type); });
}

/// The original name of first, last and any_value with ORDER BY, which the optimiser has renamed.
std::string_view unordered_name(std::string_view name) {
  if (name == "arg_min_null") return "first";
  if (name == "arg_max_null") return "last";
  if (name == "arg_min") return "any_value";
  return {};
}

/// Whether the targets are all columns of the rows, in order.
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
    const auto& direction =
        function.children[i + 1]->Cast<duckdb::BoundConstantExpression>().value.ToString();
    keys.push_back({ordered(*function.children[i], input), direction.find("DESC") != std::string::npos,
                    direction.find("NULLS FIRST") != std::string::npos});
  }
  return keys;
}

/// An argument; an untyped NULL gets the type `untyped`.
ExprPtr Translator::argument(const duckdb::Expression& arg, Type untyped, const Rows& input) {
  ExprPtr result = expression(arg, input);
  return result->type == TypeId::kNull ? lanewise::cast(std::move(result), untyped) : result;
}

plan::AggregateCall Translator::call_without_arguments(const duckdb::BoundAggregateExpression& expr,
                                                       const Rows& input) {
  plan::AggregateCall result;
  result.function = expr.function.name;
  result.distinct = expr.IsDistinct();
  result.type = type_of(expr.return_type, fmt::format("the aggregate {}", expr.ToString()));
  if (expr.filter) result.filter = expression(*expr.filter, input);
  return result;
}

/// quantile(x, [a, b]): the list of quantile(x, a) and quantile(x, b).
Translator::Calls Translator::quantiles(const duckdb::BoundAggregateExpression& expr, const Rows& input) {
  plan::AggregateCall one = call_without_arguments(expr, input);
  const Type list = one.type;
  one.type = list.element();
  one.args = {argument(*expr.children[0], one.type, input), nullptr};
  Calls result;
  const std::vector<ExprPtr> fractions = fractions_of(context_, expr);
  if (fractions.empty()) {
    one.function = "count";
    one.type = TypeId::kInt64;
    one.args.pop_back();
    result.calls.push_back(std::move(one));
    result.whole = [list](std::vector<ExprPtr> count) {
      ExprPtr some = lanewise::call(">", {count[0], literal(Value::int64(0))});
      return case_when({std::move(some), lanewise::cast(lanewise::call("list_value", {}), list)});
    };
    return result;
  }
  for (const ExprPtr& fraction : fractions) {
    one.args[1] = fraction;
    result.calls.push_back(one);
  }
  result.whole = [list](std::vector<ExprPtr> quantiles) {
    ExprPtr none = lanewise::call("IS NULL", {quantiles[0]});
    return case_when(
        {std::move(none), literal(Value(list)), lanewise::call("list_value", std::move(quantiles), list)});
  };
  return result;
}

Translator::Calls Translator::calls(const duckdb::BoundAggregateExpression& expr, const Rows& input) {
  const std::string& name = expr.function.name;
  const bool makes_list = expr.return_type.id() == duckdb::LogicalTypeId::LIST;
  if (is_quantile(name) && makes_list && expr.return_type != expr.children[0]->return_type &&
      !has_order_of_duckdb(expr))
    return quantiles(expr, input);
  plan::AggregateCall made = call(expr, input);
  if (made.host != nullptr && expr.order_bys && order_counts(expr)) return ordered_by_duckdb(expr, input);
  return {{std::move(made)}, nullptr};
}

/// An aggregate of DuckDB with ORDER BY: over the list of its arguments in that order.
Translator::Calls Translator::ordered_by_duckdb(const duckdb::BoundAggregateExpression& expr,
                                                const Rows& input) {
  duckdb::child_list_t<duckdb::LogicalType> fields;
  for (const auto& child : expr.children)
    fields.emplace_back(fmt::format("c{}", fields.size()), child->return_type);
  const auto type = duckdb::LogicalType::LIST(duckdb::LogicalType::STRUCT(std::move(fields)));
  plan::AggregateCall list = call_without_arguments(expr, input);
  list.function = "list";
  list.type = type_of(type, fmt::format("the arguments of {}", expr.ToString()));
  list.args = {lanewise::call("struct_pack", expressions(expr.children, input), list.type.element())};
  list.order = sort_keys(expr.order_bys->orders, input);
  const auto whole = [&context = context_, expr = shared_copy(expr), type](std::vector<ExprPtr> lists) {
    return call_duckdb_on_lists(context, *expr, std::move(lists[0]), type);
  };
  return {{std::move(list)}, whole};
}

plan::AggregateCall Translator::call(const duckdb::BoundAggregateExpression& expr, const Rows& input) {
  plan::AggregateCall result = call_without_arguments(expr, input);
  const std::string& name = expr.function.name;
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
  for (size_t i = 0; i < count; ++i) result.args.push_back(argument(*expr.children[i], result.type, input));
  const ops::AggregateFunction* named = ops::find_aggregate(name);
  if (count == 2 && named != nullptr && named->choice && named->choice->by) {
    result.args[1] = ordered(*expr.children[1], input);
  } else if (count == expr.children.size() && has_order_of_duckdb(expr)) {
    return by_duckdb(expr, input);
  }
  if (name == "string_agg" || name == "group_concat" || name == "listagg")
    result.args.push_back(separator(context_, expr));
  if (is_quantile(name)) {
    const std::vector<ExprPtr> fractions = fractions_of(context_, expr);
    if (fractions.size() != 1) return by_duckdb(expr, input);
    result.args.push_back(fractions[0]);
  }
  if (name == "histogram") {
    if (result.args[0]->type.id == TypeId::kInterval)
      return by_duckdb(expr, input);  // keys as the first one is written
    result.args[0] = normalized(std::move(result.args[0]));
  }
  if (name == "mode" && comparable(result.args[0]) != result.args[0])
    return by_duckdb(expr, input);  // the first of equal values, as it is written
  if (name == "entropy" || name == "approx_count_distinct") result.args[0] = comparable(result.args[0]);
  if (name == "count_if" || name == "countif") {  // DuckDB's result is NULL if no condition is true or false
    result.function = "sum";
    result.args[0] = lanewise::cast(std::move(result.args[0]), TypeId::kInt8);
  }
  const ops::AggregateFunction* function = known_function(result);
  if (function == nullptr) return by_duckdb(expr, input);
  result.function = function->name;
  return function->takes_nulls ? result : filtered_by_case(std::move(result));
}

plan::AggregateCall Translator::by_duckdb(const duckdb::BoundAggregateExpression& expr, const Rows& input) {
  const bool takes_type = std::ranges::any_of(expr.children, [](const auto& child) {
    return duckdb::TypeVisitor::Contains(child->return_type, duckdb::LogicalTypeId::TYPE);
  });
  if (takes_type) unsupported("aggregates of values of type TYPE are not");
  computed_by_duckdb_.insert(expr.function.name);
  return call_duckdb(context_, expr, order_counts(expr), call_without_arguments(expr, input),
                     expressions(expr.children, input));
}

/// DISTINCT ON keeps the first row of each group, in order. DISTINCT is the same, except that its targets
/// may be all columns: fewer if ORDER BY needs more, or others (their collation's) for columns
/// with COLLATE.
Rows Translator::distinct(duckdb::LogicalDistinct& op) {
  Rows input = rows(*op.children[0]);
  input = {exact(std::move(input)), {}, {}};
  for (size_t i = 0; i < input.node->schema.size(); ++i) input.columns.push_back(i);
  if (!op.order_by && targets_are_columns(op)) {
    input.node = plan::distinct(input.node);
    return input;
  }
  std::vector<ExprPtr> keys;
  std::vector<std::string> names;
  for (const auto& target : op.distinct_targets) {
    keys.push_back(expression(*target, input));
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
