// Shrinks a failing test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lanewise {

/// Removes runs of halving length from `steps`, for which fails(steps) is true, as long as it stays
/// true. No single step of the result can be removed (Zeller and Hildebrandt, "Simplifying and isolating
/// failure-inducing input", 2002). Calls fails() about steps.size() times if few steps matter.
template <class Step, class Fails>
std::vector<Step> shrink(std::vector<Step> steps, Fails fails) {
  for (size_t length = std::max<size_t>(steps.size() / 2, 1);; length = std::max<size_t>(length / 2, 1)) {
    bool shorter = false;
    for (size_t first = 0; first < steps.size();) {
      const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = steps.begin() + static_cast<std::ptrdiff_t>(std::min(first + length, steps.size()));
      std::vector<Step> rest(steps.begin(), begin);
      rest.insert(rest.end(), end, steps.end());
      if (fails(rest)) {
        steps = std::move(rest);
        shorter = true;
      } else {
        first += length;
      }
    }
    if (length == 1 && !shorter) return steps;
  }
}

}  // namespace lanewise
