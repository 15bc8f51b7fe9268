#include "sql/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/new_file.h"
#include "sql/duckdb_headers.h"
#include "sql/errors.h"
#include "sql/functions/host_functions.h"
#include "sql/parameters.h"
#include "sql/scan/gather.h"
#include "sql/scan/identity.h"
#include "sql/scan/rows_function.h"
#include "sql/statement.h"
#include "sql/time_zone.h"
#include "sql/translate/pattern_faults.h"
#include "sql/translate/rewrite_rules.h"
#include "sql/translate/translate.h"
#include "sql/values/nested_arrow.h"
#include "sql/values/types.h"

namespace lanewise::sql {

namespace {

bool is_zoned(const Type& type) {
  return type.id == TypeId::kTimestampTz ||
         (type.is_nested() && std::ranges::any_of(type.nested->members, is_zoned, &Member::type));
}

using duckdb::StatementType;

constexpr const char* kFallback = "lanewise_fallback";

void check_fallback(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  const std::string text = value.ToString();
  if (!text.empty() && text != "duckdb")
    throw UserError(fmt::format("{} is '' or 'duckdb', not '{}'", kFallback, text));
}

duckdb::unique_ptr<duckdb::DuckDB> open(const DatabaseOptions& options) {
  duckdb::DBConfig config;
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("threads", duckdb::Value::BIGINT(options.threads));
  // The most columns that PIVOT may give: it then is aggregates with FILTER, whatever their number.
  config.SetOptionByName("pivot_filter_threshold", duckdb::Value::UBIGINT(100'000));
  if (options.memory_limit != 0) {
    config.SetOptionByName("memory_limit", duckdb::Value(fmt::format("{}B", options.memory_limit)));
  }
  if (options.temp_directory)
    config.SetOptionByName("temp_directory", duckdb::Value(*options.temp_directory));
  config.AddExtensionOption(kFallback, "Who runs what Lanewise's engine cannot: '' (an error) or 'duckdb'",
                            duckdb::LogicalType::VARCHAR, duckdb::Value(""), check_fallback);
  if (options.read_only && !options.path.empty()) config.options.access_mode = duckdb::AccessMode::READ_ONLY;
  try {
    return duckdb::make_uniq<duckdb::DuckDB>(options.path, &config);
  } catch (const std::exception& error) {
    // "Could not set lock on file ...: Conflicting lock is held in ... (PID 123) ...", and advice for another
    // program
    const std::string text = duckdb::ErrorData(error).RawMessage();
    const size_t holder = text.find("(PID ");
    if (text.find("Could not set lock") == std::string::npos || holder == std::string::npos) throw;
    throw UserError(fmt::format("'{}' is in use by process {}", options.path,
                                text.substr(holder + 5, text.find(')', holder) - holder - 5)));
  }
}

/// DESCRIBE, SHOW and SUMMARIZE are SELECT statements to the parser.
bool is_show(const duckdb::SQLStatement& statement) {
  const auto& node = *statement.Cast<duckdb::SelectStatement>().node;
  if (node.type != duckdb::QueryNodeType::SELECT_NODE) return false;
  const auto& from = node.Cast<duckdb::SelectNode>().from_table;
  return from && from->type == duckdb::TableReferenceType::SHOW_REF;
}

/// A type as a cast names it, with its collation; empty for that of NULL, which no cast names.
std::string spelled(const duckdb::LogicalType& type) {
  if (type.id() == duckdb::LogicalTypeId::SQLNULL) return "";
  const bool collated =
      type.id() == duckdb::LogicalTypeId::VARCHAR && !duckdb::StringType::GetCollation(type).empty();
  return type.ToString() + (collated ? " COLLATE " + duckdb::StringType::GetCollation(type) : "");
}

/// A setting that becomes again what it was.
template <class T>
class Restored {
 public:
  explicit Restored(T& setting) : setting_(setting), before_(setting) {}
  ~Restored() { setting_ = std::move(before_); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  T& setting_;
  T before_;
};

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

struct Database::State {
  duckdb::unique_ptr<duckdb::DuckDB> instance;
  duckdb::unique_ptr<duckdb::Connection> connection;
  std::shared_ptr<ExposedRows> exposed = std::make_shared<ExposedRows>();
  Generation generation;
  std::string disabled_optimizers;

  duckdb::ClientContext& context() { return *connection->context; }

  bool query_left_open = false;    // in the transaction
  std::vector<std::string> files;  // of the last plan

  void find_files(duckdb::LogicalOperator& op) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
      auto& get = op.Cast<duckdb::LogicalGet>();
      for (std::string& file : source_files(get)) files.push_back(std::move(file));
      for (std::string& file : exposed_files(get)) files.push_back(std::move(file));
    }
    for (const auto& child : op.children) find_files(*child);
  }

  /// Scans give columns of structs whole: what the optimiser would read of them alone, expressions read.
  static void read_whole_columns(duckdb::LogicalOperator& op) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET)
      op.Cast<duckdb::LogicalGet>().function.supports_pushdown_extract = nullptr;
    for (const auto& child : op.children) read_whole_columns(*child);
  }

