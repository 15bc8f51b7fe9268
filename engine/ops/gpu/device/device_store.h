#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/gpu/device_column.h"
#include "ops/scan/kept_columns.h"

namespace lanewise::ops {

/// The device's half of the column store: parts of columns of sources, in device memory between queries, as
/// long as the budget does not need it. Thread-safe.
class DeviceStore {
 public:
  using ColumnPtr = std::shared_ptr<const DeviceColumn>;

  /// Rows [first, first + rows) of a column of the source of this identity.
  struct Key {
    std::string identity;
    size_t column;
    int64_t first;
    int64_t rows;

    /// Without the identity.
    std::string part() const;
  };

  /// `budget` makes it release memory.
  explicit DeviceStore(MemoryBudget& budget);

  /// Null: it is not there.
  ColumnPtr find(const Key& key);
  void put(const Key& key, ColumnPtr column);
  /// All parts of a column of so many rows, of `part_rows` each; empty: it does not have them all.
  std::vector<ColumnPtr> parts_of(const std::string& identity, size_t column, int64_t rows,
                                  int64_t part_rows);

  /// How many rows the source has, negative: not known.
  int64_t rows(const std::string& identity);
  void set_rows(const std::string& identity, int64_t rows);

  /// Lets go of about `bytes` that no query reads; returns how many.
  size_t evict(size_t bytes) { return columns_.evict(bytes); }
  /// Lets go of all columns of the source, once no query reads them.
  void forget(const std::string& identity);
  void clear();
  size_t bytes() const { return columns_.bytes(); }

 private:
  KeptColumns<const DeviceColumn> columns_;
  std::mutex mutex_;
  std::unordered_map<std::string, int64_t> rows_;
  const Reclaimer reclaimer_;  // the last member: none of the others is called once it ends
};

}  // namespace lanewise::ops
