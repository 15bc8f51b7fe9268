#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sql/database_state.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/identity.h"
#include "sql/statement.h"
#include "sql/translate/pattern_faults.h"
#include "sql/translate/rewrite_rules.h"
#include "sql/translate/translate.h"
#include "sql/values/parameters.h"
#include "sql/values/types.h"
#include "sql/write_plan.h"

/// From a statement to DuckDB's plan, and from that to ours.
namespace lanewise::sql {

using duckdb::StatementType;

namespace {

/// Restores a setting in the destructor.
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

/// Scans return whole columns of structs: expressions then read the fields that the optimiser has pushed
/// down.
void read_whole_columns(duckdb::LogicalOperator& op) {
  if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET)
    op.Cast<duckdb::LogicalGet>().function.supports_pushdown_extract = nullptr;
  for (const auto& child : op.children) read_whole_columns(*child);
}

/// While it is there, a threshold that the user has set does not keep PIVOT from becoming aggregates with
/// FILTER, as it does by the database's own.
class PivotByFilters {
 public:
  explicit PivotByFilters(duckdb::ClientContext& context)
      : settings_(duckdb::ClientConfig::GetConfig(context).user_settings),
        was_set_(settings_.IsSet(kThreshold)) {
    if (!was_set_) return;
    context.TryGetCurrentSetting(duckdb::PivotFilterThresholdSetting::Name, before_);
    settings_.ClearSetting(kThreshold);
  }
  ~PivotByFilters() {
    if (was_set_) settings_.SetUserSetting(kThreshold, before_);
  }
  PivotByFilters(const PivotByFilters&) = delete;
  PivotByFilters& operator=(const PivotByFilters&) = delete;

 private:
  static constexpr duckdb::idx_t kThreshold = duckdb::PivotFilterThresholdSetting::SettingIndex;
  duckdb::LocalUserSettings& settings_;
  const bool was_set_;
  duckdb::Value before_;
};

/// Whether a repeated statement may run the plan again, if that stays right. PIVOT reads its values before it
/// is planned, and a plan with values of EXECUTE is for these alone.
bool may_be_kept(const Statement& statement, const Query& query) {
  return statement.parsed->type == StatementType::SELECT_STATEMENT && statement.parameters.schema.empty() &&
         query.transaction != nullptr && query.computed_by_duckdb.empty() && query.executor == nullptr;
}

/// Whether one of its scans does.
bool has_stored_rejects(const duckdb::LogicalOperator& op) {
  if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET && stores_rejects(op.Cast<duckdb::LogicalGet>()))
    return true;
  return std::ranges::any_of(op.children, [](const auto& child) { return has_stored_rejects(*child); });
}

}  // namespace

void Database::State::find_files(duckdb::LogicalOperator& op) {
  if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    auto& get = op.Cast<duckdb::LogicalGet>();
    for (std::string& file : source_files(get)) files.push_back(std::move(file));
    for (std::string& file : exposed_files(get)) files.push_back(std::move(file));
  }
  for (const auto& child : op.children) find_files(*child);
}

duckdb::unique_ptr<duckdb::LogicalOperator> Database::State::optimized(
    duckdb::unique_ptr<duckdb::LogicalOperator> logical, duckdb::Binder& binder) {
  auto& disabled = duckdb::DBConfig::GetConfig(context()).options.disabled_optimizers;
  for (const std::string& name : duckdb::StringUtil::Split(disabled_optimizers, ','))
    disabled.insert(duckdb::OptimizerTypeFromString(name));
  const Restored as_before(disabled);
  // It would turn a window function into a list of each group's first rows.
  disabled.insert(duckdb::OptimizerType::TOP_N_WINDOW_ELIMINATION);
  if (duckdb::ClientConfig::GetConfig(context()).enable_optimizer && logical->RequireOptimizer()) {
    duckdb::Optimizer optimizer(binder, context());
    keep_answers(optimizer);
    // First, as it copies scans, of which all are to read whole columns.
    if (!disabled.contains(duckdb::OptimizerType::CTE_INLINING))
      logical = duckdb::CTEInlining(optimizer).Optimize(std::move(logical));
    read_whole_columns(*logical);
    logical = optimizer.Optimize(std::move(logical));
  }
  return logical;
}

