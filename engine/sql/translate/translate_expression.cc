#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/packed.h"
#include "expr/casts/cast.h"
#include "expr/evaluation/evaluate.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "expr/functions/functions.h"
#include "expr/math/random.h"
#include "expr/nested/fold.h"
#include "ops/aggregate/functions/list_fold.h"
#include "sql/duckdb/errors.h"
#include "sql/duckdb/time_zone.h"
#include "sql/functions/host_functions.h"
#include "sql/scan/bind_data.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

using duckdb::ExpressionType;
using duckdb::LogicalTypeId;

namespace {

std::string description(const duckdb::Expression& expr) { return "the expression " + expr.ToString(); }

Type result_type(const duckdb::Expression& expr) { return type_of(expr.return_type, description(expr)); }

bool is_zoned(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(type, LogicalTypeId::TIMESTAMP_TZ);
}

/// Whether the answer needs ICU's calendar, even in UTC: the parts between two instants, and eras.
bool needs_calendar(const duckdb::BoundFunctionExpression& expr) {
  if (expr.children.size() < 2 || !is_zoned(expr.children[1]->return_type)) return false;
  if (expr.function.name == "date_sub" || expr.function.name == "datesub") return true;
  if (expr.children[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) return false;
  const duckdb::Value& part = expr.children[0]->Cast<duckdb::BoundConstantExpression>().value;
  return part.type().id() == LogicalTypeId::VARCHAR && !part.IsNull() &&
         duckdb::StringUtil::StartsWith(duckdb::StringUtil::Lower(duckdb::StringValue::Get(part)), "era");
}

/// Whether our table has the function for these arguments.
bool is_known(std::string_view name, const std::vector<ExprPtr>& args) {
  std::vector<Type> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  return find_function(name, types) != nullptr;
}

/// A call of a function in our table, else an error that names it with its argument types.
ExprPtr known_call(std::string_view name, std::vector<ExprPtr> args, Type type) {
  if (is_known(name, args)) return lanewise::call(name, std::move(args), type);
  std::vector<std::string> names;
  for (const ExprPtr& arg : args) names.push_back(arg->type.name());
  unsupported(fmt::format("the function {}({}) is not", name, fmt::join(names, ", ")));
}

std::string_view comparison_name(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return "=";
    case ExpressionType::COMPARE_NOTEQUAL:
      return "<>";
    case ExpressionType::COMPARE_LESSTHAN:
      return "<";
    case ExpressionType::COMPARE_GREATERTHAN:
      return ">";
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return "<=";
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return ">=";
    case ExpressionType::COMPARE_DISTINCT_FROM:
      return "IS DISTINCT FROM";
    case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
      return "IS NOT DISTINCT FROM";
    default:
      unsupported(fmt::format("the comparison {} is not", duckdb::ExpressionTypeToString(type)));
  }
}

bool is_equality(ExpressionType type) {
  return type == ExpressionType::COMPARE_EQUAL || type == ExpressionType::COMPARE_NOTEQUAL ||
         type == ExpressionType::COMPARE_DISTINCT_FROM || type == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
}

/// The value of an expression without columns, if computing it raises nothing.
ExprPtr folded(ExprPtr expr) {
  for (const ExprPtr& arg : expr->args) {
    if (arg->kind != Expr::Kind::kLiteral) return expr;
  }
  try {
    return literal(evaluate_reference(*expr, {}));
  } catch (const UserError&) {
    return expr;  // raises at run time, if it is evaluated
  }
}

/// Strings that one call of || joins at most; a kernel has an argument for each.
constexpr size_t kMostJoined = 64;

/// The strings of a || b || c, each copied once.
std::vector<ExprPtr> chained(std::vector<ExprPtr> args, Type type) {
  const Expr& first = *args[0];
  if (first.kind != Expr::Kind::kCall || first.function == nullptr || first.function->name != "||" ||
      first.type != type || first.args.size() >= kMostJoined)
    return args;
  std::vector<ExprPtr> all = first.args;
  all.push_back(std::move(args[1]));
  return all;
}

}  // namespace

ExprPtr comparable(ExprPtr expr) { return expr->type.is_nested() ? normalized(std::move(expr)) : expr; }

ExprPtr normalized(ExprPtr expr) {
  return packed::has_equal_forms(expr->type) ? lanewise::call("normalized", {std::move(expr)}) : expr;
}

bool Translator::is_set(const char* setting, std::string_view value) const {
  duckdb::Value current;
  return context_.TryGetCurrentSetting(setting, current) && current.ToString() == value;
}

