#include <algorithm>

#include "expr/function.h"
#include "sql/duckdb_calls.h"
#include "sql/translate.h"
#include "sql/types.h"

namespace lanewise::sql {

using duckdb::ExpressionClass;
using duckdb::ExpressionType;

namespace {

/// Whether it computes some children for some rows only.
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

bool Translator::has_foreign_arguments(const duckdb::Expression& expr) {
  bool found = false;
  duckdb::ExpressionIterator::EnumerateChildren(
      expr, [&](const duckdb::Expression& child) { found |= !find_type(child.return_type); });
  return found;
}

ExprPtr Translator::by_duckdb(const duckdb::Expression& expr, const Rows& input) {
  duckdb::unique_ptr<duckdb::Expression> copy = expr.Copy();
  DuckdbArguments arguments;
  refer_to_arguments(*copy, is_lazy(expr), input, arguments);
  ExprPtr call = call_duckdb(context_, std::move(copy), arguments.types, std::move(arguments.values));
  if (call->kind != Expr::Kind::kLiteral) computed_by_duckdb_.insert(name_of(expr));
  return call;
}

void Translator::refer_to_arguments(duckdb::Expression& expr, bool lazy, const Rows& input,
                                    DuckdbArguments& arguments) {
  duckdb::ExpressionIterator::EnumerateChildren(expr, [&](duckdb::unique_ptr<duckdb::Expression>& child) {
    if (child->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT) return;
    const bool is_column = child->GetExpressionClass() == ExpressionClass::BOUND_REF;
    if (!is_column && (lazy || !find_type(child->return_type)))
      return refer_to_arguments(*child, lazy || is_lazy(*child), input, arguments);
    const duckdb::LogicalType type = child->return_type;
    const bool text = is_held_as_text(type);
    arguments.values.push_back(expression(*child, input));
    arguments.types.push_back(text ? duckdb::LogicalType::VARCHAR : type);
    child = duckdb::make_uniq<duckdb::BoundReferenceExpression>(arguments.types.back(),
                                                                arguments.types.size() - 1);
    if (text) child = duckdb::BoundCastExpression::AddCastToType(context_, std::move(child), type);
  });
}

ExprPtr Translator::ordered(const duckdb::Expression& expr, const Rows& input) {
  if (!is_held_as_text(expr.return_type)) return comparable(expression(expr, input));
  const bool is_enum = expr.return_type.id() == duckdb::LogicalTypeId::ENUM;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> children;
  children.push_back(expr.Copy());
  if (!is_enum)
    children.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value("ASC NULLS LAST")));
  duckdb::ErrorData error;
  const auto key = duckdb::FunctionBinder(context_).BindScalarFunction(
      DEFAULT_SCHEMA, is_enum ? "enum_code" : "create_sort_key", std::move(children), error);
  if (key == nullptr) error.Throw();
  ExprPtr result = by_duckdb(*key, input);
  if (is_enum) return result;
  return case_when({lanewise::call("IS NULL", {expression(expr, input)}), literal(Value(result->type)), result});
}

}  // namespace lanewise::sql