Database::State::LogicalPlan Database::State::logical_plan(const Statement& statement,
                                                           const duckdb::SQLStatement& parsed,
                                                           Query& result) {
  // Scans number by it what they store.
  context().transaction.SetActiveQuery(duckdb::DatabaseManager::Get(context()).GetNewQueryNumber());
  duckdb::Planner planner(context());
  bool stays_right = true;
  planner.binder->EntryRetriever().SetCallback(
      [&](const duckdb::CatalogEntry& entry) { stays_right &= !belongs_to_a_query(entry); });
  const PivotByFilters pivots(context());
  if (parsed.type == StatementType::EXECUTE_STATEMENT) {
    const auto& execute = parsed.Cast<duckdb::ExecuteStatement>();
    const auto prepared = duckdb::ClientData::Get(context()).prepared_statements.at(execute.name);
    planner.parameter_data = parameter_values(context(), execute, *prepared->unbound_statement);
    planner.CreatePlan(prepared->unbound_statement->Copy());
  } else {
    planner.parameter_data = parameter_values(parsed, statement.parameters);
    planner.CreatePlan(statement.kind == Statement::Kind::kWrite ? query_inside(parsed) : parsed.Copy());
  }
  auto logical = std::move(planner.plan);
  const bool changes = statement.kind == Statement::Kind::kChange;
  for (const auto& [name, change] : planner.properties.modified_databases) {  // a query's: by nextval
    auto database = duckdb::DatabaseManager::Get(context()).GetDatabase(context(), name);
    if (database->IsReadOnly() && changes)
      throw duckdb::InvalidInputException(fmt::format(
          "Cannot execute statement of type \"{}\" on database \"{}\" which is attached in read-only mode!",
          statement.name, name));
    if (database->IsReadOnly())
      throw UserError(fmt::format("nextval: the database '{}' is open for reading only", name));
    context().ActiveTransaction().ModifyDatabase(*database, change.modifications);
  }
  if (!planner.properties.modified_databases.empty() || has_stored_rejects(*logical)) {
    begin_change();
    query_writes =
        result.transaction != nullptr && !changes;  // changes of rows are committed when they are made
  }
  files.clear();
  find_files(*logical);
  result.names.assign(planner.names.begin(), planner.names.end());
  LogicalPlan plan{nullptr, stays_right && reads_tables_alone(*logical)};
  plan.root = optimized(std::move(logical), *planner.binder);
  plan.root->ResolveOperatorTypes();
  duckdb::ColumnBindingResolver resolver;
  resolver.VisitOperator(*plan.root);
  WritePlan write;
  write.types.assign(planner.types.begin(), planner.types.end());
  if (changes) {
    write = write_plan(std::move(plan.root));
    write.returns_rows = planner.properties.return_type == duckdb::StatementReturnType::QUERY_RESULT;
    write.names = std::exchange(result.names, {});
    for (size_t i = 0; i < write.types.size(); ++i) result.names.push_back(fmt::format("c{}", i));
  }
  for (const duckdb::LogicalType& type : write.types) {
    result.texts.push_back(text_of(type));
    result.sql_types.push_back(sql_type(type));
  }
  if (statement.kind != Statement::Kind::kQuery) result.write = std::make_shared<WritePlan>(std::move(write));
  return plan;
}

std::optional<Query> Database::State::planned_before(const Statement& statement) {
  const Query* kept = statement.parameters.schema.empty() ? plans.find(statement.text) : nullptr;
  if (kept == nullptr) return std::nullopt;
  Query result = *kept;
  result.transaction = translated([&] { return transaction(); });
  context().transaction.SetActiveQuery(duckdb::DatabaseManager::Get(context()).GetNewQueryNumber());
  files.clear();
  return result;
}

Query Database::plan(const Statement& statement) {
  if (auto known = state_->planned_before(statement)) return std::move(*known);
  Query result;
  const auto begin = std::chrono::steady_clock::now();
  const duckdb::SQLStatement& parsed =
      *translated([&] { return state_->after_preparation(statement.parsed.get()); }, statement.text);
  if (&parsed != statement.parsed.get())
    result.pivot_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  State::LogicalPlan logical;
  try {
    translated(
        [&] {
          result.transaction = state_->transaction();
          state_->context().RunFunctionInTransaction(
              [&] { logical = state_->logical_plan(statement, parsed, result); });
        },
        statement.text);
  } catch (const UserError&) {
    throw_pattern_fault(parsed, parameter_values(parsed, statement.parameters));
    throw;
  }
  try {
    translated([&] {
      Translator translator(state_->context(), state_->generation, statement.text);
      result.root = translator.plan(logical.root ? *logical.root : **result.write->query);
      result.computed_by_duckdb = translator.computed_by_duckdb();
      logical.stays_right &= !translator.has_large_constants();
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
  if (logical.stays_right && may_be_kept(statement, result)) state_->plans.keep(statement.text, result);
  return result;
}

}  // namespace lanewise::sql
