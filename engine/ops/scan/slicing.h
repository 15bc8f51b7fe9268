#pragma once

#include "ops/run/options.h"
#include "ops/scan/input.h"

namespace lanewise::ops {

inline constexpr uint32_t kVectorRows = 8192;  ///< the default of Options::vector_rows

/// Rows of a slice and of a morsel for these options; `rows` is the size of the input, negative: unknown. If
/// it `expands`, so that a vector of rows may be all the work, threads share fewer rows than a vector, too.
Slicing slicing_for(const Options& options, int64_t rows, bool expands = false);

}  // namespace lanewise::ops
