#include "sql/functions/duckdb_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/host_function.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/gather.h"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

using duckdb::idx_t;

/// An expression of DuckDB and its execution state, for several threads at once.
struct Computation {
  duckdb::shared_ptr<duckdb::ClientContext> context;
  duckdb::unique_ptr<duckdb::Expression> expression;
  duckdb::vector<duckdb::LogicalType> types;  // of its references
  Type result;
};

std::vector<Batch> compute(const Computation& made, const Batch& arguments) {
  duckdb::ExpressionExecutor executor(*made.context, *made.expression);
  duckdb::DataChunk chunk;
  chunk.Initialize(*made.context, made.types);
  ColumnGather gather(made.expression->return_type, made.result, arguments.rows, nullptr);
  for (int64_t first = 0; first < arguments.rows; first += STANDARD_VECTOR_SIZE) {
    const int64_t rows = std::min<int64_t>(STANDARD_VECTOR_SIZE, arguments.rows - first);
    chunk.Reset();
    for (size_t i = 0; i < arguments.columns.size(); ++i)
      expose(*arguments.columns[i], first, rows, chunk.data[i]);
    chunk.SetCardinality(static_cast<idx_t>(rows));
    duckdb::Vector values(made.expression->return_type);
    executor.ExecuteExpression(chunk, values);
    gather.append(values, rows);
  }
  return {Batch{arguments.rows, {gather.finish()}}};
}

}  // namespace

ExprPtr call_duckdb(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::Expression> expression,
                    const duckdb::vector<duckdb::LogicalType>& types, std::vector<ExprPtr> args) {
  const std::string text = expression->ToString();
  const Type result = type_of(expression->return_type, "the expression " + text);
  duckdb::Value value;
  if (args.empty() && expression->IsFoldable() &&
      duckdb::ExpressionExecutor::TryEvaluateScalar(context, *expression, value))
    return literal(to_value(value));
  const auto made = std::make_shared<Computation>();
  made->context = context.shared_from_this();
  made->expression = std::move(expression);
  made->types = types;
  made->result = result;
  return call_of_duckdb(text, result, std::move(args), made->expression->IsVolatile(),
                        [made](const Batch& arguments) { return compute(*made, arguments); });
}

ExprPtr call_of_duckdb(const std::string& text, Type result, std::vector<ExprPtr> args, bool varies,
                       std::function<std::vector<Batch>(const Batch&)> run) {
  auto function = std::make_shared<ops::HostFunction>();
  function->name = text;
  function->written = fmt::format("duckdb[{}]", text);
  for (const ExprPtr& arg : args) function->arguments.push_back(arg->type);
  function->result = result;
  function->strict = false;
  function->varies = varies;
  function->run = [run = std::move(run)](const Batch& arguments) {
    return translated([&] { return run(arguments); });
  };
  return ops::call_host_function(std::move(function), std::move(args));
}

}  // namespace lanewise::sql
