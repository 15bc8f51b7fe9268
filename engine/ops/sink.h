#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/column.h"
#include "expr/evaluation/evaluate.h"
#include "ops/chunk.h"

namespace lanewise::ops {

/// An order by one column.
struct InputOrder {
  size_t column;
  bool descending;
  bool nulls_first;
};

/// The end of a pipeline: consumes all its chunks and makes a table of them.
class Sink {
 public:
  /// The data gathered by one thread.
  class Local {
   public:
    virtual ~Local() = default;
  };

  virtual ~Sink() = default;
  virtual std::unique_ptr<Local> local() const = 0;
  /// Whether one thread consumes all chunks, in their order; else several do at once, in any order.
  virtual bool in_order() const { return false; }
  /// The position of the chunk is chunk.order. Memory that outlives the call is charged to context.budget.
  virtual void consume(Local& local, const Chunk& chunk, EvalContext& context) const = 0;
  /// Chunks from this order on can no longer change the result (LIMIT), so they are not needed. It only
  /// decreases. Thread-safe.
  virtual uint64_t needed_below() const { return UINT64_MAX; }
  /// A condition of all rows that can still change the result (top-n), for chunks of this order, over the
  /// input's columns and computed ones after them; null: none is known. It only becomes stricter.
  /// Thread-safe.
  virtual ExprPtr needed(uint64_t) const { return nullptr; }
  /// The input's column, if any, by which rows should be read, best ones first, so that needed() soon
  /// excludes most rows.
  virtual std::optional<InputOrder> wanted_order() const { return std::nullopt; }
  /// Called once, after all consume() calls, inside the task arena of the run: it may use tbb::parallel_for.
  virtual Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) = 0;
};

}  // namespace lanewise::ops
