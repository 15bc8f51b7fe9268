#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "data/column.h"

namespace lanewise {

/// Rows that are read once, in order, batch by batch.
struct Batches {
  Schema schema;
  int64_t rows;  ///< negative: not known before the end
  /// The next batch; nothing at the end. One thread at a time may call it.
  std::function<std::optional<Batch>()> next;
};

/// The rows of `table`, which must outlive them.
inline Batches batches_of(const Table& table) {
  return {table.schema, table.rows(), [&table, next = size_t{0}]() mutable -> std::optional<Batch> {
            if (next == table.batches.size()) return std::nullopt;
            return table.batches[next++];
          }};
}

}  // namespace lanewise
