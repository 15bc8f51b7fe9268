#include <algorithm>

#include "sql/duckdb/errors.h"
#include "sql/functions/duckdb_calls.h"
#include "sql/translate/translate.h"
#include "sql/values/types.h"

namespace lanewise::sql {

using duckdb::ExpressionClass;
using duckdb::ExpressionType;

namespace {

/// Whether it evaluates some children only for some rows.
bool is_lazy(const duckdb::Expression& expr) {
  return expr.GetExpressionClass() == ExpressionClass::BOUND_CASE ||
         expr.GetExpressionClass() == ExpressionClass::BOUND_CONJUNCTION ||
         expr.type == ExpressionType::OPERATOR_COALESCE || expr.type == ExpressionType::OPERATOR_TRY;
}

/// "md5", "CAST"
std::string name_of(const duckdb::Expression& expr) {
  if (expr.GetExpressionClass() == ExpressionClass::BOUND_FUNCTION)
    return expr.Cast<duckdb::BoundFunctionExpression>().function.name;
  return duckdb::ExpressionTypeToString(expr.type);
}

}  // namespace

bool Translator::is_left_to_duckdb(const duckdb::Expression& expr) {
  const bool compares = expr.GetExpressionClass() == ExpressionClass::BOUND_COMPARISON ||
                        expr.GetExpressionClass() == ExpressionClass::BOUND_BETWEEN ||
                        expr.type == ExpressionType::COMPARE_IN ||
                        expr.type == ExpressionType::COMPARE_NOT_IN;
  bool found = false;
  duckdb::ExpressionIterator::EnumerateChildren(expr, [&](const duckdb::Expression& child) {
    found |= !find_type(child.return_type) || (compares && holds_variant(child.return_type));
  });
  return found;
}

ExprPtr Translator::by_duckdb(const duckdb::Expression& expr, const Rows& input) {
  duckdb::unique_ptr<duckdb::Expression> copy = expr.Copy();
  DuckdbArguments arguments;
  refer_to_arguments(*copy, is_lazy(expr), input, arguments);
  return by_duckdb(std::move(copy), std::move(arguments));
}

ExprPtr Translator::by_duckdb(const duckdb::BoundFunctionExpression& expr, std::vector<ExprPtr> values) {
  auto copy = duckdb::unique_ptr_cast<duckdb::Expression, duckdb::BoundFunctionExpression>(expr.Copy());
  DuckdbArguments arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    duckdb::unique_ptr<duckdb::Expression>& child = copy->children[i];
    if (child->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT)
      child = reference(std::move(values[i]), child->return_type, arguments);
  }
  return by_duckdb(std::move(copy), std::move(arguments));
}

ExprPtr Translator::by_duckdb(duckdb::unique_ptr<duckdb::Expression> expr, DuckdbArguments arguments) {
  const std::string name = name_of(*expr);
  ExprPtr call = call_duckdb(context_, std::move(expr), arguments.types, std::move(arguments.values));
  if (call->kind != Expr::Kind::kLiteral) computed_by_duckdb_.insert(name);
  return call;
}

duckdb::unique_ptr<duckdb::Expression> Translator::reference(ExprPtr value, const duckdb::LogicalType& type,
                                                             DuckdbArguments& arguments) {
  if (duckdb::TypeVisitor::Contains(type, duckdb::LogicalTypeId::TYPE))
    unsupported("a function of values of type TYPE is not");
  const bool text = is_held_as_text(type);
  const duckdb::LogicalType given = text ? duckdb::LogicalType::VARCHAR : type;
  duckdb::unique_ptr<duckdb::Expression> result =
      duckdb::make_uniq<duckdb::BoundReferenceExpression>(given, arguments.types.size());
  arguments.values.push_back(std::move(value));
  arguments.types.push_back(given);
  return text ? duckdb::BoundCastExpression::AddCastToType(context_, std::move(result), type)
              : std::move(result);
}

void Translator::refer_to_arguments(duckdb::Expression& expr, bool lazy, const Rows& input,
                                    DuckdbArguments& arguments) {
  duckdb::ExpressionIterator::EnumerateChildren(expr, [&](duckdb::unique_ptr<duckdb::Expression>& child) {
    if (child->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT) return;
    const bool is_column = child->GetExpressionClass() == ExpressionClass::BOUND_REF;
    if (!is_column && (lazy || !find_type(child->return_type)))
      return refer_to_arguments(*child, lazy || is_lazy(*child), input, arguments);
    child = reference(expression(*child, input), child->return_type, arguments);
  });
}

ExprPtr Translator::ordered(const duckdb::Expression& expr, const Rows& input) {
  ExprPtr value = expression(expr, input);
  if (!holds_text(expr.return_type)) return comparable(std::move(value));
  const bool is_enum = expr.return_type.id() == duckdb::LogicalTypeId::ENUM;
  DuckdbArguments arguments;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> children;
  children.push_back(reference(std::move(value), expr.return_type, arguments));
  auto is_null = duckdb::make_uniq<duckdb::BoundOperatorExpression>(ExpressionType::OPERATOR_IS_NULL,
                                                                    duckdb::LogicalType::BOOLEAN);
  is_null->children.push_back(children[0]->Copy());
  if (!is_enum)
    children.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value("ASC NULLS LAST")));
  duckdb::ErrorData error;
  auto key = duckdb::FunctionBinder(context_).BindScalarFunction(
      DEFAULT_SCHEMA, is_enum ? "enum_code" : "create_sort_key", std::move(children), error);
  if (key == nullptr) error.Throw();
  if (is_enum) return by_duckdb(std::move(key), std::move(arguments));
  auto null = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(key->return_type));
  return by_duckdb(
      duckdb::make_uniq<duckdb::BoundCaseExpression>(std::move(is_null), std::move(null), std::move(key)),
      std::move(arguments));
}

}  // namespace lanewise::sql
