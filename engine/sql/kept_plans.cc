#include "sql/kept_plans.h"

#include <algorithm>
#include <string_view>

#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

namespace {

constexpr size_t kMostPlans = 64;
constexpr size_t kLongestText = size_t{1} << 14;

/// Statements of a script differ in what ends them.
std::string_view key_of(std::string_view text) {
  const size_t last = text.find_last_not_of("; \n\r\t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool reads_a_table(const duckdb::LogicalGet& get) {
  return dynamic_cast<const duckdb::TableScanBindData*>(get.bind_data.get()) != nullptr;
}

}  // namespace

bool belongs_to_a_query(const duckdb::CatalogEntry& entry) {
  if (entry.type != duckdb::CatalogType::SCALAR_FUNCTION_ENTRY) return false;
  if (entry.name == "error") return false;  // scalar subqueries call it, and it has no value
  // They depend on the time, too, and DuckDB does not say so. age(x) is the time since then.
  for (const std::string_view name : {"age", "current_localtime", "current_localtimestamp"})
    if (entry.name == name) return true;
  const auto& functions = entry.Cast<duckdb::ScalarFunctionCatalogEntry>().functions.functions;
  return std::ranges::any_of(functions, [](const duckdb::ScalarFunction& function) {
    return function.GetStability() != duckdb::FunctionStability::CONSISTENT;
  });
}

bool reads_tables_alone(const duckdb::LogicalOperator& logical) {
  using Type = duckdb::LogicalOperatorType;
  if (logical.type == Type::LOGICAL_SAMPLE) return false;
  if (logical.type == Type::LOGICAL_GET && !reads_a_table(logical.Cast<duckdb::LogicalGet>())) return false;
  return std::ranges::all_of(logical.children, [](const auto& child) { return reads_tables_alone(*child); });
}

const Query* KeptPlans::find(const std::string& text) const {
  const auto found = plans_.find(std::string(key_of(text)));
  return found == plans_.end() ? nullptr : &found->second;
}

void KeptPlans::keep(const std::string& text, const Query& query) {
  if (text.size() > kLongestText) return;
  if (plans_.size() == kMostPlans) plans_.clear();
  Query& kept = plans_[std::string(key_of(text))] = query;
  kept.transaction = nullptr;
}

}  // namespace lanewise::sql
