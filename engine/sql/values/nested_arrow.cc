#include "sql/values/nested_arrow.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

/// Columns of timestamps are exported in UTC.
duckdb::ClientProperties in_utc(duckdb::ClientProperties properties) {
  properties.time_zone = "UTC";
  return properties;
}

/// Converts one column's strings to values of its type, and those to Arrow.
class Conversion {
 public:
  Conversion(duckdb::ClientContext& context, const duckdb::LogicalType& type)
      : context_(context),
        types_{type},
        properties_(in_utc(context.GetClientProperties())),
        extensions_(duckdb::ArrowTypeExtensionData::GetExtensionTypes(context, types_)) {}

  ArrowSchema schema() {
    ArrowSchema schema{};
    duckdb::ArrowConverter::ToArrowSchema(&schema, types_, {"column"}, properties_);
    return schema;
  }

  ArrowArray array(const Column& column) {
    duckdb::ArrowAppender appender(types_, static_cast<duckdb::idx_t>(column.rows), properties_, extensions_);
    for (int64_t first = 0; first < column.rows; first += STANDARD_VECTOR_SIZE) {
      const int64_t rows = std::min<int64_t>(STANDARD_VECTOR_SIZE, column.rows - first);
      const auto count = static_cast<duckdb::idx_t>(rows);
      duckdb::DataChunk values;
      values.Initialize(context_, types_);
      if (column.type.is_nested()) {
        expose(column, first, rows, values.data[0]);
      } else {
        duckdb::Vector texts(duckdb::LogicalType::VARCHAR);
        expose(column, first, rows, texts);
        duckdb::VectorOperations::Cast(context_, texts, values.data[0], count);
      }
      values.SetCardinality(count);
      appender.Append(values, 0, count, count);
    }
    return appender.Finalize();
  }

 private:
  duckdb::ClientContext& context_;
  const duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ClientProperties properties_;
  const duckdb::unordered_map<duckdb::idx_t, const duckdb::shared_ptr<duckdb::ArrowTypeExtensionData>>
      extensions_;
};

/// Moves out the only column of a struct.
ArrowArray only_column(ArrowArray whole) {
  const ArrowArray column = std::exchange(*whole.children[0], {});
  whole.release(&whole);
  return column;
}

}  // namespace

arrow::NestedColumns nested_arrow(duckdb::ClientContext& context, const Table& table) {
  arrow::NestedColumns columns(table.schema.size());
  for (size_t i = 0; i < table.schema.size(); ++i) {
    const Field& field = table.schema[i];
    if (field.text_of.empty() && !field.type.is_nested()) continue;
    const duckdb::LogicalType type =
        field.type.is_nested() ? to_duckdb(field.type) : duckdbs_type(field, context);
    if (!type.IsNested()) continue;
    Conversion conversion(context, type);
    columns[i] = std::make_unique<arrow::NestedColumn>();
    columns[i]->schema = conversion.schema();
    for (const Batch& batch : table.batches)
      columns[i]->arrays.push_back(only_column(conversion.array(*batch.columns[i])));
  }
  return columns;
}

}  // namespace lanewise::sql
