#include "sql/database_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/new_file.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/gather.h"
#include "sql/statement.h"
#include "sql/values/parameters.h"
#include "sql/values/types.h"
#include "sql/write_plan.h"

namespace lanewise::sql {

using duckdb::StatementType;

namespace {

/// The parser returns DESCRIBE and SHOW as SELECT statements. SUMMARIZE is a query over all rows.
bool is_show(const duckdb::SQLStatement& statement) {
  const auto& node = *statement.Cast<duckdb::SelectStatement>().node;
  if (node.type != duckdb::QueryNodeType::SELECT_NODE) return false;
  const auto& from = node.Cast<duckdb::SelectNode>().from_table;
  return from && from->type == duckdb::TableReferenceType::SHOW_REF &&
         from->Cast<duckdb::ShowRef>().show_type != duckdb::ShowType::SUMMARY;
}

/// Whether the statement may change how files are read.
bool changes_settings(StatementType type) {
  switch (type) {
    case StatementType::SET_STATEMENT:
    case StatementType::VARIABLE_SET_STATEMENT:
    case StatementType::PRAGMA_STATEMENT:
    case StatementType::LOAD_STATEMENT:
    case StatementType::ATTACH_STATEMENT:
    case StatementType::DETACH_STATEMENT:
    case StatementType::CALL_STATEMENT:
    case StatementType::MULTI_STATEMENT:
      return true;
    default:
      return false;
  }
}

/// The text up to each ';' that is not part of another token.
std::vector<std::string> divided(const std::string& sql) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (const duckdb::SimplifiedToken& token : duckdb::Parser::Tokenize(sql)) {
    if (sql[token.start] != ';') continue;
    parts.push_back(sql.substr(begin, token.start + 1 - begin));
    begin = token.start + 1;
  }
  if (begin < sql.size()) parts.push_back(sql.substr(begin));
  return parts;
}

}  // namespace

void Database::State::prepare_second() {
  duckdb::ClientContext& first = *connection->context;
  if (!second) {
    second = duckdb::make_uniq<duckdb::Connection>(*instance);
    second_context = second->context.get();
  }
  second->context->config = first.config;
  auto paths = duckdb::ClientData::Get(first).catalog_search_path->GetSetPaths();
  for (duckdb::CatalogSearchEntry& path : paths) {
    if (path.catalog.empty()) path.catalog = duckdb::DatabaseManager::GetDefaultDatabase(first);
  }
  duckdb::ClientData::Get(*second->context)
      .catalog_search_path->Set(paths, duckdb::CatalogSetPathType::SET_DIRECTLY);
}

duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> Database::State::parse(const std::string& sql) {
  duckdb::Parser parser(context().GetParserOptions());
  try {
    parser.ParseQuery(sql);
  } catch (const duckdb::ParserException& error) {
    // DuckDB's parser rejects windows of the same name in two statements as a duplicate definition.
    const std::vector<std::string> parts = divided(sql);
    if (parts.size() < 2 || std::string_view(error.what()).find("already defined") == std::string_view::npos)
      throw;
    duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> statements;
    for (const std::string& part : parts) {
      for (auto& statement : parse(part)) statements.push_back(std::move(statement));
    }
    return statements;
  }
  return std::move(parser.statements);
}

Statement::Kind Database::State::kind_of(const duckdb::SQLStatement& statement) {
  using Kind = Statement::Kind;
  // DuckDB then copies statements; that of a plan cannot be copied.
  const bool verifies = duckdb::ClientConfig::GetConfig(context()).AnyVerification();
  switch (statement.type) {
    case StatementType::SELECT_STATEMENT:
      return is_show(statement) ? Kind::kOther : Kind::kQuery;
    case StatementType::MULTI_STATEMENT:  // PIVOT, or ALTER TABLE ... ADD COLUMN with a computed default
      return kind_of(last_part(statement));
    case StatementType::EXECUTE_STATEMENT: {
      const auto& prepared = duckdb::ClientData::Get(context()).prepared_statements;
      const auto found = prepared.find(statement.Cast<duckdb::ExecuteStatement>().name);
      if (found == prepared.end()) return Kind::kOther;
      if (found->second->statement_type == StatementType::SELECT_STATEMENT) return Kind::kQuery;
      const duckdb::SQLStatement& prepared_one = *found->second->unbound_statement;
      const bool inserts = prepared_one.type == StatementType::INSERT_STATEMENT && query_inside(prepared_one);
      return !verifies && (inserts || finds_rows(prepared_one)) ? Kind::kChange : Kind::kOther;
    }
    default:
      return finds_rows(statement)     ? (verifies ? Kind::kOther : Kind::kChange)
             : query_inside(statement) ? Kind::kWrite
                                       : Kind::kOther;
  }
}

