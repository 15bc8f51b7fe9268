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
  /// Whether an entry for each number, 4 bytes or a bit, takes no more than a hash table would.
  static bool fit(uint64_t range, size_t rows, bool existence) {
    return range <= (existence ? 32 : 8) * rows + 1024;
  }
};

/// A lookup that has an entry for each number: a row, the start of a run, or with `existence` a bit.
std::unique_ptr<Lookup> lookup_by_number(const Numbers& numbers, std::optional<KeyRange> range,
                                         bool existence, MemoryBudget* budget);

}  // namespace lanewise::ops
