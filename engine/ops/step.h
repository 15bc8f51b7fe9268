#pragma once

#include "expr/evaluate.h"
#include "ops/chunk.h"

namespace lanewise::ops {

/// A streaming operator: changes chunks on their way. Immutable, shared by all threads.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Chunk& chunk, EvalContext& context) const = 0;
};

}  // namespace lanewise::ops
