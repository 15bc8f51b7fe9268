#pragma once

#include <cstdint>
#include <vector>

#include "active/active_set.h"
#include "data/vector.h"

namespace lanewise::ops {

/// Some rows on their way through a pipeline. Vectors and set live until the worker's arena is reset, that is
/// until the last operator of the pipeline has seen the chunk.
struct Chunk {
  uint64_t order =
      0;  ///< chunks in ascending order, rows ascending within, are the rows in their input's order
  uint32_t rows = 0;
  std::vector<Vector> columns;
  ActiveSet active;
  /// The number of the first row among those of chunks of this order: a join makes several of one, which come
  /// to one thread, in their order.
  uint64_t first_row = 0;
};

}  // namespace lanewise::ops
