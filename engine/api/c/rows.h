#pragma once

#include <vector>

#include "data/arrow/arrow.h"

namespace lanewise::c {

/// Exports columns of values as a small table to `out`.
inline void export_rows(const Schema& schema, const std::vector<std::vector<Value>>& columns,
                        ArrowArrayStream* out) {
  Batch batch;
  batch.rows = static_cast<int64_t>(columns.at(0).size());
  for (size_t i = 0; i < columns.size(); ++i)
    batch.columns.push_back(make_column(schema[i].type, columns[i]));
  arrow::export_stream({schema, {std::move(batch)}}, out);
}

}  // namespace lanewise::c