namespace {

Statement::Format format_of(duckdb::ExplainFormat format) {
  switch (format) {
    case duckdb::ExplainFormat::JSON:
      return Statement::Format::kJson;
    case duckdb::ExplainFormat::YAML:
      return Statement::Format::kYaml;
    case duckdb::ExplainFormat::MERMAID:
      return Statement::Format::kMermaid;
    case duckdb::ExplainFormat::GRAPHVIZ:
      return Statement::Format::kGraphviz;
    case duckdb::ExplainFormat::HTML:
      return Statement::Format::kHtml;
    default:
      return Statement::Format::kText;
  }
}

}  // namespace

void Database::State::take_explained(duckdb::unique_ptr<duckdb::SQLStatement>& statement, Statement& result) {
  if (statement->type == StatementType::MULTI_STATEMENT)  // of PIVOT
    return take_explained(statement->Cast<duckdb::MultiStatement>().statements.back(), result);
  if (statement->type != StatementType::EXPLAIN_STATEMENT) return;
  auto& explained = statement->Cast<duckdb::ExplainStatement>();
  if (kind_of(*explained.stmt) == Statement::Kind::kOther) return;
  const bool runs = explained.explain_type == duckdb::ExplainType::EXPLAIN_ANALYZE;
  result.explain = runs ? Statement::Explain::kProfile : Statement::Explain::kPlan;
  result.format = format_of(explained.explain_format);
  statement = std::move(explained.stmt);
}

const duckdb::SQLStatement* Database::State::after_preparation(const duckdb::SQLStatement* statement) {
  if (statement->type != StatementType::MULTI_STATEMENT) return statement;
  const auto& parts = statement->Cast<duckdb::MultiStatement>().statements;
  for (size_t i = 0; i + 1 < parts.size(); ++i) run(parts[i]->Copy(), true, {}, nullptr);
  return parts.back().get();
}

std::shared_ptr<void> Database::State::transaction() {
  context().ClearInterrupt();
  duckdb::TransactionContext& transaction = context().transaction;
  if (!transaction.IsAutoCommit()) return nullptr;
  transaction.BeginTransaction();
  transaction.SetAutoCommit(false);  // until its end
  return {this, [](State* state) {
            const bool writes = std::exchange(state->query_writes, false);
            duckdb::Connection& connection = *state->connection;
            if (!connection.context->transaction.HasActiveTransaction()) return;  // committed by its write
            try {  // perhaps in the thread that ran the query
              if (std::exchange(state->query_left_open, false)) {
                writes ? connection.Commit() : connection.Rollback();
              } else if (writes) {
                connection.context->transaction.Commit();
              } else {
                connection.context->transaction.Rollback(nullptr);
              }
            } catch (const std::exception&) {  // the next statement starts a new one
            }
          }};
}

std::optional<Table> Database::State::run(duckdb::unique_ptr<duckdb::SQLStatement> statement, bool reads_only,
                                          const Table& parameters, MemoryBudget* budget) {
  ParameterValues values = parameter_values(*statement, parameters);
  if (!reads_only) begin_change();
  if (changes_settings(statement->type)) ++generation.settings;
  const auto pending = context().PendingQuery(std::move(statement), values, duckdb::QueryParameters(true));
  if (pending->HasError()) pending->GetErrorObject().Throw();
  const auto result = pending->Execute();
  if (result->HasError()) result->GetErrorObject().Throw();
  const bool has_rows = result->properties.return_type == duckdb::StatementReturnType::QUERY_RESULT;
  Table fetched = fetch(*result, budget);
  if (!has_rows) return std::nullopt;
  return fetched;
}

