#pragma once

#include <cstdint>
#include <vector>

#include "active/active_set.h"
#include "data/vector.h"

namespace lanewise::ops {

/// Some rows passing through a pipeline. Vectors and set live until the worker's arena is reset, that is
/// until the last operator of the pipeline has seen the chunk.
struct Chunk {
  uint64_t order = 0;  ///< sorting rows by order, then by row number, restores the order of the input
  uint32_t rows = 0;
  std::vector<Vector> columns;
  ActiveSet active;
  /// The number of the first row among all chunks of this order: a join makes several chunks of one, which go
  /// to one thread, in sequence.
  uint64_t first_row = 0;
};

}  // namespace lanewise::ops
