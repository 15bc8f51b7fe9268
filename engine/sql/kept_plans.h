#pragma once

#include <string>
#include <unordered_map>

#include "sql/database.h"

namespace duckdb {
class LogicalOperator;
}

namespace lanewise::sql {

/// Whether a query's plan, bound and not yet optimised, stays right until a statement changes something: it
/// reads DuckDB's tables alone, and no value in it belongs to one query, such as that of now().
bool stays_right(duckdb::LogicalOperator& logical);

/// Plans of queries by their text, since binding and optimising a small query take longer than running it.
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
