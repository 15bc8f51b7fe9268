// Products of matrices against three loops; integers wrap.
#include "primitives/matrix_product.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "primitives/testing/matrices.h"

namespace lanewise {
namespace {

template <class T>
void expect_right(size_t rows, size_t inner, size_t columns) {
  const std::vector<T> a = random_matrix<T>(rows * inner, 1), b = random_matrix<T>(inner * columns, 2);
  std::vector<T> found(rows * columns, T{7});
  matrix_product(std::span<const T>(a), std::span<const T>(b), std::span<T>(found), rows, inner, columns);
  EXPECT_EQ(found, product_by_loops(a, b, rows, inner, columns)) << rows << " " << inner << " " << columns;
}

TEST(MatrixProduct, IsThatOfLoops) {
  for (const size_t rows : {0, 1, 31, 33, 65}) {
    for (const size_t inner : {0, 1, 32, 63, 129}) {
      for (const size_t columns : {0, 1, 33, 64, 130}) {
        expect_right<int64_t>(rows, inner, columns);
        expect_right<double>(rows, inner, columns);
      }
    }
  }
  expect_right<int64_t>(300, 257, 129);
  expect_right<double>(1, 3'000, 1);
}

TEST(MatrixProduct, OtherSizesAreRefused) {
  std::vector<double> a(6), b(6), product(4);
  const std::span<const double> left(a), right(b);
  EXPECT_NO_THROW(matrix_product(left, right, std::span<double>(product), 2, 3, 2));
  EXPECT_THROW(matrix_product(left, right, std::span<double>(product), 2, 2, 2), UserError);
  EXPECT_THROW(matrix_product(left, right, std::span<double>(product), 3, 2, 3), UserError);
}

}  // namespace
}  // namespace lanewise
