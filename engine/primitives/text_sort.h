#pragma once

#include <span>
#include <string_view>

#include "base/cancel.h"
#include "primitives/radix_sort.h"

namespace lanewise {

/// Sorts rows by texts[row], as unsigned bytes; equal ones keep their order. The keys of `rows` are
/// overwritten; `scratch` has room for as many rows. Eight bytes at a time: what all strings of a piece have
/// in common is passed over, the next eight bytes are sorted as numbers, and pieces of equal ones go on
/// behind them. Parallel within the caller's task arena. Throws CancelledError; the rows are then in no
/// order.
void text_sort(std::span<KeyRow> rows, KeyRow* scratch, std::span<const std::string_view> texts,
               bool descending, const Cancellation* cancellation = nullptr);

}  // namespace lanewise
