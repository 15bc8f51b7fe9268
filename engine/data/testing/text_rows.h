#pragma once

#include <string>
#include <vector>

#include "data/column.h"

namespace lanewise {

/// For tests: values as text, by row.
using TextRows = std::vector<std::vector<std::string>>;

inline void append_text(const Batch& batch, TextRows& rows) {
  for (int64_t row = 0; row < batch.rows; ++row) {
    rows.emplace_back();
    for (const ColumnPtr& column : batch.columns) rows.back().push_back(column->value(row).to_string());
  }
}
inline TextRows text_of(const std::vector<Batch>& batches) {
  TextRows rows;
  for (const Batch& batch : batches) append_text(batch, rows);
  return rows;
}
inline TextRows text_of(const Table& table) { return text_of(table.batches); }

}  // namespace lanewise
