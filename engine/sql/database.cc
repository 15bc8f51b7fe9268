#include "sql/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/new_file.h"
#include "data/union_type.h"
#include "duckdb/main/valid_checker.hpp"
#include "sql/database_state.h"
#include "sql/duckdb/errors.h"
#include "sql/duckdb/temporary_files.h"
#include "sql/duckdb/time_zone.h"
#include "sql/functions/host_functions.h"
#include "sql/scan/gather.h"
#include "sql/scan/identity.h"
#include "sql/scan/rows_function.h"
#include "sql/statement.h"
#include "sql/translate/pattern_faults.h"
#include "sql/translate/rewrite_rules.h"
#include "sql/translate/translate.h"
#include "sql/values/nested_arrow.h"
#include "sql/values/parameters.h"
#include "sql/values/types.h"
#include "sql/write_plan.h"

namespace lanewise::sql {

namespace {

bool is_zoned(const Type& type) {
  return type.id == TypeId::kTimestampTz ||
         (type.is_nested() && std::ranges::any_of(type.nested->members, is_zoned, &Member::type));
}

/// The columns, for State::selected(); those of chosen types are cast to `type`.
template <class Chosen>
std::vector<std::string> casts(const Table& table, Chosen chosen, std::string_view type) {
  std::vector<std::string> expressions;
  for (size_t i = 0; i < table.schema.size(); ++i)
    expressions.push_back(chosen(table.schema[i].type)
                              ? fmt::format("CASE WHEN c{0} IS NOT NULL THEN c{0}::{1} END", i, type)
                              : fmt::format("c{}", i));
  return expressions;
}

/// Column i of lanewise_rows() in the type of SQL. Nested columns have it, see rows_function.
std::string of_type(size_t i, const Field& field) {
  return fmt::format("c{}{}", i, field.type.is_nested() || field.text_of.empty() ? "" : "::" + field.text_of);
}

using duckdb::StatementType;

constexpr const char* kFallback = "lanewise_fallback";

void check_fallback(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  const std::string text = value.ToString();
  if (!text.empty() && text != "duckdb")
    throw UserError(fmt::format("{} is '' or 'duckdb', not '{}'", kFallback, text));
}

/// The files that are open, of all databases of the process: a lock of the system keeps out other processes
/// only.
duckdb::shared_ptr<duckdb::DatabaseFilePathManager> open_files() {
  static const auto files = duckdb::make_shared_ptr<duckdb::DatabaseFilePathManager>();
  return files;
}

duckdb::unique_ptr<duckdb::DuckDB> open(const DatabaseOptions& options) {
  duckdb::DBConfig config;
  config.path_manager = open_files();
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("threads", duckdb::Value::BIGINT(options.threads));
  // Maximum number of columns of PIVOT: it is then implemented by aggregates with FILTER.
  config.SetOptionByName("pivot_filter_threshold", duckdb::Value::UBIGINT(100'000));
  if (options.memory_limit != 0) {
    config.SetOptionByName("memory_limit", duckdb::Value(fmt::format("{}B", options.memory_limit)));
  }
  if (options.temp_directory)
    config.SetOptionByName("temp_directory", duckdb::Value(*options.temp_directory));
  if (options.budget != nullptr) {
    auto files = duckdb::make_uniq<duckdb::VirtualFileSystem>();
    files->RegisterSubSystem(duckdb::make_uniq<TemporaryFiles>(*options.budget));
    config.file_system = std::move(files);
  }
  config.AddExtensionOption(kFallback, "Who runs what Lanewise's engine cannot: '' (an error) or 'duckdb'",
                            duckdb::LogicalType::VARCHAR, duckdb::Value(""), check_fallback);
  if (options.read_only && !options.path.empty()) config.options.access_mode = duckdb::AccessMode::READ_ONLY;
  try {
    return duckdb::make_uniq<duckdb::DuckDB>(options.path, &config);
  } catch (const std::exception& error) {
    const std::string text = duckdb::ErrorData(error).RawMessage();
    if (text.find("Unique file handle conflict") != std::string::npos)
      throw UserError(
          fmt::format("'{}' is open in this process; close it first, or share the one that is open "
                      "(in Python: cursor())",
                      options.path));
    // "Could not set lock on file ...: Conflicting lock is held in ... (PID 123) ...", and advice for another
    // program
    const size_t holder = text.find("(PID ");
    if (text.find("Could not set lock") == std::string::npos || holder == std::string::npos) throw;
    throw UserError(fmt::format("'{}' is in use by process {}", options.path,
                                text.substr(holder + 5, text.find(')', holder) - holder - 5)));
  }
}

bool is_reset_of(const duckdb::SQLStatement& statement, const std::string& setting) {
  if (statement.type != StatementType::SET_STATEMENT) return false;
  const auto& change = statement.Cast<duckdb::SetStatement>();
  return change.set_type == duckdb::SetType::RESET && duckdb::StringUtil::CIEquals(change.name, setting);
}

duckdb::unique_ptr<duckdb::SQLStatement> set(const std::string& setting, const std::string& value) {
  return duckdb::make_uniq<duckdb::SetVariableStatement>(
      setting, duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(value)),
      duckdb::SetScope::AUTOMATIC);
}

/// Without space around it. DuckDB's Trim() takes a last letter that is not ASCII for space.
std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos
             ? ""
             : std::string(text.substr(first, text.find_last_not_of(kSpace) + 1 - first));
}

}  // namespace

bool may_change_database(const std::string& sql) {
  duckdb::Parser parser;
  try {
    parser.ParseQuery(sql);
  } catch (const std::exception&) {
    return false;  // running the statement reports the error
  }
  return std::ranges::any_of(parser.statements, [](const auto& statement) { return may_change(*statement); });
}

Database::Database(const DatabaseOptions& options) : state_(std::make_unique<State>()) {
  translated([&] {
    state_->instance = open(options);
    state_->connection = duckdb::make_uniq<duckdb::Connection>(*state_->instance);
    state_->disabled_optimizers = options.disabled_optimizers;
    state_->temp_directory = options.temp_directory;
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
          statements.push_back(trimmed(statement->query));
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
        state_->take_explained(statements[0], result);
        result.name = duckdb::StatementTypeToString(last_part(*statements[0]).type);
        result.kind = state_->kind_of(*statements[0]);
        result.parsed = std::move(statements[0]);
        return result;
      },
      text);
}

std::optional<Table> Database::run(const Statement& statement, MemoryBudget* budget) {
  return translated(
      [&]() -> std::optional<Table> {
        std::optional<Table> table;
        // DESCRIBE and SHOW are SELECT statements for DuckDB.
        const bool reads_only = statement.kind == Statement::Kind::kQuery || statement.name == "SELECT";
        if (statement.kind == Statement::Kind::kOther) state_->files.clear();  // no plan was made
        for (auto& part : state_->connection->ExtractStatements(statement.text)) {
          // DuckDB's default is a folder next to the database.
          if (state_->temp_directory && is_reset_of(*part, "temp_directory"))
            part = set("temp_directory", *state_->temp_directory);
          table = reads_only ? state_->run(std::move(part), true, statement.parameters, budget)
                             : state_->run_write(std::move(part), statement.parameters, budget);
        }
        return table;
      },
      statement.text);
}

bool Database::writes_while_running(const Statement& statement, const Query& query) {
  if (query.transaction == nullptr || statement.kind != Statement::Kind::kWrite) return false;
  return translated([&] {
    const duckdb::SQLStatement& parsed = last_part(*statement.parsed);
    switch (parsed.type) {
      case StatementType::COPY_STATEMENT:  // several files may replace those that the query reads
        return copied_to(parsed) != nullptr;
      case StatementType::CREATE_STATEMENT: {
        const duckdb::CreateInfo& info = *parsed.Cast<duckdb::CreateStatement>().info;
        return !info.temporary && info.catalog != TEMP_CATALOG;
      }
      case StatementType::INSERT_STATEMENT: {
        const auto& insert = parsed.Cast<duckdb::InsertStatement>();
        if (!insert.returning_list.empty() || insert.on_conflict_info) return false;
        const auto table = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
            state_->context(), insert.catalog, insert.schema, insert.table,
            duckdb::OnEntryNotFound::RETURN_NULL);
        return table && !table->temporary;
      }
      default:
        return false;
    }
  });
}

