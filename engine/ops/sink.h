#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/column.h"
#include "expr/evaluate.h"
#include "ops/chunk.h"

namespace lanewise::ops {

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
  /// Called once, after all consume() calls, inside the task arena of the run: it may use tbb::parallel_for.
  virtual Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) = 0;
};

}  // namespace lanewise::ops
