#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "primitives/parallel.h"

namespace lanewise {

/// How many of the first `rank` elements of the merged sequence come from `a`; the rest come from `b`. Of
/// equal elements those of `a` come first. (Co-ranking: Siebert, Träff, "Perfectly load-balanced, stable,
/// synchronization-free parallel merge", 2014.)
template <class T, class Less>
size_t merge_split(std::span<const T> a, std::span<const T> b, size_t rank, Less less) {
  size_t low = rank > b.size() ? rank - b.size() : 0;
  size_t high = std::min(rank, a.size());
  while (low < high) {
    const size_t from_a = low + (high - low) / 2;
    const size_t from_b = rank - from_a;
    if (from_b > 0 && !less(b[from_b - 1], a[from_a])) {
      low = from_a + 1;  // a[from_a] comes before the last one taken of b
    } else {
      high = from_a;
    }
  }
  return low;
}

/// Merges two sorted sequences to `out`; stable, elements of `a` before equal ones of `b`. Parallel within
/// the caller's task arena: every `grain` results are one task.
template <class T, class Less>
void merge(std::span<const T> a, std::span<const T> b, T* out, Less less, size_t grain = size_t{1} << 16) {
  const size_t total = a.size() + b.size();
  parallel_for((total + grain - 1) / grain, [&](size_t task) {
    const size_t first = task * grain;
    const size_t last = std::min(first + grain, total);
    const size_t a_first = merge_split(a, b, first, less);
    const size_t a_last = merge_split(a, b, last, less);
    std::merge(a.begin() + static_cast<ptrdiff_t>(a_first), a.begin() + static_cast<ptrdiff_t>(a_last),
               b.begin() + static_cast<ptrdiff_t>(first - a_first),
               b.begin() + static_cast<ptrdiff_t>(last - a_last), out + first, less);
  });
}

}  // namespace lanewise
