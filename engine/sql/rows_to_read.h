#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "data/column.h"

namespace lanewise::sql {

/// Rows that a statement reads once, in order, batch by batch.
struct RowsToRead {
  Schema schema;
  size_t max_threads;  ///< that read at once
  /// The next rows; nothing at the end. Called by one thread at a time.
  std::function<std::optional<Batch>()> next;
};
/// The rows of `table`, which must outlive them.
RowsToRead rows_of(const Table& table);

}  // namespace lanewise::sql