  /// Runs a statement that is not a query; the file of COPY appears whole or not at all.
  std::optional<Table> run_write(duckdb::unique_ptr<duckdb::SQLStatement> statement, const Table& parameters,
                                 MemoryBudget* budget) {
    const std::string* path = copied_to(*statement);
    if (path == nullptr) return run(std::move(statement), false, parameters, budget);
    refuse_overwriting(*path, files);
    const std::string named = *path;  // the statement's own changes
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

  /// Rows that our engine holds, as a query for DuckDB.
  static std::string rows_query(const std::vector<std::string>& results) {
    std::vector<std::string> columns;
    for (size_t i = 0; i < results.size(); ++i) columns.push_back(fmt::format("c{}", i));
    return fmt::format("SELECT {} FROM lanewise_rows() AS t({})", fmt::join(results, ", "),
                       fmt::join(columns, ", "));
  }

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
              } catch (const std::exception&) {  // it was only read; the next statement begins again
              }
            }};
  }

  duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> parse(const std::string& sql) {
    duckdb::Parser parser(context().GetParserOptions());
    try {
      parser.ParseQuery(sql);
    } catch (const duckdb::ParserException& error) {
      // DuckDB's parser takes windows of the same name in two statements for one that is defined twice.
      const std::vector<std::string> parts = divided(sql);
      if (parts.size() < 2 ||
          std::string_view(error.what()).find("already defined") == std::string_view::npos)
        throw;
      duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> statements;
      for (const std::string& part : parts) {
        for (auto& statement : parse(part)) statements.push_back(std::move(statement));
      }
      return statements;
    }
    return std::move(parser.statements);
  }

  Statement::Kind kind_of(const duckdb::SQLStatement& statement) {
    using Kind = Statement::Kind;
    switch (statement.type) {
      case StatementType::SELECT_STATEMENT:
        return is_show(statement) ? Kind::kOther : Kind::kQuery;
      case StatementType::MULTI_STATEMENT:  // PIVOT
        return Kind::kQuery;
      case StatementType::EXECUTE_STATEMENT: {
        const auto& prepared = duckdb::ClientData::Get(context()).prepared_statements;
        const auto found = prepared.find(statement.Cast<duckdb::ExecuteStatement>().name);
        return found != prepared.end() && found->second->statement_type == StatementType::SELECT_STATEMENT
                   ? Kind::kQuery
                   : Kind::kOther;
      }
      default:
        return query_inside(statement) ? Kind::kWrite : Kind::kOther;
    }
  }

  /// Puts what EXPLAIN explains in its place, if our engine runs it.
  Statement::Explain take_explained(duckdb::unique_ptr<duckdb::SQLStatement>& statement) {
    if (statement->type == StatementType::MULTI_STATEMENT)  // of PIVOT
      return take_explained(statement->Cast<duckdb::MultiStatement>().statements.back());
    if (statement->type != StatementType::EXPLAIN_STATEMENT) return Statement::Explain::kNo;
    auto& explained = statement->Cast<duckdb::ExplainStatement>();
    if (kind_of(*explained.stmt) == Statement::Kind::kOther) return Statement::Explain::kNo;
    const bool is_text = explained.explain_format == duckdb::ExplainFormat::DEFAULT ||
                         explained.explain_format == duckdb::ExplainFormat::TEXT;
    const bool runs = explained.explain_type == duckdb::ExplainType::EXPLAIN_ANALYZE;
    statement = std::move(explained.stmt);
    return !is_text ? Statement::Explain::kOtherFormat
           : runs   ? Statement::Explain::kProfile
                    : Statement::Explain::kPlan;
  }

  /// The query of PIVOT without a list of values, after the statement before it, which makes a type of the
  /// values.
  const duckdb::SQLStatement* after_preparation(const duckdb::SQLStatement* statement) {
    if (statement->type != StatementType::MULTI_STATEMENT) return statement;
    const auto& parts = statement->Cast<duckdb::MultiStatement>().statements;
    if (parts.back()->type != StatementType::SELECT_STATEMENT)
      unsupported("PIVOT without a list of values in a statement that is not a query is not");
    for (size_t i = 0; i + 1 < parts.size(); ++i) run(parts[i]->Copy(), true, {}, nullptr);
    return parts.back().get();
  }

  /// Runs a statement and fetches its result.
  std::optional<Table> run(duckdb::unique_ptr<duckdb::SQLStatement> statement, bool reads_only,
                           const Table& parameters, MemoryBudget* budget) {
    ParameterValues values = parameter_values(*statement, parameters);
    if (!reads_only) ++generation.writes;
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

  Table fetch(duckdb::QueryResult& result, MemoryBudget* budget);
  /// The values of one expression for each column of `table`, which the expressions call c0, c1, ...
  Table selected(const Table& table, const std::vector<std::string>& expressions);
};

