#include "ops/scan/slicing.h"

#include <algorithm>

namespace lanewise::ops {

namespace {

constexpr int64_t kMorselRows = int64_t{1} << 17;

}  // namespace

Slicing slicing_for(const Options& options, int64_t rows, bool expands) {
  Slicing slicing;
  slicing.vector_rows = options.vector_rows == 0 ? kVectorRows : options.vector_rows;
  int64_t morsel = kMorselRows;
  if (rows >= 0 && options.threads > 1)
    morsel = std::min(morsel, rows / (4 * options.threads));  // several for each thread
  if (expands && morsel < slicing.vector_rows)
    slicing.vector_rows = std::max(uint32_t{1}, static_cast<uint32_t>(morsel));
  slicing.morsel_rows = std::max<int64_t>(1, morsel / slicing.vector_rows) * slicing.vector_rows;
  return slicing;
}

}  // namespace lanewise::ops
