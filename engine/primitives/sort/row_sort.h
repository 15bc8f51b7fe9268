#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "data/column.h"
#include "primitives/sort/radix_sort.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise {

/// KeyRow::row of row `row` in part number `part` of columns that come in parts.
constexpr uint64_t row_of(size_t part, size_t row) { return uint64_t{part} << 32 | row; }
constexpr size_t part_of(uint64_t row) { return row >> 32; }
constexpr uint32_t row_in_part(uint64_t row) { return static_cast<uint32_t>(row); }

/// A key of a sort: a plain column in parts.
struct RowKey {
  Type type;
  SortDirection direction;
  std::vector<const Column*> parts;
};

/// Sorts `rows`, see row_of(), by the keys in sequence; stable for rows that are equal in all keys.
/// KeyRow::key is overwritten; `scratch` has room for as many rows. Only the positions in `wanted`, a
/// part of `rows`, need to be correct: the rows before it are then those that belong before it.
///
/// Fixed-width keys are packed into words of at most 64 bits, with no more bits than their values differ in,
/// and sorted as numbers. Strings are sorted by eight bytes at a time; a common prefix of all strings of a
/// piece is skipped. Rows that compare equal so far become pieces of their own. Parallel within the caller's
/// task arena. Throws CancelledError; the order is then unspecified.
void sort_rows(std::span<KeyRow> rows, KeyRow* scratch, std::span<const RowKey> keys,
               std::span<const KeyRow> wanted, const Cancellation* cancellation = nullptr);

}  // namespace lanewise
