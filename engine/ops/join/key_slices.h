#pragma once

#include <algorithm>
#include <limits>
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

/// The least and the greatest word, as signed numbers.
struct WordBounds {
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();

  bool empty() const { return least > greatest; }
  void add(const WordBounds& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

/// Of a slice of so many rows, of those that can be found (null: all can) and are not NULL.
inline WordBounds bounds_of(const KeyWords& words, size_t first, uint32_t rows, const uint64_t* findable) {
  WordBounds bounds;
  for (uint32_t i = 0; i < rows; ++i) {
    if ((findable != nullptr && !bits::test(findable, first + i)) || words.is_null(i)) continue;
    const auto word = static_cast<int64_t>(words.words[i]);
    bounds.add({word, word});
  }
  return bounds;
}

}  // namespace lanewise::ops