void Database::set_query_running(bool running) {
  if (running) translated([&] { state_->prepare_second(); });
  state_->query_running = running;
}

std::optional<Table> Database::write(const Statement& statement, const Batches& rows, const Query& query,
                                     MemoryBudget* budget) {
  const std::shared_ptr<void> exposing = state_->expose(rows);
  return translated(
      [&] {
        try {
          if (statement.kind == Statement::Kind::kChange)
            return state_->change(*query.write, query.transaction != nullptr, statement.text, budget);
          const duckdb::SQLStatement& parsed = last_part(*statement.parsed);
          auto select = state_->parse(State::rows_query(query.names.size()));
          auto writing = with_rows(parsed, typed(std::move(select[0]), query.write->types, query.names));
          writing->named_param_map.clear();  // they belonged to the inner query
          return state_->run_write(std::move(writing), {}, budget);
        } catch (const std::exception&) {
          if (state_->exposed->failed) std::rethrow_exception(state_->exposed->failed);
          throw;
        }
      },
      statement.text);
}

const std::vector<std::string>& Database::files() const { return state_->files; }

Table Database::as_json(const Table& table) {
  std::vector<std::string> expressions;
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const Field& field = table.schema[i];
    expressions.push_back(is_variant(field.type)   ? fmt::format("c{}::JSON", i)
                          : field.type.is_nested() ? fmt::format("to_json(c{})", i)
                          : !field.text_of.empty() ? fmt::format("to_json({})", of_type(i, field))
                                                   : fmt::format("c{}", i));
  }
  return translated([&] { return state_->selected(table, expressions); });
}

