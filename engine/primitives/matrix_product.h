#pragma once

#include <cstdint>
#include <span>

namespace lanewise {

/// `product` = a × b, row-major matrices: a has rows × inner cells, b inner × columns, product rows ×
/// columns; with inner = 0 it is 0. On all threads of the caller's arena. Integers wrap; reals are added
/// in the order of `inner`. `product` is neither a nor b.
void matrix_product(std::span<const int64_t> a, std::span<const int64_t> b, std::span<int64_t> product,
                    size_t rows, size_t inner, size_t columns);
void matrix_product(std::span<const double> a, std::span<const double> b, std::span<double> product,
                    size_t rows, size_t inner, size_t columns);

}  // namespace lanewise
