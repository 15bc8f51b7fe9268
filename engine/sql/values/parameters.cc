#include "sql/values/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

const Column& column_of_one_row(const Table& given, size_t column) {
  const auto holds = std::ranges::find_if(given.batches, [](const Batch& batch) { return batch.rows > 0; });
  if (holds == given.batches.end() || given.rows() != 1)
    throw UserError(fmt::format("parameters need one row of values, not {}", given.rows()));
  return *holds->columns[column];
}

}  // namespace

ParameterValues parameter_values(const duckdb::SQLStatement& statement, const Table& given) {
  ParameterValues values;
  const auto& wanted = statement.named_param_map;
  if (wanted.empty() && given.schema.empty()) return values;
  if (given.schema.empty())
    throw UserError("The query has parameters (? or $name): write the values in their places.");
  for (size_t i = 0; i < given.schema.size(); ++i) {
    const std::string& name = given.schema[i].name;
    if (!wanted.contains(name)) throw UserError(fmt::format("the statement has no parameter ${}", name));
    values.emplace(name, duckdb::BoundParameterData(value_at(column_of_one_row(given, i), 0)));
  }
  for (const auto& [name, number] : wanted) {
    if (!values.contains(name)) throw UserError(fmt::format("the parameter ${} has no value", name));
  }
  return values;
}

ParameterValues parameter_values(duckdb::ClientContext& context, const duckdb::ExecuteStatement& execute,
                                 const duckdb::SQLStatement& prepared) {
  duckdb::PreparedStatement::VerifyParameters(execute.named_values, prepared.named_param_map);
  ParameterValues values;
  const auto binder = duckdb::Binder::CreateBinder(context);
  binder->SetCanContainNulls(true);
  for (const auto& [name, expr] : execute.named_values) {
    auto given = expr->Copy();
    duckdb::ConstantBinder constant(*binder, context, "EXECUTE statement");
    const auto bound = constant.Bind(given);
    // An integer literal adapts its type to what it is with.
    values.emplace(
        name, duckdb::BoundParameterData(duckdb::ExpressionExecutor::EvaluateScalar(context, *bound, true),
                                         duckdb::ExpressionBinder::GetExpressionReturnType(*bound)));
  }
  return values;
}

}  // namespace lanewise::sql
