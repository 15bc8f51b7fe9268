#pragma once

#include <span>
#include <string_view>

#include "data/column.h"
#include "primitives/sort/row_sort.h"

namespace lanewise::ops {

/// The values of `rows`, see row_of(), each of which occurs once; the parts are plain columns of `type` in
/// our own memory.
ColumnPtr pick(Type type, std::span<const Column* const> parts, std::span<const KeyRow> rows,
               MemoryBudget* budget, std::string_view what);

/// The same for the first columns of `parts`, those of the schema.
Batch pick_batch(const Schema& schema, std::span<const Batch* const> parts, std::span<const KeyRow> rows,
                 MemoryBudget* budget, std::string_view what);

/// The same for all columns of `parts`, as batches of a table; parallel.
Table pick_table(const Schema& schema, std::span<const Batch* const> parts, std::span<const KeyRow> rows,
                 MemoryBudget* budget, std::string_view what, const Cancellation* cancellation);

}  // namespace lanewise::ops
