#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/memory.h"
#include "data/column.h"
#include "data/source.h"
#include "ops/scan/bounds/bounds.h"
#include "ops/scan/kept_columns.h"

namespace lanewise::ops {

/// One chunk of one column in the store.
struct StoredChunk {
  uint64_t order = 0;
  ColumnPtr column;
  Bounds bounds;              ///< bounds of all rows
  std::vector<Bounds> zones;  ///< bounds of each kZoneRows rows
};

/// Columns of sources, kept in memory between statements while their source has not changed and the budget
/// allows. The key is Source::identity() and the column; results are never cached. Thread-safe.
///
/// The allocator of a column's buffers reserved them in the budget. The store keeps them alive, and releases
/// them when the budget needs memory.
class ColumnStore {
 public:
  using Chunks = std::shared_ptr<const std::vector<StoredChunk>>;

  explicit ColumnStore(MemoryBudget* budget);

  /// The whole column in the source's order, or null.
  Chunks find(const std::string& identity, size_t column);
  /// Keeps a column. Its chunks are sorted by their order here; missing bounds are computed.
  void put(const std::string& identity, size_t column, std::vector<StoredChunk> chunks);

  /// Columns of a running scan that are to be added to the store. Abandoned when memory is short.
  class Intake {
   public:
    /// Thread-safe. Computes the bounds. False once the columns have been abandoned.
    bool add(const ScanBatch& batch);
    /// Adds the columns to the store after all batches; false if they have been abandoned.
    bool commit();

   private:
    friend class ColumnStore;
    Intake(ColumnStore& store, std::string identity, std::vector<size_t> columns);
    size_t give_up();

    ColumnStore& store_;
    const std::string identity_;
    const std::vector<size_t> columns_;
    std::mutex mutex_;
    bool given_up_ = false;
    size_t bytes_ = 0;
    std::vector<std::vector<StoredChunk>> chunks_;  // [column][batch]
  };
  std::shared_ptr<Intake> intake(const std::string& identity, const std::vector<size_t>& columns);

  /// Evicts about `bytes`: first columns that no query is reading, then intakes. Returns the number of bytes.
  size_t evict(size_t bytes);
  /// Releases all columns of the source.
  void forget(const std::string& identity) { columns_.forget(identity); }
  void clear() { columns_.clear(); }
  size_t bytes() const { return columns_.bytes(); }

 private:
  MemoryBudget* const budget_;
  KeptColumns<const std::vector<StoredChunk>> columns_;
  std::mutex mutex_;  // of the intakes
  std::vector<std::weak_ptr<Intake>> intakes_;
  const Reclaimer reclaimer_;  // last member: destroyed first, so it never sees a destroyed one
};

}  // namespace lanewise::ops
