#include "primitives/matrix_product.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "primitives/parallel.h"

namespace lanewise {

namespace {

constexpr size_t kSide = 64, kDepth = 128;  // of a tile of the product, and of the inner dimension at once
constexpr size_t kRows = 4, kColumns = 4;   // that registers hold

/// Parts of both matrices, contiguous in the order of use, padded with zeros.
template <class T>
struct Tile {
  T left[kSide / kRows][kDepth][kRows];
  T top[kSide / kColumns][kDepth][kColumns];
  T sum[kSide][kSide];

  void bring(const T* a, size_t of_row, size_t rows, const T* b, size_t of_top, size_t columns,
             size_t depth) {
    for (size_t i = 0; i < kSide; ++i) {
      for (size_t k = 0; k < kDepth; ++k) {
        left[i / kRows][k][i % kRows] = i < rows && k < depth ? a[i * of_row + k] : T{};
      }
    }
    for (size_t k = 0; k < kDepth; ++k) {
      for (size_t j = 0; j < kSide; ++j) {
        top[j / kColumns][k][j % kColumns] = k < depth && j < columns ? b[k * of_top + j] : T{};
      }
    }
  }

  void add(size_t depth) {
    for (size_t i = 0; i < kSide; i += kRows) {
      for (size_t j = 0; j < kSide; j += kColumns) {
        T own[kRows][kColumns];
        for (size_t r = 0; r < kRows; ++r) std::copy_n(&sum[i + r][j], kColumns, own[r]);
        for (size_t k = 0; k < depth; ++k) {
          const T* const x = left[i / kRows][k];
          const T* const y = top[j / kColumns][k];
          for (size_t r = 0; r < kRows; ++r) {
            for (size_t c = 0; c < kColumns; ++c) own[r][c] += x[r] * y[c];
          }
        }
        for (size_t r = 0; r < kRows; ++r) std::copy_n(own[r], kColumns, &sum[i + r][j]);
      }
    }
  }
};

/// One task per tile of the product, so that threads write no shared data.
template <class T>
void multiply(const T* a, const T* b, T* product, size_t rows, size_t inner, size_t columns) {
  const size_t across = (columns + kSide - 1) / kSide;
  parallel_for((rows + kSide - 1) / kSide * across, [&](size_t task) {
    const size_t row = task / across * kSide, column = task % across * kSide;
    const size_t high = std::min(kSide, rows - row), wide = std::min(kSide, columns - column);
    const auto held = std::make_unique<Tile<T>>();  // 160 KB are too much for a stack
    Tile<T>& tile = *held;
    for (size_t k = 0; k < inner; k += kDepth) {
      const size_t depth = std::min(kDepth, inner - k);
      tile.bring(a + row * inner + k, inner, high, b + k * columns + column, columns, wide, depth);
      tile.add(depth);
    }
    for (size_t i = 0; i < high; ++i) std::copy_n(tile.sum[i], wide, product + (row + i) * columns + column);
  });
}

template <class T>
void check(std::span<const T> a, std::span<const T> b, std::span<T> product, size_t rows, size_t inner,
           size_t columns) {
  if (a.size() != rows * inner || b.size() != inner * columns || product.size() != rows * columns) {
    throw UserError("a matrix's number of cells must be its rows times its columns");
  }
}

}  // namespace

void matrix_product(std::span<const int64_t> a, std::span<const int64_t> b, std::span<int64_t> product,
                    size_t rows, size_t inner, size_t columns) {
  check(a, b, product, rows, inner, columns);
  // Unsigned integers wrap.
  multiply(reinterpret_cast<const uint64_t*>(a.data()), reinterpret_cast<const uint64_t*>(b.data()),
           reinterpret_cast<uint64_t*>(product.data()), rows, inner, columns);
}

void matrix_product(std::span<const double> a, std::span<const double> b, std::span<double> product,
                    size_t rows, size_t inner, size_t columns) {
  check(a, b, product, rows, inner, columns);
  multiply(a.data(), b.data(), product.data(), rows, inner, columns);
}

}  // namespace lanewise
