#pragma once

#include "expr/vectors/compare_vectors.h"

namespace lanewise::expr {

/// Sets `bitmap` to the active rows where `text op wanted`, in the order of bytes. `text` is flat: one buffer
/// and offsets, with 8 readable bytes after its end. 8 bytes of many rows are compared at a
/// time, without branches.
void compare_texts(Comparison op, const Vector& text, std::string_view wanted, const ActiveSet& rows,
                   uint64_t* bitmap);

}  // namespace lanewise::expr
