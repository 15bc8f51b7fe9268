// Reduction and scan in the memory of a GPU against loops; without a GPU only that their kernels compile.
#include "primitives/device/device_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.h"
#include "device/error.h"
#include "device/testing/nvrtc.h"

namespace lanewise {
namespace {

constexpr Combine kAll[] = {Combine::kSum, Combine::kProduct, Combine::kLeast, Combine::kGreatest,
                            Combine::kXor};

/// Whole numbers wrap.
template <class T>
T combined(Combine combine, T a, T b) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;
  switch (combine) {
    case Combine::kSum:
      return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case Combine::kProduct:
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case Combine::kLeast:
      return std::min(a, b);
    case Combine::kGreatest:
      return std::max(a, b);
    case Combine::kXor:
      return static_cast<T>(static_cast<uint64_t>(a) ^ static_cast<uint64_t>(b));
  }
  return a;
}

template <class T>
T none(Combine combine) {
  using Limits = std::numeric_limits<T>;
  if (combine == Combine::kLeast) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  if (combine == Combine::kGreatest) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  return combine == Combine::kProduct ? T{1} : T{0};
}

class DeviceArraysOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      if (device::find_nvrtc(LANEWISE_SOURCE_DIR)) gpu_ = &device::Driver::system().device(0);
    } catch (const device::DeviceError&) {
    }
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
  }

  template <class T>
  void expect_right(Element element, Combine combine, size_t count) {
    device::Stream stream(*gpu_);
    device::DevicePool pool(*gpu_);
    DeviceArrays arrays(pool);
    Random random(count);
    std::vector<T> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(static_cast<T>(static_cast<int64_t>(random.below(7)) - 3));
    const device::DeviceBuffer from = pool.allocate(count * sizeof(T), stream, "a test");
    const device::DeviceBuffer to = pool.allocate((count + 1) * sizeof(T), stream, "a test");
    stream.copy_to_device(from.address(), values.data(), count * sizeof(T));
    const auto fetch = [&](size_t some) {
      std::vector<T> found(some);
      stream.copy_to_host(found.data(), to.address(), some * sizeof(T));
      stream.synchronize();
      return found;
    };
    std::vector<T> up_to = {none<T>(combine)};
    for (const T value : values) up_to.push_back(combined(combine, up_to.back(), value));
    arrays.reduce(combine, element, from.address(), count, to.address(), stream);
    EXPECT_EQ(fetch(1)[0], up_to.back()) << count;
    arrays.scan(combine, element, true, from.address(), count, to.address(), stream);
    EXPECT_EQ(fetch(count), std::vector<T>(up_to.begin() + 1, up_to.end())) << count;
    arrays.scan(combine, element, false, from.address(), count, to.address(), stream);
    EXPECT_EQ(fetch(count), std::vector<T>(up_to.begin(), up_to.end() - 1)) << count;
  }

  device::Device* gpu_ = nullptr;
};

TEST_F(DeviceArraysOnGpu, AreAsLoops) {
  for (const size_t count : {0, 1, 31, 32, 33, 63, 64, 65, 2'047, 2'048, 2'049, 4'096, 4'097, 1'000'003}) {
    for (const Combine combine : kAll) {
      expect_right<int32_t>(Element::kInt32, combine, count);
      expect_right<int64_t>(Element::kInt64, combine, count);
      // Small whole numbers: their sums are the same in every order. Products are not looked at.
      if (combine != Combine::kXor && combine != Combine::kProduct) {
        expect_right<double>(Element::kReal, combine, count);
      }
    }
  }
}

TEST(DeviceArrayKernels, Compile) {
  if (!device::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  const auto image =
      device::Compiler::system().compile(DeviceArrays::source(Combine::kProduct, Element::kReal), "sm_90");
  EXPECT_FALSE(image.empty());
}

}  // namespace
}  // namespace lanewise