std::vector<ExprPtr> Translator::expressions(
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& exprs, const Rows& input) {
  std::vector<ExprPtr> result;
  for (const auto& expr : exprs) result.push_back(expression(*expr, input));
  return result;
}

ExprPtr Translator::constant_of(Value value) {
  constexpr size_t kMostBytes = 4096;
  const auto* text = std::get_if<Value::Text>(&value.held());
  has_large_constants_ = has_large_constants_ || (text != nullptr && text->bytes.size() > kMostBytes);
  return literal(std::move(value));
}

ExprPtr Translator::expression(const duckdb::Expression& expr, const Rows& input) {
  if (is_left_to_duckdb(expr)) return by_duckdb(expr, input);
  switch (expr.GetExpressionClass()) {
    case duckdb::ExpressionClass::BOUND_REF: {
      const duckdb::idx_t index = expr.Cast<duckdb::BoundReferenceExpression>().index;
      result_type(expr);  // raises if the type is not one of ours
      if (input.sort_keys.contains(index)) unsupported(description(expr) + " (create_sort_key) is not");
      invariant(index < input.columns.size() && input.columns[index] != kNoColumn,
                "expressions read columns that exist");
      return column(input.columns[index], input.node->schema[input.columns[index]].type);
    }
    case duckdb::ExpressionClass::BOUND_CONSTANT:
      result_type(expr);
      return constant_of(to_value(expr.Cast<duckdb::BoundConstantExpression>().value));
    case duckdb::ExpressionClass::BOUND_COMPARISON: {
      const auto& comparison = expr.Cast<duckdb::BoundComparisonExpression>();
      return compare(expr.type, *comparison.left, *comparison.right, input, input);
    }
    case duckdb::ExpressionClass::BOUND_BETWEEN: {
      const auto& between = expr.Cast<duckdb::BoundBetweenExpression>();
      if (between.lower_inclusive && between.upper_inclusive) {
        return known_call(
            "BETWEEN",
            {ordered(*between.input, input), ordered(*between.lower, input), ordered(*between.upper, input)},
            TypeId::kBool);
      }
      return conjunction(
          {compare(between.LowerComparisonType(), *between.input, *between.lower, input, input),
           compare(between.UpperComparisonType(), *between.input, *between.upper, input, input)});
    }
    case duckdb::ExpressionClass::BOUND_CONJUNCTION: {
      auto args = expressions(expr.Cast<duckdb::BoundConjunctionExpression>().children, input);
      return expr.type == ExpressionType::CONJUNCTION_AND ? conjunction(std::move(args))
                                                          : disjunction(std::move(args));
    }
    case duckdb::ExpressionClass::BOUND_CASE: {
      const auto& choice = expr.Cast<duckdb::BoundCaseExpression>();
      std::vector<ExprPtr> args;
      for (const duckdb::BoundCaseCheck& check : choice.case_checks) {
        args.push_back(expression(*check.when_expr, input));
        args.push_back(expression(*check.then_expr, input));
      }
      args.push_back(expression(*choice.else_expr, input));
      return case_when(std::move(args));
    }
    case duckdb::ExpressionClass::BOUND_CAST:
      return cast(expr.Cast<duckdb::BoundCastExpression>(), input);
    case duckdb::ExpressionClass::BOUND_OPERATOR:
      return operation(expr.Cast<duckdb::BoundOperatorExpression>(), input);
    case duckdb::ExpressionClass::BOUND_FUNCTION:
      return function(expr.Cast<duckdb::BoundFunctionExpression>(), input);
    default:
      unsupported(description(expr) + " is not");
  }
}

ExprPtr Translator::compare(ExpressionType type, const duckdb::Expression& left,
                            const duckdb::Expression& right, const Rows& left_input,
                            const Rows& right_input) {
  if (holds_variant(left.return_type) || holds_variant(right.return_type)) {
    DuckdbArguments arguments;
    auto a = reference(expression(left, left_input), left.return_type, arguments);
    auto b = reference(expression(right, right_input), right.return_type, arguments);
    return by_duckdb(duckdb::make_uniq<duckdb::BoundComparisonExpression>(type, std::move(a), std::move(b)),
                     std::move(arguments));
  }
  const auto value = [&](const duckdb::Expression& expr, const Rows& input) {
    return is_equality(type) ? comparable(expression(expr, input)) : ordered(expr, input);
  };
  return known_call(comparison_name(type), {value(left, left_input), value(right, right_input)},
                    TypeId::kBool);
}

