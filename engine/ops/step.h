#pragma once

#include <memory>

#include "expr/evaluation/evaluate.h"
#include "ops/chunk.h"

namespace lanewise::ops {

/// A streaming operator: transforms chunks. Immutable, shared by all threads.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Chunk& chunk, EvalContext& context) const = 0;
};

/// The chunks that an Expander makes from one chunk.
class Expansion {
 public:
  virtual ~Expansion() = default;
  /// The next chunk, which may have no active row; false: none is left. Its memory is in context.arena.
  virtual bool next(Chunk& out, EvalContext& context) = 0;
};

/// A streaming operator that makes any number of chunks from each one. Immutable, shared by all threads.
class Expander {
 public:
  virtual ~Expander() = default;
  /// `in` and its memory outlive the expansion. Its chunks have at most about `rows` rows.
  virtual std::unique_ptr<Expansion> expand(const Chunk& in, uint32_t rows, EvalContext& context) const = 0;
};

}  // namespace lanewise::ops
