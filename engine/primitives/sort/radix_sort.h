#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cancel.h"

namespace lanewise {

/// The element that is sorted: a key, and the number of its row.
struct KeyRow {
  uint64_t key;
  uint64_t row;
  friend bool operator==(const KeyRow&, const KeyRow&) = default;
};

/// Sorts by key; rows of equal keys keep their order. `scratch` has room for as many. Only the bits that
/// differ between keys are looked at: first the highest ones part the rows into pieces that fit a core's
/// cache, each is then sorted from its lowest byte up. Parallel within the caller's task arena. Throws
/// CancelledError; the rows are then in no order.
void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, const Cancellation* cancellation = nullptr);

/// The same where only the places of `wanted` need to be right in the end, which may overlap with `rows` in
/// any way; the rows before it are then those that belong before it.
void radix_sort(std::span<KeyRow> rows, KeyRow* scratch, std::span<const KeyRow> wanted,
                const Cancellation* cancellation);

}  // namespace lanewise
