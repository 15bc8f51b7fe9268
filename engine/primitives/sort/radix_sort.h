#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cancel.h"

namespace lanewise {

/// The sorted element: a key and its row number.
struct KeyRow {
  uint64_t key;
  uint64_t row;
  friend bool operator==(const KeyRow&, const KeyRow&) = default;
};

/// Sorts by key; stable. `scratch` has room for as many. Only the bits that
/// differ between keys are used: first the highest ones split the rows into pieces that fit a core's
/// cache, then each piece is sorted from its lowest byte up. Parallel within the caller's task arena. Throws
/// CancelledError; the order is then unspecified.
void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, const Cancellation* cancellation = nullptr);

/// The same, but only the positions in `wanted`, which may overlap with `rows` in
/// any way, need to be correct; the rows before it are then those that belong before it.
void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, std::span<const KeyRow> wanted,
                const Cancellation* cancellation);

}  // namespace lanewise
