#pragma once

#include <memory>

#include "expr/evaluation/evaluate.h"
#include "ops/chunk.h"

namespace lanewise::ops {

/// A streaming operator: changes chunks on their way. Immutable, shared by all threads.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Chunk& chunk, EvalContext& context) const = 0;
};

/// The chunks that an Expander makes of one chunk.
class Expansion {
 public:
  virtual ~Expansion() = default;
  /// The next one, which may have no active row; false: there is none left. Its memory is context.arena's.
  virtual bool next(Chunk& out, EvalContext& context) = 0;
};

/// A streaming operator that makes none, one or several chunks of each. Immutable, shared by all threads.
class Expander {
 public:
  virtual ~Expander() = default;
  /// `in` and its memory outlive the expansion. Its chunks have about `rows` rows at most.
  virtual std::unique_ptr<Expansion> expand(const Chunk& in, uint32_t rows, EvalContext& context) const = 0;
};

}  // namespace lanewise::ops
