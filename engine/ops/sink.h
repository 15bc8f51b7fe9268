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

/// The end of a pipeline: takes all its chunks, from several threads at once, and makes a table of them.
class Sink {
 public:
  /// What one thread has gathered.
  class Local {
   public:
    virtual ~Local() = default;
  };

  virtual ~Sink() = default;
  virtual std::unique_ptr<Local> local() const = 0;
  /// Chunks come to a thread in any order; chunk.order says where they belong. Memory that outlives the call
  /// is charged to context.budget.
  virtual void consume(Local& local, const Chunk& chunk, EvalContext& context) const = 0;
  /// Chunks from this order on can no longer change the result (LIMIT), so they need not be made. It only
  /// falls. Thread-safe.
  virtual uint64_t needed_below() const { return UINT64_MAX; }
  /// What holds for each row of a chunk of this order that can still change the result (top-n), over the
  /// input's columns and others after them; null: nothing is known. It only becomes stricter. Thread-safe.
  virtual ExprPtr needed(uint64_t) const { return nullptr; }
  /// The column of the input, if any, by which rows should come, best ones first, so that needed() soon
  /// leaves little.
  virtual std::optional<InputOrder> wanted_order() const { return std::nullopt; }
  /// Called once, after all consume() calls, inside the task arena of the run: it may use tbb::parallel_for.
  virtual Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) = 0;
};

}  // namespace lanewise::ops
