#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/arrow/arrow_device.h"
#include "data/testing/device_arrays.h"
#include "data/testing/text_rows.h"

/// Arrow arrays of a device, imported and read.
namespace lanewise::testing_arrow {

inline std::string text_of(Type type, int64_t row) { return value_of(type, row).to_string(); }

inline std::shared_ptr<const Source> import(DeviceArrays& from, gpu::Device& device) {
  return arrow::import_device_arrays("t", &from.schema, from.arrays, [&](int64_t ordinal) -> gpu::Device& {
    if (ordinal != device.ordinal()) throw UserError("no such GPU");
    return device;
  });
}

/// All columns read through the host path: their values as text, by row.
inline TextRows scanned(const Source& source) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < source.schema().size(); ++i) columns.push_back(i);
  const auto scan = source.scan(columns, BatchSize::kKept, nullptr, nullptr);
  const auto worker = scan->worker();
  TextRows rows;
  while (const auto next = worker->next()) append_text(next->batch, rows);
  return rows;
}

inline void expect_rows(const TextRows& found, int64_t first, int64_t rows) {
  ASSERT_EQ(found.size(), rows);
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      ASSERT_EQ(found[static_cast<size_t>(row)][i], text_of(kTypes[i], first + row))
          << kTypes[i].name() << " row " << row << " of " << rows;
    }
  }
}

}  // namespace lanewise::testing_arrow
