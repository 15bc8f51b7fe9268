#include "sql/database.h"

#include <fmt/format.h>

#include <utility>

#include "sql/duckdb_headers.h"
#include "sql/errors.h"
#include "sql/gather.h"
#include "sql/pattern_faults.h"
#include "sql/rows_function.h"
#include "sql/translate.h"
#include "sql/types.h"

namespace lanewise::sql {

namespace {

using duckdb::StatementType;

/// Optimisers whose plans ask for what the engine does not have. Each has its case in database_test.cc.
/// - compressed_materialization: wraps columns in functions that squeeze their bits.
/// - late_materialization: joins the table with itself by row number.
/// - in_clause: makes IN lists joins with the list.
/// - regex_range: compares text with BLOBs before it is matched, which computes the text twice.
/// - row_group_pruner: reads row groups in another order than the source's.
/// - top_n_window_elimination, window_self_join: make other things of windows; the error should name what was
/// written.
constexpr const char* kDisabledOptimizers =
    "compressed_materialization,late_materialization,in_clause,regex_range,row_group_pruner,"
    "top_n_window_elimination,window_self_join";

duckdb::unique_ptr<duckdb::DuckDB> open(const DatabaseOptions& options) {
  duckdb::DBConfig config;
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("threads", duckdb::Value::BIGINT(options.threads));
  config.SetOptionByName("disabled_optimizers", duckdb::Value(kDisabledOptimizers));
  if (options.memory_limit != 0) {
    config.SetOptionByName("memory_limit", duckdb::Value(fmt::format("{}B", options.memory_limit)));
  }
  return duckdb::make_uniq<duckdb::DuckDB>(options.path, &config);
}

/// DESCRIBE, SHOW and SUMMARIZE are SELECT statements to the parser.
bool is_show(const duckdb::SQLStatement& statement) {
  const auto& node = *statement.Cast<duckdb::SelectStatement>().node;
  if (node.type != duckdb::QueryNodeType::SELECT_NODE) return false;
  const auto& from = node.Cast<duckdb::SelectNode>().from_table;
  return from && from->type == duckdb::TableReferenceType::SHOW_REF;
}

/// What may change how files are read.
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

}  // namespace

struct Database::State {
  duckdb::unique_ptr<duckdb::DuckDB> instance;
  duckdb::unique_ptr<duckdb::Connection> connection;
  std::shared_ptr<ExposedRows> exposed = std::make_shared<ExposedRows>();
  Generation generation;

  duckdb::ClientContext& context() { return *connection->context; }

  bool query_left_open = false;  // in the transaction

  /// Begins a transaction unless the user has begun one. Statements that begin and end it take as long as a
  /// small query each; only where a query was left open one ends it, and closes that.
  std::shared_ptr<void> transaction() {
    context().ClearInterrupt();
    duckdb::TransactionContext& transaction = context().transaction;
    if (!transaction.IsAutoCommit()) return nullptr;
    transaction.BeginTransaction();
    transaction.SetAutoCommit(false);  // until its end
    return {this, [](State* state) {
              try {
                if (std::exchange(state->query_left_open, false)) {
                  state->connection->Rollback();
                } else {
                  state->context().transaction.Rollback(nullptr);
                }
              } catch (const std::exception&) {  // it was only read; the next statement begins anew
              }
            }};
  }

  duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> parse(const std::string& sql) {
    duckdb::Parser parser(context().GetParserOptions());
    parser.ParseQuery(sql);
    return std::move(parser.statements);
  }

