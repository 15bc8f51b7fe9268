#pragma once

#include "ops/join/lookup.h"

namespace lanewise::ops {

/// Keys that are integers of a narrow range.
struct Numbers {
  const uint64_t* words;
  size_t rows;
  const uint64_t* valid;  // null: all rows
  uint64_t least, keys;   // words are from `least` on, less than `least + keys`

  bool is_found(size_t row) const { return valid == nullptr || bits::test(valid, row); }
};

/// A lookup that has an entry for each number: a bit, or a row or the start of a run. With `existence` any
/// row of a run will do.
std::unique_ptr<Lookup> lookup_by_number(const Numbers& numbers, std::optional<KeyRange> range,
                                         bool existence, const LookupChoice& choice, MemoryBudget* budget);

}  // namespace lanewise::ops
