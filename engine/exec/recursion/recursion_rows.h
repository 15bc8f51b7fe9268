#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "plan/node.h"
#include "primitives/groups/grouping.h"

namespace lanewise::exec {

/// The rows that a recursion has returned so far. Adding a round takes time in proportion to its rows.
class RecursionRows {
 public:
  RecursionRows(const plan::Recursion& recursion, const Schema& schema, MemoryBudget* budget,
                const Cancellation* cancellation);

  /// Adds the rows of a round, as columns without dictionaries. Returns those that the next round reads: for
  /// UNION without keys the rows that have not occurred before. Throws CancelledError, MemoryError.
  Table add(Table round);
  /// All rows; with keys, the last one for each, with its first form of the key.
  Table all() const;

 private:
  /// Numbers the rows of a batch by their keys: numbers_[row].
  void number(const Batch& batch);
  Table new_rows(const Table& round);
  /// The rows with these numbers, if whole rows are numbered.
  std::vector<Batch> numbered(uint32_t first, uint32_t end) const;
  /// Where the last row of a key is.
  struct Place {
    uint32_t batch, row;
  };
  /// Drops the rows that were replaced, once they are most of all.
  void compact();

  Schema schema_;
  MemoryBudget* budget_;
  const Cancellation* cancellation_;
  std::vector<size_t> keys_;
  const bool replaces_;              // USING KEY; else whole rows are numbered
  std::unique_ptr<Grouping> known_;  // null: all rows are kept
  std::vector<uint32_t> numbers_;
  std::vector<Place> places_;  // by a key's number
  std::vector<Batch> batches_;
  int64_t rows_ = 0;  // in batches_
};

}  // namespace lanewise::exec
