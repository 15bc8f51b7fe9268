// Sorting by comparison in the memory of a GPU against std::stable_sort; without a GPU only that its kernels
// compile.
#include "primitives/device/device_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/testing/test_size.h"
#include "device/error.h"
#include "device/testing/nvrtc.h"

namespace lanewise {
namespace {

class DeviceSortOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      if (device::find_nvrtc(LANEWISE_SOURCE_DIR)) gpu_ = &device::Driver::system().device(0);
    } catch (const device::DeviceError&) {
    }
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
    stream_.emplace(*gpu_);
    pool_.emplace(*gpu_);
    sorter_.emplace(*pool_);
  }

  /// Sorts `values` both ways, into another array and in place.
  template <class T>
  void expect_sorted(Element element, const std::vector<T>& values) {
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      std::vector<T> expected = values;
      // NaN is the last one either way.
      const auto numbers =
          std::stable_partition(expected.begin(), expected.end(), [](T v) { return v == v; });
      if (order == Order::kAscending) {
        std::sort(expected.begin(), numbers);
      } else {
        std::sort(expected.begin(), numbers, std::greater<T>());
      }
      const size_t bytes = values.size() * sizeof(T);
      const device::DeviceBuffer from = pool_->allocate(bytes + 1, *stream_, "a test");
      const device::DeviceBuffer to = pool_->allocate(bytes + 1, *stream_, "a test");
      stream_->copy_to_device(from.address(), values.data(), bytes);
      sorter_->sort(order, element, from.address(), values.size(), to.address(), *stream_);
      sorter_->sort(order, element, from.address(), values.size(), from.address(), *stream_);
      for (const device::DeviceBuffer* result : {&to, &from}) {
        std::vector<T> found(values.size());
        stream_->copy_to_host(found.data(), result->address(), bytes);
        stream_->synchronize();
        for (size_t i = 0; i < found.size(); ++i) {
          const bool same = found[i] == expected[i] || (found[i] != found[i] && expected[i] != expected[i]);
          ASSERT_TRUE(same) << i << " of " << values.size();
        }
      }
    }
  }

  device::Device* gpu_ = nullptr;
  std::optional<device::Stream> stream_;
  std::optional<device::DevicePool> pool_;
  std::optional<DeviceMergeSort> sorter_;
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
        reals.push_back(random.below(50) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                              : static_cast<double>(value) / 3);
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
  if (!device::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  const auto image = device::Compiler::system().compile(
      DeviceMergeSort::source(Order::kDescending, Element::kReal), "sm_90");
  EXPECT_FALSE(image.empty());
}

}  // namespace
}  // namespace lanewise
