#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/chunk.h"
#include "ops/gather.h"
#include "ops/sink.h"

namespace lanewise::ops {

/// The active rows of the chunks that one thread has consumed, with their order.
class OrderedRows : public Sink::Local {
 public:
  /// `what`, a string literal, names the operator in memory errors. Batches end near `batch_rows`.
  OrderedRows(const Schema& schema, std::string_view what, int64_t batch_rows = int64_t{1} << 17)
      : schema_(schema), what_(what), batch_rows_(batch_rows) {}

  void append(const Chunk& chunk, MemoryBudget* budget);
  /// Ends the current batch.
  void seal();
  /// Removes the ended batches; they hold the rows in the order of append().
  std::vector<Batch> take();
  /// The same, with the order of each row's chunk in a last column.
  std::vector<Batch> take_with_orders();
  int64_t rows() const;
  size_t ended_batches() const { return batches_.size(); }
  /// Size of the ended batches.
  size_t bytes() const;
  /// Whether an ended batch is in temporary files.
  bool spilled() const;

  /// Consecutive rows of one batch; `part` numbers the batches of all threads.
  struct Place {
    uint64_t order;
    const Batch* batch;
    size_t part;
    int64_t first;
    int64_t rows;
  };
  /// The places of all threads' rows, in order. Seals.
  static std::vector<Place> places(std::vector<std::unique_ptr<Sink::Local>>& locals);

  /// Rows [offset, offset + limit) of all threads' rows, in order (limit < 0: all). Long pieces are
  /// shared, short ones are copied together.
  static Table merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals, int64_t offset,
                     int64_t limit, MemoryBudget* budget, std::string_view what);

 protected:
  /// Called when a batch has ended and memory is short. Rows of joins stay: a join in parts costs more than
  /// it saves while there is room.
  virtual void spill(MemoryBudget*) {}

 private:
  /// Consecutive rows of one batch.
  struct Piece {
    uint64_t order;
    uint32_t batch;
    int64_t first;
    int64_t rows;
  };

  const Schema& schema_;
  std::string_view what_;
  int64_t batch_rows_;
  MemoryBudget* budget_ = nullptr;
  std::vector<Gather> growing_;
  int64_t growing_rows_ = 0;
  std::vector<Batch> batches_;
  std::vector<Piece> pieces_;
};

/// Rows [first, first + rows) of a column, sharing its memory (a validity that starts within a word is
/// copied).
ColumnPtr share(const ColumnPtr& column, int64_t first, int64_t rows, MemoryBudget* budget,
                std::string_view what);

}  // namespace lanewise::ops
