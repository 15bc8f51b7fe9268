#pragma once

#include <type_traits>
#include <vector>

#include "base/random.h"

namespace lanewise {

/// Integers of all bits; small reals with integer values, so that sums are exact in any order.
template <class T>
std::vector<T> random_matrix(size_t cells, uint64_t seed) {
  Random random(seed);
  std::vector<T> matrix;
  for (size_t i = 0; i < cells; ++i) {
    matrix.push_back(std::is_integral_v<T>
                         ? static_cast<T>(random.next())
                         : static_cast<T>(static_cast<int64_t>(random.below(2'001)) - 1'000));
  }
  return matrix;
}

/// a × b by three loops; integers wrap.
template <class T>
std::vector<T> product_by_loops(const std::vector<T>& a, const std::vector<T>& b, size_t rows, size_t inner,
                                size_t columns) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  std::vector<T> product(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      Wide sum{};
      for (size_t k = 0; k < inner; ++k) {
        sum += static_cast<Wide>(a[i * inner + k]) * static_cast<Wide>(b[k * columns + j]);
      }
      product[i * columns + j] = static_cast<T>(sum);
    }
  }
  return product;
}

}  // namespace lanewise