bool may_change_database(const std::string& sql) {
  duckdb::Parser parser;
  try {
    parser.ParseQuery(sql);
  } catch (const std::exception&) {
    return false;  // who runs it says why
  }
  return std::ranges::any_of(parser.statements, [](const auto& statement) { return may_change(*statement); });
}

Database::Database(const DatabaseOptions& options) : state_(std::make_unique<State>()) {
  translated([&] {
    state_->instance = open(options);
    state_->connection = duckdb::make_uniq<duckdb::Connection>(*state_->instance);
    state_->disabled_optimizers = options.disabled_optimizers;
    state_->exposed->budget = options.budget;
    state_->exposed->cancellation = options.cancellation;
    state_->exposed->open_arrow = options.open_arrow;
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

std::vector<std::string> Database::table_names(const std::string& sql) {
  return translated(
      [&] {
        std::vector<std::string> names;
        for (const auto& statement : state_->parse(sql)) {
          state_->context().RunFunctionInTransaction([&] {
            const auto binder = duckdb::Binder::CreateBinder(state_->context());
            binder->SetBindingMode(duckdb::BindingMode::EXTRACT_NAMES);
            ParameterValues nulls;
            for (const auto& [name, number] : statement->named_param_map)
              nulls.emplace(name, duckdb::BoundParameterData(duckdb::Value()));
            duckdb::BoundParameterMap parameters(nulls);
            binder->SetParameters(parameters);
            binder->Bind(*statement);
            for (const std::string& name : binder->GetTableNames()) names.push_back(name);
          });
        }
        std::ranges::sort(names);
        return names;
      },
      sql);
}

Statement Database::parse(const std::string& text) {
  return translated(
      [&] {
        auto statements = state_->parse(text);
        if (statements.empty()) throw UserError("the SQL text has no statement");
        if (statements.size() != 1)
          throw UserError(fmt::format("expected one statement, found {}", statements.size()));
        Statement result;
        result.text = text;
        result.explain = state_->take_explained(statements[0]);
        result.name = duckdb::StatementTypeToString(statements[0]->type);
        result.kind = state_->kind_of(*statements[0]);
        result.parsed = std::move(statements[0]);
        return result;
      },
      text);
}

Query Database::plan(const Statement& statement) {
  Query result;
  const auto begin = std::chrono::steady_clock::now();
  const duckdb::SQLStatement& parsed =
      *translated([&] { return state_->after_preparation(statement.parsed.get()); }, statement.text);
  if (&parsed != statement.parsed.get())
    result.pivot_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  duckdb::unique_ptr<duckdb::LogicalOperator> logical;
  const auto make_plan = [&] {
    translated(
        [&] {
          result.transaction = state_->transaction();
          state_->context().RunFunctionInTransaction([&] {
            duckdb::Planner planner(state_->context());
            if (parsed.type == StatementType::EXECUTE_STATEMENT) {
              const auto& execute = parsed.Cast<duckdb::ExecuteStatement>();
              const auto prepared =
                  duckdb::ClientData::Get(state_->context()).prepared_statements.at(execute.name);
              planner.parameter_data =
                  parameter_values(state_->context(), execute, *prepared->unbound_statement);
              planner.CreatePlan(prepared->unbound_statement->Copy());
            } else {
              planner.parameter_data = parameter_values(parsed, statement.parameters);
              planner.CreatePlan(statement.kind == Statement::Kind::kWrite ? query_inside(parsed)
                                                                           : parsed.Copy());
            }
            logical = std::move(planner.plan);
            if (!planner.properties.modified_databases.empty())
              unsupported("a query that changes a database, as nextval does, is not");
            state_->files.clear();
            state_->find_files(*logical);
            State::read_whole_columns(*logical);
            result.names.assign(planner.names.begin(), planner.names.end());
            for (const duckdb::LogicalType& type : planner.types) {
              result.types.push_back(spelled(type));
              result.texts.push_back(text_of(type));
            }
            auto& disabled = duckdb::DBConfig::GetConfig(state_->context()).options.disabled_optimizers;
            for (const std::string& name : duckdb::StringUtil::Split(state_->disabled_optimizers, ','))
              disabled.insert(duckdb::OptimizerTypeFromString(name));
            const Restored as_before(disabled);
            // Turns a window function into a list of each group's first rows.
            disabled.insert(duckdb::OptimizerType::TOP_N_WINDOW_ELIMINATION);
            if (duckdb::ClientConfig::GetConfig(state_->context()).enable_optimizer &&
                logical->RequireOptimizer()) {
              duckdb::Optimizer optimizer(*planner.binder, state_->context());
              keep_answers(optimizer);
              logical = optimizer.Optimize(std::move(logical));
            }
            logical->ResolveOperatorTypes();
            duckdb::ColumnBindingResolver resolver;
            resolver.VisitOperator(*logical);
          });
        },
        statement.text);
  };
  try {
    make_plan();
  } catch (const UserError&) {
    throw_pattern_fault(parsed, parameter_values(parsed, statement.parameters));
    throw;
  }
  try {
    translated([&] {
      Translator translator(state_->context(), state_->generation, statement.text);
      result.root = translator.plan(*logical);
      result.computed_by_duckdb = translator.computed_by_duckdb();
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
    table.schema.push_back({result.names[i], *find_type(types[i]), text_of(result.types[i])});
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

std::optional<Table> Database::run(const Statement& statement, MemoryBudget* budget) {
  return translated(
      [&]() -> std::optional<Table> {
        std::optional<Table> table;
        const bool reads_only = statement.kind == Statement::Kind::kQuery;
        if (statement.kind == Statement::Kind::kOther) state_->files.clear();  // nothing was planned
        for (auto& part : state_->connection->ExtractStatements(statement.text)) {
          table = reads_only ? state_->run(std::move(part), true, statement.parameters, budget)
                             : state_->run_write(std::move(part), statement.parameters, budget);
        }
        return table;
      },
      statement.text);
}

std::optional<Table> Database::write(const Statement& statement, const Table& rows,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& types, MemoryBudget* budget) {
  state_->exposed->table = &rows;
  const std::shared_ptr<void> hide(nullptr, [this](void*) { state_->exposed->table = nullptr; });
  return translated(
      [&] {
        std::vector<std::string> results;
        for (size_t i = 0; i < names.size(); ++i) {
          results.push_back(fmt::format("{} AS {}",
                                        types[i].empty() ? "NULL" : fmt::format("c{}::{}", i, types[i]),
                                        duckdb::KeywordHelper::WriteQuoted(names[i], '"')));
        }
        auto select = state_->parse(State::rows_query(results));
        using duckdb::SelectStatement, duckdb::SQLStatement;
        auto writing = with_rows(
            *statement.parsed, duckdb::unique_ptr_cast<SQLStatement, SelectStatement>(std::move(select[0])));
        writing->named_param_map.clear();  // they were those of the query inside
        return state_->run_write(std::move(writing), {}, budget);
      },
      statement.text);
}

const std::vector<std::string>& Database::files() const { return state_->files; }

Table Database::State::selected(const Table& table, const std::vector<std::string>& expressions) {
  exposed->table = &table;
  const std::shared_ptr<void> hide(nullptr, [this](void*) { exposed->table = nullptr; });
  std::optional<Table> result;
  for (auto& statement : parse(rows_query(expressions)))
    result = run(std::move(statement), true, {}, exposed->budget);
  for (size_t i = 0; i < table.schema.size(); ++i) result->schema[i].name = table.schema[i].name;
  return std::move(*result);
}

Table Database::as_json(const Table& table) {
  std::vector<std::string> expressions;
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const auto& [name, type, text_of] = table.schema[i];
    expressions.push_back(!text_of.empty()   ? fmt::format("to_json(c{}::{})", i, text_of)
                          : type.is_nested() ? fmt::format("to_json(c{})", i)
                                             : fmt::format("c{}", i));
  }
  return translated([&] { return state_->selected(table, expressions); });
}

Table Database::in_zone(const Table& table) {
  if (is_utc(state_->context()) || std::ranges::none_of(table.schema, is_zoned, &Field::type)) return table;
  std::vector<std::string> expressions;
  for (size_t i = 0; i < table.schema.size(); ++i)
    expressions.push_back(fmt::format("c{}{}", i, is_zoned(table.schema[i].type) ? "::VARCHAR" : ""));
  Table result = translated([&] { return state_->selected(table, expressions); });
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const Field& field = table.schema[i];
    result.schema[i].text_of = is_zoned(field.type) ? to_duckdb(field.type).ToString() : field.text_of;
  }
  return result;
}

void Database::write_parquet(const Table& table, const std::string& path) {
  state_->exposed->table = &table;
  const std::shared_ptr<void> hide(nullptr, [this](void*) { state_->exposed->table = nullptr; });
  std::vector<std::string> results;
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const auto& [name, type, text_of] = table.schema[i];
    results.push_back(fmt::format("c{}{} AS {}", i, text_of.empty() ? "" : "::" + text_of,
                                  duckdb::KeywordHelper::WriteQuoted(name, '"')));
  }
  NewFile file(path);
  try {
    run(fmt::format("COPY ({}) TO {} (FORMAT parquet, USE_TMP_FILE false)", State::rows_query(results),
                    duckdb::Value(file.temporary()).ToSQLString()),
        nullptr);
  } catch (const UserError& error) {
    throw UserError(fmt::format("cannot write '{}': {}", path, error.what()));
  }
  file.commit();
}

void Database::to_arrow(Table table, ArrowArrayStream* out) {
  arrow::NestedColumns nested;
  translated([&] {
    state_->context().RunFunctionInTransaction([&] { nested = nested_arrow(state_->context(), table); });
  });
  arrow::export_stream(std::move(table), out, std::move(nested));
}

void Database::add_source(const std::string& name, std::shared_ptr<const Source> source) {
  state_->exposed->sources[duckdb::StringUtil::Lower(name)] = std::move(source);
}

std::shared_ptr<const Source> Database::remove_source(const std::string& name) {
  auto found = state_->exposed->sources.extract(duckdb::StringUtil::Lower(name));
  return found ? std::move(found.mapped()) : nullptr;
}

void Database::add_function(std::shared_ptr<const ops::HostFunction> function) {
  translated([&] { add_host_function(state_->context(), std::move(function)); });
}

bool Database::remove_function(const std::string& name) {
  return translated([&] { return drop_host_function(state_->context(), name); });
}

Database::Limits Database::limits() const {
  const auto& options = duckdb::DBConfig::GetConfig(state_->context()).options;
  return {static_cast<int>(options.maximum_threads), options.maximum_memory, options.temporary_directory};
}

bool Database::falls_back() const {
  duckdb::Value value;
  return state_->context().TryGetCurrentSetting(kFallback, value) && value.ToString() == "duckdb";
}

void Database::interrupt() { state_->context().Interrupt(); }

}  // namespace lanewise::sql
