// Sorting by comparison in the memory of a GPU against std::stable_sort; without a GPU only that its kernels
// compile.
#include "primitives/gpu/device_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/testing/test_size.h"
#include "gpu/testing/gpu.h"

namespace lanewise {
namespace {

/// NaN is last in both directions.
template <class T>
bool comes_before(Order order, T a, T b) {
  if (a != a || b != b) return a == a;
  return order == Order::kAscending ? a < b : a > b;
}

template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    // Compares the sign of zero, and treats all NaNs as equal.
    const bool same = found[i] == expected[i]
                          ? std::signbit(double(found[i])) == std::signbit(double(expected[i]))
                          : found[i] != found[i] && expected[i] != expected[i];
    ASSERT_TRUE(same) << i << " of " << found.size();
  }
}

class DeviceSortOnGpu : public gpu::GpuTest {
 protected:
  DeviceSortOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}

  /// Sorts `values` in both directions, into another array and in place; and merges a part of them with the
  /// rest.
  template <class T>
  void expect_sorted(Element element, const std::vector<T>& values) {
    DeviceMergeSort sorter(*pool_);
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      const auto before = [&](T a, T b) { return comes_before(order, a, b); };
      std::vector<T> expected = values;
      std::stable_sort(expected.begin(), expected.end(), before);
      const gpu::DeviceBuffer from = upload(values), to = upload(values);
      sorter.sort(order, element, from.address(), values.size(), to.address(), *stream_);
      sorter.sort(order, element, from.address(), values.size(), from.address(), *stream_);
      expect_same(fetch<T>(to, values.size()), expected);
      expect_same(fetch<T>(from, values.size()), expected);
      for (const size_t part : {size_t{0}, values.size() / 3, values.size()}) {
        std::vector<T> a(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(part));
        std::vector<T> b(values.begin() + static_cast<std::ptrdiff_t>(part), values.end());
        std::stable_sort(a.begin(), a.end(), before);
        std::stable_sort(b.begin(), b.end(), before);
        const gpu::DeviceBuffer of_a = upload(a), of_b = upload(b);
        sorter.merge(order, element, of_a.address(), a.size(), of_b.address(), b.size(), to.address(),
                     *stream_);
        expect_same(fetch<T>(to, values.size()), expected);
      }
    }
  }
};

TEST_F(DeviceSortOnGpu, IsAsTheHosts) {
  for (const size_t count :
       {0,     1,     2,     31,    32,    33,    63,    64,     65,      2'815,
        2'816, 2'817, 4'351, 4'352, 4'353, 8'704, 8'705, 13'057, 100'000, test_size(200'000, 1'000'003)}) {
    for (const uint64_t distinct : {uint64_t{1}, uint64_t{5}, uint64_t{1} << 31}) {
      Random random(count + distinct);
      std::vector<int32_t> ints;
      std::vector<int64_t> longs;
      std::vector<double> reals;
      for (size_t i = 0; i < count; ++i) {
        const auto value = static_cast<int64_t>(random.below(distinct)) - static_cast<int64_t>(distinct / 2);
        ints.push_back(static_cast<int32_t>(value));
        longs.push_back(value * 5'000'000'019);
        reals.push_back(random.below(50) == 0
                            ? std::numeric_limits<double>::quiet_NaN()
                            : static_cast<double>(value) * (value == 0 && i % 2 == 0 ? -1 : 1) / 3);
      }
      expect_sorted(Element::kInt32, ints);
      expect_sorted(Element::kInt64, longs);
      expect_sorted(Element::kReal, reals);
    }
  }
}

TEST_F(DeviceSortOnGpu, InOrderAndUpsideDown) {
  std::vector<int32_t> values(50'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i) - 25'000;
  expect_sorted(Element::kInt32, values);
  std::reverse(values.begin(), values.end());
  expect_sorted(Element::kInt32, values);
  values[0] = std::numeric_limits<int32_t>::min();
  values[1] = std::numeric_limits<int32_t>::max();
  expect_sorted(Element::kInt32, values);
}

TEST(DeviceSortKernels, Compile) {
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  const auto image =
      gpu::Compiler::system().compile(DeviceMergeSort::source(Order::kDescending, Element::kReal), "sm_90");
  EXPECT_FALSE(image.empty());
}

}  // namespace
}  // namespace lanewise
