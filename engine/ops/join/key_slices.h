#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ops/join/lookup.h"
#include "primitives/groups/key_words.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

inline constexpr uint32_t kSliceRows = 8192;  // a multiple of 64: slices do not share validity words

inline std::vector<KeyWords> words_of(std::span<const Vector> keys, const ActiveSet& rows) {
  std::vector<KeyWords> words;
  for (const Vector& key : keys) words.push_back(key_words(key, rows));
  return words;
}

/// Calls f(first row, keys, rows, arena) for all rows, slice by slice, on all threads.
template <class F>
void for_slices(const std::vector<ColumnPtr>& keys, size_t rows, MemoryBudget* budget, F f) {
  parallel_for((rows + kSliceRows - 1) / kSliceRows, [&](size_t slice_number) {
    const size_t first = slice_number * kSliceRows;
    const auto count = static_cast<uint32_t>(std::min<size_t>(kSliceRows, rows - first));
    Arena arena(budget, kJoin);
    std::vector<Vector> vectors;
    for (const ColumnPtr& key : keys)
      vectors.push_back(slice(*key, static_cast<int64_t>(first), count, arena));
    const ActiveSet all(count, arena);
    const std::vector<KeyWords> words = words_of(vectors, all);
    f(first, std::span<const KeyWords>(words), all, arena);
  });
}

}  // namespace lanewise::ops
