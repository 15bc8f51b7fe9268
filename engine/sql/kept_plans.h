#pragma once

#include <string>
#include <unordered_map>

#include "sql/database.h"

namespace duckdb {
class CatalogEntry;
class LogicalOperator;
}  // namespace duckdb

namespace lanewise::sql {

// A query's plan stays right until a statement changes something, under two conditions.

/// Whether it is a function whose value belongs to one query, like that of now(): such values become
/// constants of the plan.
bool belongs_to_a_query(const duckdb::CatalogEntry& entry);
/// Whether a plan, bound and not yet optimised, reads nothing but DuckDB's tables.
bool reads_tables_alone(const duckdb::LogicalOperator& logical);

/// Plans of queries by their text, since binding and optimising a small query take longer than running it.
/// All go when there are too many: a program that repeats more statements gains nothing.
class KeptPlans {
 public:
  /// The plan without a transaction; null: none is kept.
  const Query* find(const std::string& text) const;
  void keep(const std::string& text, const Query& query);
  void clear() { plans_.clear(); }

 private:
  std::unordered_map<std::string, Query> plans_;
};

}  // namespace lanewise::sql
