#include "sql/functions/host_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "expr/evaluation/evaluate.h"
#include "ops/gather.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/gather.h"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

using ops::HostFunction;

struct HostFunctionInfo : duckdb::ScalarFunctionInfo {
  std::shared_ptr<const HostFunction> host;
};

std::shared_ptr<const HostFunction> host_function_of(const duckdb::ScalarFunction& function) {
  const auto* info = dynamic_cast<const HostFunctionInfo*>(function.function_info.get());
  return info == nullptr ? nullptr : info->host;
}

/// Called by DuckDB: for constants, and if it answers a query that the engine does not support.
void run_host(const HostFunction& host, const duckdb::DataChunk& chunk, duckdb::Vector& result) {
  const auto rows = static_cast<int64_t>(chunk.size());
  Arena arena;
  const ActiveSet all(static_cast<uint32_t>(rows), arena);
  std::vector<ColumnPtr> columns;
  std::vector<Vector> vectors;
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < host.arguments.size(); ++i) {
    auto& vector = const_cast<duckdb::Vector&>(chunk.data[i]);  // its reader may flatten it
    ColumnGather gather(vector.GetType(), host.arguments[i], rows, nullptr);
    gather.append(vector, rows);
    columns.push_back(gather.finish());
    vectors.push_back(slice(*columns.back(), 0, all.rows(), arena));
    args.push_back(column(i, host.arguments[i]));
  }
  EvalContext context{.arena = &arena};
  const ExprPtr call = ops::call_host_function(std::make_shared<HostFunction>(host), std::move(args));
  ops::Gather made(host.result, nullptr, "function");
  made.append(evaluate(*call, vectors, all, context), all);
  const ColumnPtr values = made.finish();
  for (int64_t row = 0; row < rows; ++row)
    result.SetValue(static_cast<duckdb::idx_t>(row), value_at(*values, row));
}

/// The function of that name; null if there is none. Aggregates and macros share the namespace.
duckdb::CatalogEntry* function_named(duckdb::ClientContext& context, const std::string& name) {
  return duckdb::Catalog::GetSystemCatalog(context)
      .GetEntry(context, duckdb::CatalogType::SCALAR_FUNCTION_ENTRY, DEFAULT_SCHEMA, name,
                duckdb::OnEntryNotFound::RETURN_NULL)
      .get();
}

bool is_host_function(const duckdb::CatalogEntry& entry) {
  if (entry.type != duckdb::CatalogType::SCALAR_FUNCTION_ENTRY) return false;
  const auto& functions = entry.Cast<duckdb::ScalarFunctionCatalogEntry>().functions.functions;
  return host_function_of(functions.at(0)) != nullptr;
}

duckdb::LogicalType type_for(const HostFunction& host, const Type& type) {
  if (type.is_nested() || type.id == TypeId::kNull)
    throw UserError(fmt::format("the function {}: arguments and results of {} are not supported yet",
                                host.name, type.name()));
  return to_duckdb(type);
}

}  // namespace

void add_host_function(duckdb::ClientContext& context, std::shared_ptr<const HostFunction> host) {
  const auto is_allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  if (host->name.empty() || !std::ranges::all_of(host->name, is_allowed))
    throw UserError(fmt::format("'{}' is not a name for a function: use letters, digits and _", host->name));
  duckdb::vector<duckdb::LogicalType> types;
  for (const Type& type : host->arguments) types.push_back(type_for(*host, type));
  const auto call = [host](duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
    run_host(*host, chunk, result);
  };
  duckdb::ScalarFunction function(host->name, types, type_for(*host, host->result), call);
  if (!host->strict) function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  auto info = duckdb::make_shared_ptr<HostFunctionInfo>();
  info->host = host;
  function.function_info = std::move(info);
  duckdb::CreateScalarFunctionInfo create(std::move(function));
  create.on_conflict = duckdb::OnCreateConflict::REPLACE_ON_CONFLICT;
  context.RunFunctionInTransaction([&] {
    const auto* before = function_named(context, host->name);
    if (before != nullptr && !is_host_function(*before))
      throw UserError(
          fmt::format("there is a function '{}' already: give this one another name", host->name));
    duckdb::Catalog::GetSystemCatalog(context).CreateFunction(context, create);
  });
}

bool drop_host_function(duckdb::ClientContext& context, const std::string& name) {
  bool dropped = false;
  context.RunFunctionInTransaction([&] {
    const auto* before = function_named(context, name);
    if (before == nullptr || !is_host_function(*before)) return;
    duckdb::DropInfo drop;
    drop.type = duckdb::CatalogType::SCALAR_FUNCTION_ENTRY;
    drop.schema = DEFAULT_SCHEMA;
    drop.name = name;
    drop.allow_drop_internal = true;
    duckdb::Catalog::GetSystemCatalog(context).DropEntry(context, drop);
    dropped = true;
  });
  return dropped;
}

std::shared_ptr<const HostFunction> host_function_of(const duckdb::BoundFunctionExpression& call) {
  return host_function_of(call.function);
}

}  // namespace lanewise::sql
