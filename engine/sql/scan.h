#pragma once

#include <memory>
#include <vector>

#include "data/source.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// A file of JSON with one object a line, which several threads may read.
struct JsonLines {
  size_t longest = size_t{16} << 20;  ///< bytes of an object at most (maximum_object_size)
  size_t mean = 0;                    ///< bytes of a line, of the first lines

  /// Nothing where DuckDB may read something else: it goes by the function's name, the parameter `format`, or
  /// the first line.
  static std::optional<JsonLines> of(duckdb::ClientContext& context, const std::string& function,
                                     const duckdb::named_parameter_map_t& parameters,
                                     const duckdb::FunctionData& bound);
};

/// A table function with what binding made of its arguments.
class ScannedFunction {
 public:
  /// Takes the bind data of `get`.
  ScannedFunction(duckdb::ClientContext& context, duckdb::LogicalGet& get);

  duckdb::ClientContext& context() const { return context_; }
  const duckdb::TableFunction& function() const { return function_; }
  const duckdb::FunctionData* bind_data() const { return bind_data_.get(); }
  const std::vector<duckdb::LogicalType>& types() const {
    return types_;
  }  ///< of the columns that are not virtual
  const std::vector<duckdb::Value>& parameters() const { return parameters_; }
  bool has_virtual(duckdb::column_t id) const;
  bool is_json() const { return is_json(function_); }
  /// JSON's reader needs a running query's executor, in which it looks for errors: it gets a query that is
  /// never run (see Database::plan). For its threads see JsonBuffer.
  static bool is_json(const duckdb::TableFunction& function);
  const std::optional<JsonLines>& json_lines() const { return json_lines_; }
  int64_t estimated_rows() const { return estimated_rows_; }

 private:
  duckdb::ClientContext& context_;
  duckdb::TableFunction function_;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  std::vector<duckdb::LogicalType> types_;
  std::vector<duckdb::Value> parameters_;
  std::vector<duckdb::column_t> virtual_columns_;
  int64_t estimated_rows_ = -1;
  std::optional<JsonLines> json_lines_;
};

struct ScannedColumn {
  duckdb::column_t id;
  duckdb::LogicalType type;
  Type ours;
};

/// Starts reading `columns` of all rows.
std::unique_ptr<Scan> start_scan(std::shared_ptr<const ScannedFunction> function,
                                 std::vector<ScannedColumn> columns, BatchSize size, MemoryBudget* budget,
                                 const Cancellation* cancellation);

}  // namespace lanewise::sql
