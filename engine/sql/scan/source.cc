#include "sql/scan/source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sql/duckdb/duckdb_headers.h"
#include "sql/duckdb/errors.h"
#include "sql/scan/identity.h"
#include "sql/scan/rows_function.h"
#include "sql/scan/scan.h"
#include "sql/values/types.h"

namespace lanewise::sql {

namespace {

/// The virtual columns with content, in the order of their numbers.
std::vector<duckdb::column_t> virtual_columns_of(const duckdb::LogicalGet& get) {
  std::vector<duckdb::column_t> ids;
  for (const auto& [id, column] : get.virtual_columns) {
    if (id != duckdb::COLUMN_IDENTIFIER_EMPTY) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Whether both engines order its values in the same way.
bool is_plain_number(const duckdb::LogicalType& type) {
  return type.IsIntegral() || type.id() == duckdb::LogicalTypeId::DATE ||
         type.id() == duckdb::LogicalTypeId::TIMESTAMP;
}

class TableFunctionSource : public Source {
 public:
  TableFunctionSource(duckdb::ClientContext& context, duckdb::LogicalGet& get, const Generation& generation)
      : name_(source_name(get)), identity_(source_identity(get, generation)) {
    for (size_t i = 0; i < get.names.size(); ++i) add(i, get.names[i], get.returned_types[i]);
    for (duckdb::column_t id : virtual_columns_of(get)) {
      const duckdb::TableColumn& column = get.virtual_columns.at(id);
      add(id, column.name, column.type);
    }
    function_ = std::make_shared<ScannedFunction>(context, get);
  }

  std::string name() const override { return name_; }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override { return identity_; }
  int64_t estimated_rows() const override { return function_->estimated_rows(); }

  std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize size, MemoryBudget* budget,
                             const Cancellation* cancellation) const override {
    return translated(
        [&] { return start_scan(function_, scanned(columns), {}, size, budget, cancellation); });
  }

  /// DuckDB skips the row groups of its tables whose bounds are outside of the ranges.
  std::unique_ptr<Scan> scan_within(const std::vector<size_t>& columns,
                                    const std::vector<NeededRange>& ranges, MemoryBudget* budget,
                                    const Cancellation* cancellation) const override {
    std::vector<NeededRange> known;
    for (const NeededRange& range : ranges)
      if (function_->is_table() && is_plain_number(types_[columns[range.column]])) known.push_back(range);
    return translated([&] {
      return start_scan(function_, scanned(columns), known, BatchSize::kPassing, budget, cancellation);
    });
  }

 private:
  std::vector<ScannedColumn> scanned(const std::vector<size_t>& columns) const {
    std::vector<ScannedColumn> result;
    for (size_t column : columns) result.push_back({ids_[column], types_[column], schema_[column].type});
    return result;
  }
  void add(duckdb::column_t id, const std::string& name, const duckdb::LogicalType& type) {
    ids_.push_back(id);
    types_.push_back(type);
    schema_.push_back({name, find_type(type).value_or(TypeId::kNull)});
  }

  std::string name_;
  std::string identity_;
  Schema schema_;
  std::vector<duckdb::column_t> ids_;
  std::vector<duckdb::LogicalType> types_;
  std::shared_ptr<ScannedFunction> function_;
};

}  // namespace

std::shared_ptr<const Source> make_source(duckdb::ClientContext& context, duckdb::LogicalGet& get,
                                          const Generation& generation) {
  if (auto source = exposed_source(get)) return source;
  return std::make_shared<TableFunctionSource>(context, get, generation);
}

std::optional<size_t> source_column(const duckdb::LogicalGet& get, uint64_t id) {
  if (id == duckdb::COLUMN_IDENTIFIER_EMPTY) return std::nullopt;
  if (id < get.names.size()) return id;
  const auto ids = virtual_columns_of(get);
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end())
    throw InternalError("scan of " + get.function.name + ": unknown column " + std::to_string(id));
  return get.names.size() + static_cast<size_t>(found - ids.begin());
}

}  // namespace lanewise::sql