ExprPtr Translator::operation(const duckdb::BoundOperatorExpression& expr, const Rows& input) {
  auto args = [&] { return expressions(expr.children, input); };
  const auto in = [&] {
    std::vector<ExprPtr> all = args();
    for (ExprPtr& arg : all) arg = comparable(std::move(arg));
    ExprPtr first = all[0];
    all.erase(all.begin());
    return in_list(std::move(first), std::move(all));
  };
  switch (expr.type) {
    case ExpressionType::OPERATOR_NOT:
      return known_call("NOT", args(), TypeId::kBool);
    case ExpressionType::OPERATOR_IS_NULL:
      return known_call("IS NULL", args(), TypeId::kBool);
    case ExpressionType::OPERATOR_IS_NOT_NULL:
      return known_call("IS NOT NULL", args(), TypeId::kBool);
    case ExpressionType::OPERATOR_COALESCE:
      if (ExprPtr part = split_part(expr, input)) return part;
      return lanewise::coalesce(args());
    case ExpressionType::COMPARE_IN:
      return in();
    case ExpressionType::COMPARE_NOT_IN:
      return known_call("NOT", {in()}, TypeId::kBool);
    case ExpressionType::OPERATOR_TRY:
      return by_duckdb(expr, input);
    default:
      unsupported(description(expr) + " is not");
  }
}

