#pragma once

#include <cstdint>

#include "active/active_set.h"
#include "data/vector.h"

namespace lanewise {

/// A column of keys in the form used by grouping and joining: equal keys have equal words, for
/// every type. -0.0 is 0.0, all NaNs are equal, and intervals are normalised, as in SQL. Nested values are
/// strings, equal if their bytes are.
struct KeyWords {
  int width = 1;                       ///< words per value: 1, 2, or 0 for strings
  bool integer = false;                ///< the words are the values: integers, dates, times, decimals
  const uint64_t* words = nullptr;     ///< by row; unspecified for NULL and inactive rows
  const Vector* text = nullptr;        ///< strings: the vector itself
  const uint64_t* validity = nullptr;  ///< by row; null: no row is NULL

  bool is_null(uint32_t row) const { return validity != nullptr && !bits::test(validity, row); }
};

/// The words of `vector`, which must outlive the result, for the active rows.
KeyWords key_words(const Vector& vector, const ActiveSet& rows);

/// Words per value of `type`, see KeyWords::width.
int key_width(Type type);

/// Whether different values of `type` are equal as keys (0.0 and -0.0, 30 days and 1 month, and lists of
/// these), so that a key does not determine the value.
bool key_is_lossy(Type type);

}  // namespace lanewise
