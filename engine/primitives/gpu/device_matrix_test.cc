// Products of matrices in the memory of a GPU against three loops; without a GPU only that the kernel
// compiles.
#include "primitives/gpu/device_matrix.h"

#include <gtest/gtest.h>

#include "gpu/testing/gpu.h"
#include "primitives/testing/matrices.h"

namespace lanewise {
namespace {

class DeviceMatrixOnGpu : public gpu::GpuTest {
 protected:
  DeviceMatrixOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}

  template <class T>
  void expect_right(DeviceMatrixProduct& matrices, Element element, size_t rows, size_t inner,
                    size_t columns) {
    const std::vector<T> a = random_matrix<T>(rows * inner, 1), b = random_matrix<T>(inner * columns, 2);
    const gpu::DeviceBuffer left = upload(a), right = upload(b);
    const gpu::DeviceBuffer product = upload(std::vector<T>(rows * columns, T{7}));
    matrices.multiply(element, left.address(), right.address(), product.address(), rows, inner, columns,
                      *stream_);
    EXPECT_EQ(fetch<T>(product, rows * columns), product_by_loops(a, b, rows, inner, columns))
        << rows << " " << inner << " " << columns;
  }
};

TEST_F(DeviceMatrixOnGpu, IsThatOfLoops) {
  DeviceMatrixProduct matrices(*pool_);
  for (const size_t rows : {0, 1, 31, 33, 65}) {
    for (const size_t inner : {0, 1, 32, 63, 129}) {
      for (const size_t columns : {0, 1, 33, 64, 130}) {
        expect_right<int64_t>(matrices, Element::kInt64, rows, inner, columns);
        expect_right<double>(matrices, Element::kReal, rows, inner, columns);
      }
    }
  }
  expect_right<int32_t>(matrices, Element::kInt32, 300, 257, 129);
  expect_right<double>(matrices, Element::kReal, 257, 300, 200);
}

TEST(DeviceMatrixKernels, Compile) {
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  const auto image = gpu::Compiler::system().compile(DeviceMatrixProduct::source(Element::kReal), "sm_90");
  EXPECT_FALSE(image.empty());
}

}  // namespace
}  // namespace lanewise
