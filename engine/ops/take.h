#pragma once

#include "active/active_set.h"
#include "data/vector.h"

namespace lanewise::ops {

/// A row number that take() turns into a row of NULLs.
inline constexpr uint32_t kNoRow = ~uint32_t{0};

/// A vector whose row i is row rows[i] of the column, or NULL if that is kNoRow, for the active i.
Vector take(const Column& column, const uint32_t* rows, const ActiveSet& active);

/// The same for a vector; every rows[i] is one of its rows.
Vector take(const Vector& vector, const uint32_t* rows, const ActiveSet& active);

}  // namespace lanewise::ops