Table Database::State::fetch(duckdb::QueryResult& result, MemoryBudget* budget) {
  constexpr int64_t kRows = 122'880;
  Table table;
  duckdb::vector<duckdb::LogicalType> types;
  std::vector<ColumnGather> columns;
  for (size_t i = 0; i < result.types.size(); ++i) {
    types.push_back(find_type(result.types[i]) ? result.types[i] : duckdb::LogicalType::VARCHAR);
    table.schema.push_back(
        {result.names[i], *find_type(types[i]), text_of(result.types[i]), sql_type(result.types[i])});
    columns.emplace_back(types[i], table.schema[i].type, 0, budget);
  }
  const auto flush = [&] {
    Batch batch;
    batch.rows = columns.empty() ? 0 : columns[0].rows();
    if (batch.rows == 0) return;
    for (ColumnGather& column : columns) batch.columns.push_back(column.finish());
    table.batches.push_back(std::move(batch));
  };
  while (auto chunk = result.Fetch()) {
    if (chunk->size() == 0) break;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (types[i] != result.types[i]) {
        duckdb::Vector text(types[i], chunk->size());
        duckdb::VectorOperations::Cast(context(), chunk->data[i], text, chunk->size());
        columns[i].append(text, static_cast<int64_t>(chunk->size()));
      } else {
        columns[i].append(chunk->data[i], static_cast<int64_t>(chunk->size()));
      }
    }
    if (!columns.empty() && columns[0].rows() >= kRows) flush();
  }
  if (result.HasError()) result.ThrowError();
  flush();
  return table;
}

std::optional<Table> Database::State::run_write(duckdb::unique_ptr<duckdb::SQLStatement> statement,
                                                const Table& parameters, MemoryBudget* budget) {
  const std::string* path = copied_to(*statement);
  if (path == nullptr) return run(std::move(statement), false, parameters, budget);
  refuse_overwriting(*path, files);
  const std::string named = *path;  // changes by the statement itself
  NewFile file(named);
  if (!file.in_place()) copy_to(*statement, file.temporary());
  std::optional<Table> result;
  try {
    result = run(std::move(statement), false, parameters, budget);
  } catch (const duckdb::Exception& error) {
    std::string text = duckdb::ErrorData(error).Message();
    const size_t at = text.find(file.temporary());
    if (at == std::string::npos) throw;
    throw UserError(text.replace(at, file.temporary().size(), named));
  }
  file.commit();
  return result;
}

std::shared_ptr<void> Database::State::expose(const Batches& rows) {
  exposed->rows = &rows;
  exposed->failed = nullptr;
  return {nullptr, [this](void*) { exposed->rows = nullptr; }};
}

std::optional<Table> Database::State::change(WritePlan& plan, bool commits, const std::string& text,
                                             MemoryBudget* budget) {
  context().RunFunctionInTransaction([&] { *plan.query = rows_in_plan(context(), exposed, plan.types); });
  plan.changes->ResolveOperatorTypes();
  auto statement = duckdb::make_uniq<duckdb::LogicalPlanStatement>(std::move(plan.changes));
  statement->query = text;
  bool& optimizes = duckdb::ClientConfig::GetConfig(context()).enable_optimizer;
  const bool before = std::exchange(optimizes, false);  // it was optimised with its query
  const std::shared_ptr<void> restore(nullptr, [&](void*) { optimizes = before; });
  std::optional<Table> result = run(std::move(statement), false, {}, budget);
  if (commits) {
    query_left_open = false;
    context().transaction.Commit();
  }
  if (!plan.returns_rows) return std::nullopt;
  for (size_t i = 0; i < result->schema.size(); ++i) result->schema[i].name = plan.names.at(i);
  return result;
}

std::string Database::State::rows_query(size_t columns) {
  std::vector<std::string> names;
  for (size_t i = 0; i < columns; ++i) names.push_back(fmt::format("c{}", i));
  return rows_query(names);
}

std::string Database::State::rows_query(const std::vector<std::string>& results) {
  std::vector<std::string> columns;
  for (size_t i = 0; i < results.size(); ++i) columns.push_back(fmt::format("c{}", i));
  return fmt::format("SELECT {} FROM lanewise_rows() AS t({})", fmt::join(results, ", "),
                     fmt::join(columns, ", "));
}

Table Database::State::selected(const Table& table, const std::vector<std::string>& expressions) {
  const Batches rows = batches_of(table);
  const std::shared_ptr<void> exposing = expose(rows);
  std::optional<Table> result;
  for (auto& statement : parse(rows_query(expressions)))
    result = run(std::move(statement), true, {}, exposed->budget);
  for (size_t i = 0; i < table.schema.size(); ++i) result->schema[i].name = table.schema[i].name;
  return std::move(*result);
}

}  // namespace lanewise::sql