/// split_part is a macro of DuckDB: coalesce(list_extract(string_split(text, separator), n), ''). Null for
/// anything else.
ExprPtr Translator::split_part(const duckdb::BoundOperatorExpression& expr, const Rows& input) {
  if (expr.children.size() != 2 ||
      expr.children[1]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT ||
      expr.children[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) {
    return nullptr;
  }
  const duckdb::Value& otherwise = expr.children[1]->Cast<duckdb::BoundConstantExpression>().value;
  if (otherwise.IsNull() || !otherwise.ToString().empty()) return nullptr;
  return split_extract("split_part", expr.children[0]->Cast<duckdb::BoundFunctionExpression>(), input);
}

/// The call of `name` for list_extract(string_split(text, separator), n); no list is made. Null for anything
/// else.
ExprPtr Translator::split_extract(std::string_view name, const duckdb::BoundFunctionExpression& expr,
                                  const Rows& input) {
  if ((expr.function.name != "list_extract" && expr.function.name != "array_extract") ||
      expr.children.size() != 2 ||
      expr.children[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) {
    return nullptr;
  }
  const auto& split = expr.children[0]->Cast<duckdb::BoundFunctionExpression>();
  if (split.function.name != "string_split" || split.children.size() != 2) return nullptr;
  return known_call(name,
                    {expression(*split.children[0], input), expression(*split.children[1], input),
                     expression(*expr.children[1], input)},
                    TypeId::kVarchar);
}

/// list_transform and similar functions: the lambda's captures are additional arguments.
ExprPtr Translator::lambda(const duckdb::BoundFunctionExpression& expr, const Rows& input) {
  const auto& bound = expr.bind_info->Cast<duckdb::ListLambdaBindData>();
  if (bound.lambda_expr == nullptr) return literal(Value(result_type(expr)));  // for a NULL
  std::vector<ExprPtr> args = expressions(expr.children, input);
  const Type list = args[0]->type;
  const bool reduces = duckdb::StringUtil::EndsWith(expr.function.name, "reduce");
  std::vector<Type> types;
  if (bound.has_index) types.push_back(TypeId::kInt64);
  types.push_back(list.element());
  if (reduces) types.push_back(result_type(expr));
  for (size_t i = bound.has_initial ? 2 : 1; i < args.size(); ++i) types.push_back(args[i]->type);
  Schema parameters;
  for (const Type type : types) parameters.push_back({"", type});
  const Rows row = all_of(plan::values(std::make_shared<Table>(Table{parameters, {}})));
  return call_lambda(expr.function.name, std::move(args), expression(*bound.lambda_expr, row),
                     bound.has_index, bound.has_initial, result_type(expr));
}

/// A field, by its name or its number.
ExprPtr Translator::field(const duckdb::BoundFunctionExpression& expr, const Rows& input) {
  const ExprPtr from = expression(*expr.children[0], input);
  const auto& key = expr.children[1]->Cast<duckdb::BoundConstantExpression>().value;
  int64_t number = 0;
  if (key.type().id() == LogicalTypeId::VARCHAR) {
    const auto& members = from->type.members();
    const auto found = std::ranges::find_if(members, [&](const Member& member) {
      return duckdb::StringUtil::CIEquals(member.name, key.ToString());
    });
    number = found - members.begin() + 1;
  } else {
    number = key.GetValue<int64_t>();
  }
  return known_call("struct_extract_at", {from, literal(Value::int64(number))}, result_type(expr));
}

namespace {

/// The state of list_aggregate for its aggregate.
struct ListAggregate {
  duckdb::unique_ptr<duckdb::Expression> aggregate;
  // NOLINTNEXTLINE(readability-identifier-naming): DuckDB calls it by this name
  static duckdb::unique_ptr<ListAggregate> Deserialize(duckdb::Deserializer& from) {
    auto result = duckdb::make_uniq<ListAggregate>();
    from.ReadProperty<duckdb::LogicalType>(1, "stype");
    result->aggregate = from.ReadProperty<duckdb::unique_ptr<duckdb::Expression>>(2, "aggr_expr");
    return result;
  }
};

}  // namespace

/// The struct's fields in the new type's order; given ones replace its own.
ExprPtr Translator::struct_update(const duckdb::BoundFunctionExpression& expr, const Rows& input) {
  const ExprPtr from = expression(*expr.children[0], input);
  const Type type = result_type(expr);
  const std::vector<Member>& own = from->type.members();
  std::vector<ExprPtr> fields;
  for (size_t i = 0; i < type.members().size(); ++i) {
    const auto given = std::find_if(expr.children.begin() + 1, expr.children.end(), [&](const auto& child) {
      return duckdb::StringUtil::CIEquals(child->GetAlias(), type.members()[i].name);
    });
    if (given != expr.children.end()) {
      fields.push_back(expression(**given, input));
    } else {
      invariant(i < own.size(), "a field of struct_update is the struct's own or given");
      fields.push_back(known_call("struct_extract_at",
                                  {from, literal(Value::int64(static_cast<int64_t>(i) + 1))}, own[i].type));
    }
  }
  return known_call("struct_pack", std::move(fields), type);
}

/// list_aggregate(list, 'sum') and similar functions.
ExprPtr Translator::list_aggregate(const duckdb::BoundFunctionExpression& expr, const Rows& input) {
  ExprPtr list = expression(*expr.children[0], input);
  if (!list->type.is_nested()) return literal(Value(result_type(expr)));  // a NULL
  duckdb::unique_ptr<ListAggregate> held;
  read_bind_data(context_, expr.function, expr.bind_info.get(), [&](auto& in) {
    held = in.template ReadPropertyWithExplicitDefault<duckdb::unique_ptr<ListAggregate>>(
        100, "bind_data", duckdb::unique_ptr<ListAggregate>());
  });
  plan::AggregateCall aggregate = call(held->aggregate->Cast<duckdb::BoundAggregateExpression>(), input);
  const Type type = aggregate.type;
  const std::string name = aggregate.function;
  return expr::fold(std::move(list), name, type, ops::make_fold(std::move(aggregate)));
}

ExprPtr Translator::function(const duckdb::BoundFunctionExpression& expr, const Rows& input) {
  if (dynamic_cast<const duckdb::ListLambdaBindData*>(expr.bind_info.get()) != nullptr)
    return lambda(expr, input);
  if (expr.function.name == "struct_update") return struct_update(expr, input);
  constexpr std::array kListAggregates = {"aggregate", "array_aggr", "array_aggregate", "list_aggr",
                                          "list_aggregate"};
  if (std::ranges::find(kListAggregates, expr.function.name) != kListAggregates.end())
    return list_aggregate(expr, input);
  const auto has_fields = [](const duckdb::LogicalType& type) {
    return type.id() == LogicalTypeId::STRUCT || type.id() == LogicalTypeId::UNION;
  };
  if (expr.children.size() == 2 && has_fields(expr.children[0]->return_type) &&
      expr.children[1]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT &&
      expr.function.name.find("extract") != std::string::npos) {
    return field(expr, input);
  }
  if (ExprPtr part = split_extract("string_split_extract", expr, input)) return part;
  if (expr.function.name == "alias") {
    const std::string& own = expr.alias;
    return literal(Value(TypeId::kVarchar, own.empty() ? expr.children[0]->GetName() : own));
  }
  const auto needs_duckdb = [&](const duckdb::LogicalType& type) {
    return is_duckdbs(type) || (is_zoned(type) && !is_utc(context_));
  };
  const Type type = result_type(expr);
  if (needs_duckdb(expr.return_type) || needs_calendar(expr) ||
      std::ranges::any_of(expr.children, needs_duckdb, [](const auto& child) { return child->return_type; }))
    return by_duckdb(expr, input);
  std::vector<ExprPtr> args = expressions(expr.children, input);
  if (auto host = host_function_of(expr)) return ops::call_host_function(std::move(host), std::move(args));
  if (expr.function.name ==
      "constant_or_null") {  // used by the optimiser: the first argument unless another one is NULL
    std::vector<ExprPtr> nulls;
    for (size_t i = 1; i < args.size(); ++i) nulls.push_back(known_call("IS NULL", {args[i]}, TypeId::kBool));
    return case_when({disjunction(std::move(nulls)), literal(Value(type)), args[0]});
  }
  // The remainder of decimals that are too long for their type is computed in floats, but NULL for division
  // by zero. So are both for floats with a setting.
  const bool remainder = expr.function.name == "%" || expr.function.name == "mod";
  const bool divides = remainder || expr.function.name == "/";
  if (divides && type.is_float() &&
      ((remainder && expr.bind_info) || is_set("ieee_floating_point_ops", "false"))) {
    const Value none(type), zero(type, 0.0);
    ExprPtr is_zero = known_call("=", {args[1], literal(zero)}, TypeId::kBool);
    args[1] = case_when({std::move(is_zero), literal(none), args[1]});
  }
  const bool sorts = expr.function.name.find("sort") != std::string::npos ||
                     expr.function.name.find("grade_up") != std::string::npos;
  if (sorts && args[0]->type.is_nested() &&
      !(is_set("default_order", "ASCENDING") && is_set("default_null_order", "NULLS_LAST")))
    return by_duckdb(expr, std::move(args));
  if (expr.function.name == "error") return lanewise::cast(lanewise::call("error", std::move(args)), type);
  if (expr.function.name == "current_query") return literal(Value(type, statement_));
  if (expr.function.name == "setseed" && args[0]->kind == Expr::Kind::kLiteral) return set_seed(*args[0]);
  if (expr.function.name == "||" && type.is_string()) args = chained(std::move(args), type);
  if (expr.function.name == "unpivot_list") return lanewise::call("list_value", std::move(args), type);
  if (!is_known(expr.function.name, args)) return by_duckdb(expr, std::move(args));
  ExprPtr result = lanewise::call(expr.function.name, std::move(args), type);
  if (result->function != nullptr && result->function->varies)
    expr::seed_random(*result, duckdb::RandomEngine::Get(context_).NextRandomInteger64());
  return result;
}

/// Random numbers of this statement and of later ones are determined by the seed.
ExprPtr Translator::set_seed(const Expr& seed) {
  if (!seed.literal.is_null()) {
    const double value = seed.literal.real();
    if (!(value >= -1 && value <= 1))
      throw duckdb::InvalidInputException("SETSEED accepts seed values between -1.0 and 1.0, inclusive");
    constexpr double kHalf = std::numeric_limits<int32_t>::max();
    duckdb::RandomEngine::Get(context_).SetSeed(static_cast<uint64_t>((value + 1) * kHalf));
  }
  return literal(Value(TypeId::kInt32));
}

ExprPtr Translator::cast(const duckdb::BoundCastExpression& expr, const Rows& input) {
  const duckdb::LogicalType &from = expr.child->return_type, &to = expr.return_type;
  const Type type = result_type(expr);
  const bool may_name_zone =  // "2020-01-01 Europe/Berlin"
      duckdb::TypeVisitor::Contains(from, LogicalTypeId::VARCHAR) && is_zoned(to);
  const bool changes_zone = may_name_zone || (is_zoned(from) != is_zoned(to) && !is_utc(context_));
  const auto needs_duckdb = [](const duckdb::LogicalType& side) {
    return is_duckdbs(side) || side.HasAlias() || holds_json(side);
  };
  if (!needs_duckdb(to) && find_type(from) == type) return expression(*expr.child, input);  // the same text
  if (from != to && (changes_zone || needs_duckdb(from) || needs_duckdb(to) ||
                     !expr::can_cast(type_of(from, "a value"), type)))
    return by_duckdb(expr, input);
  ExprPtr arg = expression(*expr.child, input);
  if (arg->type == type) return arg;
  return folded(lanewise::cast(std::move(arg), type, expr.try_cast));
}

}  // namespace lanewise::sql