  Table fetch(duckdb::QueryResult& result, MemoryBudget* budget);
};

Database::Database(const DatabaseOptions& options) : state_(std::make_unique<State>()) {
  translated([&] {
    state_->instance = open(options);
    state_->connection = duckdb::make_uniq<duckdb::Connection>(*state_->instance);
    state_->exposed->budget = options.budget;
    state_->exposed->cancellation = options.cancellation;
    register_rows_function(*state_->instance->instance, state_->exposed);
  });
}

Database::~Database() = default;

std::vector<std::string> Database::split(const std::string& sql) {
  return translated(
      [&] {
        std::vector<std::string> statements;
        for (const auto& statement : state_->parse(sql)) {
          std::string text = statement->query;
          duckdb::StringUtil::Trim(text);
          statements.push_back(std::move(text));
        }
        return statements;
      },
      sql);
}

bool Database::is_query(const std::string& statement) {
  return translated(
      [&] {
        const auto statements = state_->parse(statement);
        if (statements.size() != 1) return false;
        switch (statements[0]->type) {
          case StatementType::SELECT_STATEMENT:
            return !is_show(*statements[0]);
          case StatementType::MULTI_STATEMENT:  // PIVOT
            return true;
          case StatementType::EXECUTE_STATEMENT: {
            const auto& prepared = duckdb::ClientData::Get(state_->context()).prepared_statements;
            const auto found = prepared.find(statements[0]->Cast<duckdb::ExecuteStatement>().name);
            return found != prepared.end() &&
                   found->second->statement_type == StatementType::SELECT_STATEMENT;
          }
          default:
            return false;
        }
      },
      statement);
}

Query Database::plan(const std::string& query) {
  Query result;
  duckdb::unique_ptr<duckdb::LogicalOperator> logical;
  const auto make_plan = [&] {
    translated(
        [&] {
          auto statements = state_->parse(query);
          invariant(statements.size() == 1, "one query is planned at a time");
          if (statements[0]->type == StatementType::MULTI_STATEMENT) unsupported("PIVOT is not");
          if (statements[0]->type == StatementType::EXECUTE_STATEMENT)
            unsupported("EXECUTE of a query is not");
          if (!statements[0]->named_param_map.empty()) {
            throw UserError("The query has parameters (? or $name): write the values in their places.");
          }
          result.transaction = state_->transaction();
          state_->context().RunFunctionInTransaction([&] {
            duckdb::Planner planner(state_->context());
            planner.CreatePlan(std::move(statements[0]));
            logical = std::move(planner.plan);
            result.names.assign(planner.names.begin(), planner.names.end());
            if (duckdb::ClientConfig::GetConfig(state_->context()).enable_optimizer &&
                logical->RequireOptimizer()) {
              duckdb::Optimizer optimizer(*planner.binder, state_->context());
              logical = optimizer.Optimize(std::move(logical));
            }
            logical->ResolveOperatorTypes();
            duckdb::ColumnBindingResolver resolver;
            resolver.VisitOperator(*logical);
          });
        },
        query);
  };
  try {
    make_plan();
  } catch (const UserError&) {
    throw_pattern_fault(*state_->parse(query).at(0));
    throw;
  }
  try {
    translated([&] {
      Translator translator(state_->context(), state_->generation);
      result.root = translator.plan(*logical);
      if (translator.reads_json()) {
        state_->query_left_open = true;
        result.executor =
            std::shared_ptr<duckdb::PendingQueryResult>(state_->connection->PendingQuery("SELECT 1"));
      }
    });
  } catch (const MemoryError&) {
    throw;
  } catch (const UserError& error) {
    throw UnsupportedError(error.what());
  }
  return result;
}

Table Database::State::fetch(duckdb::QueryResult& result, MemoryBudget* budget) {
  constexpr int64_t kRows = 122'880;
  Table table;
  duckdb::vector<duckdb::LogicalType> types;
  std::vector<ColumnGather> columns;
  for (size_t i = 0; i < result.types.size(); ++i) {
    types.push_back(find_type(result.types[i]) ? result.types[i] : duckdb::LogicalType::VARCHAR);
    table.schema.push_back({result.names[i], *find_type(types[i])});
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

std::optional<Table> Database::run(const std::string& statement, MemoryBudget* budget) {
  return translated(
      [&]() -> std::optional<Table> {
        std::optional<Table> table;
        const bool query = is_query(statement);
        for (auto& part : state_->connection->ExtractStatements(statement)) {
          const StatementType type = part->type;
          if (!query) ++state_->generation.writes;
          if (changes_settings(type)) ++state_->generation.settings;
          auto result = state_->connection->SendQuery(std::move(part));
          if (result->HasError()) {
            duckdb::ErrorData error = result->GetErrorObject();
            error.Throw();
          }
          const bool has_rows = result->properties.return_type == duckdb::StatementReturnType::QUERY_RESULT;
          Table fetched = state_->fetch(*result, budget);
          table.reset();
          if (has_rows) table = std::move(fetched);
        }
        return table;
      },
      statement);
}

void Database::write_parquet(const Table& table, const std::string& path) {
  state_->exposed->table = &table;
  const std::shared_ptr<void> hide(nullptr, [this](void*) { state_->exposed->table = nullptr; });
  const std::string target = duckdb::Value(path).ToSQLString();
  try {
    run(fmt::format("COPY (FROM lanewise_rows()) TO {} (FORMAT parquet)", target), nullptr);
  } catch (const UserError& error) {
    const std::string what = error.what();
    if (what.find(path) != std::string::npos) throw;
    throw UserError(fmt::format("cannot write {}: {}", path, what));
  }
}

void Database::add_source(const std::string& name, std::shared_ptr<const Source> source) {
  state_->exposed->sources[duckdb::StringUtil::Lower(name)] = std::move(source);
}

std::shared_ptr<const Source> Database::remove_source(const std::string& name) {
  auto found = state_->exposed->sources.extract(duckdb::StringUtil::Lower(name));
  return found ? std::move(found.mapped()) : nullptr;
}

void Database::interrupt() { state_->context().Interrupt(); }

}  // namespace lanewise::sql