Table Database::printable(const Table& table) {
  const bool utc = is_utc(state_->context());
  const auto is_duckdbs = [&](const Type& type) { return has_variant(type) || (!utc && is_zoned(type)); };
  if (std::ranges::none_of(table.schema, is_duckdbs, &Field::type)) return table;
  Table result = translated([&] { return state_->selected(table, casts(table, is_duckdbs, "VARCHAR")); });
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const Field& field = table.schema[i];
    result.schema[i].text_of = is_zoned(field.type) ? to_duckdb(field.type).ToString() : field.text_of;
    result.schema[i].sql_type = is_zoned(field.type) ? nullptr : field.sql_type;
  }
  return result;
}

void Database::write_parquet(const Batches& rows, const std::string& path) {
  const std::shared_ptr<void> exposing = state_->expose(rows);
  std::vector<std::string> results;
  for (size_t i = 0; i < rows.schema.size(); ++i) {
    const Field& field = rows.schema[i];
    results.push_back(
        fmt::format("{} AS {}", of_type(i, field), duckdb::KeywordHelper::WriteQuoted(field.name, '"')));
  }
  NewFile file(path);
  try {
    run(fmt::format("COPY ({}) TO {} (FORMAT parquet, USE_TMP_FILE false)", State::rows_query(results),
                    duckdb::Value(file.temporary()).ToSQLString()),
        nullptr);
  } catch (const UserError& error) {
    if (state_->exposed->failed) std::rethrow_exception(state_->exposed->failed);
    throw UserError(fmt::format("cannot write '{}': {}", path, error.what()));
  }
  file.commit();
}

void Database::to_arrow(Table table, ArrowArrayStream* out) {
  if (std::ranges::any_of(table.schema, has_variant, &Field::type)) {  // Arrow does not have the type
    Table texts = translated([&] { return state_->selected(table, casts(table, has_variant, "JSON")); });
    for (size_t i = 0; i < texts.schema.size(); ++i) {
      if (!has_variant(table.schema[i].type)) texts.schema[i] = table.schema[i];
    }
    table = std::move(texts);
  }
  arrow::NestedColumns nested;
  translated([&] {
    state_->context().RunFunctionInTransaction([&] { nested = nested_arrow(state_->context(), table); });
  });
  arrow::export_stream(std::move(table), out, std::move(nested));
}

void Database::add_source(const std::string& name, std::shared_ptr<const Source> source) {
  state_->plans.clear();
  state_->exposed->sources[duckdb::StringUtil::Lower(name)] = std::move(source);
}

std::shared_ptr<const Source> Database::remove_source(const std::string& name) {
  state_->plans.clear();
  auto found = state_->exposed->sources.extract(duckdb::StringUtil::Lower(name));
  return found ? std::move(found.mapped()) : nullptr;
}

void Database::add_function(std::shared_ptr<const ops::HostFunction> function) {
  state_->plans.clear();
  translated([&] { add_host_function(state_->context(), std::move(function)); });
}

bool Database::remove_function(const std::string& name) {
  state_->plans.clear();
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

void Database::abort_transaction(const std::string& message) {
  duckdb::TransactionContext& transaction = state_->connection->context->transaction;  // not the second one's
  if (transaction.HasActiveTransaction())
    duckdb::ValidChecker::Invalidate(transaction.ActiveTransaction(), message);
}

void Database::interrupt() {
  state_->connection->context->Interrupt();
  if (duckdb::ClientContext* const second = state_->second_context) second->Interrupt();
}

}  // namespace lanewise::sql
