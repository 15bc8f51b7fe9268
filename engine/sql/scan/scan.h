#pragma once

#include <memory>
#include <vector>

#include "data/source.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// A bound table function.
class ScannedFunction {
 public:
  /// Takes ownership of the bind data of `get`.
  ScannedFunction(duckdb::ClientContext& context, duckdb::LogicalGet& get);

  duckdb::ClientContext& context() const { return context_; }
  const duckdb::TableFunction& function() const { return function_; }
  const duckdb::FunctionData* bind_data() const { return bind_data_.get(); }
  const std::vector<duckdb::LogicalType>& types() const {
    return types_;
  }  ///< types of the columns that are not virtual
  const std::vector<duckdb::Value>& parameters() const { return parameters_; }
  const duckdb::named_parameter_map_t& named_parameters() const { return named_parameters_; }
  bool has_virtual(duckdb::column_t id) const;
  /// Whether it reads a table of DuckDB.
  bool is_table() const { return function_.name == "seq_scan"; }
  bool is_json() const { return is_json(function_); }
  /// JSON's reader looks for errors in the executor of a running query. It gets the executor of a query that
  /// never runs (see Database::plan). For its threads see JsonThreads.
  static bool is_json(const duckdb::TableFunction& function);
  int64_t estimated_rows() const { return estimated_rows_; }

 private:
  duckdb::ClientContext& context_;
  duckdb::TableFunction function_;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  std::vector<duckdb::LogicalType> types_;
  std::vector<duckdb::Value> parameters_;
  duckdb::named_parameter_map_t named_parameters_;
  std::vector<duckdb::column_t> virtual_columns_;
  int64_t estimated_rows_ = -1;
};

struct ScannedColumn {
  duckdb::column_t id;
  duckdb::LogicalType type;
  Type ours;
};

/// Starts reading `columns` of all rows, but for those outside of the ranges.
std::unique_ptr<Scan> start_scan(std::shared_ptr<const ScannedFunction> function,
                                 std::vector<ScannedColumn> columns, const std::vector<NeededRange>& ranges,
                                 BatchSize size, MemoryBudget* budget, const Cancellation* cancellation);

}  // namespace lanewise::sql
