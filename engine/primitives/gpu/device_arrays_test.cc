// Reduction and scan in the memory of a GPU against loops; without a GPU only that their kernels compile.
#include "primitives/gpu/device_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/testing/test_size.h"
#include "gpu/testing/gpu.h"

namespace lanewise {
namespace {

constexpr Combine kAll[] = {Combine::kSum, Combine::kProduct, Combine::kLeast, Combine::kGreatest,
                            Combine::kXor};

/// Integers wrap.
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

class DeviceArraysOnGpu : public gpu::GpuTest {
 protected:
  DeviceArraysOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}

  /// `combine` as a loop; segments begin at some values, and some rows have no values.
  template <class T, class Function>
  void expect_right(DeviceArrays& arrays, Element element, const Operator& combine, T none, Function combined,
                    size_t count) {
    Random random(count);
    std::vector<T> values;
    std::vector<uint8_t> begins;
    std::vector<uint64_t> offsets;
    const uint64_t every = 1 + random.below(3'000);
    for (size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<T>(static_cast<int64_t>(random.below(7)) - 3));
      begins.push_back(random.below(every) == 0 ? 1 : 0);
      if (begins.back() != 0) offsets.insert(offsets.end(), 1 + random.below(2), i);
    }
    offsets.push_back(count);
    const gpu::DeviceBuffer from = upload(values), marks = upload(begins), rows = upload(offsets);
    const gpu::DeviceBuffer to = upload(values);
    std::vector<T> up_to = {none}, inclusive, exclusive;
    T value = none;
    for (size_t i = 0; i < count; ++i) {
      up_to.push_back(combined(up_to.back(), values[i]));
      if (begins[i] != 0) value = none;
      exclusive.push_back(value);
      value = combined(value, values[i]);
      inclusive.push_back(value);
    }
    arrays.reduce(combine, element, from.address(), count, to.address(), *stream_);
    EXPECT_EQ(fetch<T>(to, 1)[0], up_to.back()) << count;
    arrays.scan(combine, element, true, from.address(), count, to.address(), *stream_);
    EXPECT_EQ(fetch<T>(to, count), std::vector<T>(up_to.begin() + 1, up_to.end())) << count;
    arrays.scan(combine, element, false, from.address(), count, to.address(), *stream_);
    EXPECT_EQ(fetch<T>(to, count), std::vector<T>(up_to.begin(), up_to.end() - 1)) << count;
    arrays.segmented_scan(combine, element, true, from.address(), marks.address(), count, to.address(),
                          *stream_);
    EXPECT_EQ(fetch<T>(to, count), inclusive) << count << " every " << every;
    arrays.segmented_scan_rows(combine, element, false, from.address(), rows.address(), offsets.size(), count,
                               from.address(), *stream_);
    EXPECT_EQ(fetch<T>(from, count), exclusive) << count << " every " << every;
  }
  template <class T>
  void expect_right(DeviceArrays& arrays, Element element, Combine combine, size_t count) {
    expect_right<T>(
        arrays, element, combine, none<T>(combine), [=](T a, T b) { return combined(combine, a, b); }, count);
  }
};

TEST_F(DeviceArraysOnGpu, AreAsLoops) {
  DeviceArrays arrays(*pool_);
  for (const size_t count :
       {0, 1, 31, 32, 33, 63, 64, 65, 2'047, 2'048, 2'049, 4'096, 4'097, test_size(20'001, 1'000'003)}) {
    for (const Combine combine : kAll) {
      expect_right<int32_t>(arrays, Element::kInt32, combine, count);
      expect_right<int64_t>(arrays, Element::kInt64, combine, count);
      // Small integers: their sums are the same in every order. Products are not compared.
      if (combine != Combine::kXor && combine != Combine::kProduct) {
        expect_right<double>(arrays, Element::kReal, combine, count);
      }
    }
  }
}

TEST_F(DeviceArraysOnGpu, OperatorsOfOnesOwn) {
  const Operator last("b == T(0) ? a : b", "T(0)", false);
  const auto expected = [](auto a, auto b) { return b == 0 ? a : b; };
  const Operator sum("a + b", "0", true);
  DeviceArrays arrays(*pool_);
  for (const size_t count : {0, 1, 33, 4'097, test_size(20'001, 300'001)}) {
    expect_right<int32_t>(arrays, Element::kInt32, last, 0, expected, count);
    expect_right<double>(arrays, Element::kReal, last, 0.0, expected, count);
    expect_right<int64_t>(arrays, Element::kInt64, sum, int64_t{0}, std::plus<>(), count);
  }
  const gpu::DeviceBuffer some = upload(std::vector<int64_t>(1));
  EXPECT_THROW(
      arrays.reduce({"a +", "0", true}, Element::kInt64, some.address(), 1, some.address(), *stream_),
      UserError);
}

TEST_F(DeviceArraysOnGpu, CutInManyWays) {
  for (const unsigned threads : {32U, 64U, 128U, 256U}) {
    for (const unsigned items : {4U, 8U, 16U}) {
      DeviceArrays arrays(*pool_, {threads, items});
      const auto count = test_size<size_t>(20'001, 100'001);
      expect_right<int32_t>(arrays, Element::kInt32, Combine::kSum, count);
      expect_right<int64_t>(arrays, Element::kInt64, Combine::kLeast, count);
    }
  }
  for (const ArrayCut cut :
       {ArrayCut{33, 0}, ArrayCut{2'048, 0}, ArrayCut{64, 5}, ArrayCut{64, 32}, ArrayCut{512, 16}}) {
    EXPECT_THROW(DeviceArrays(*pool_, cut), UserError);
  }
}

TEST(DeviceArrayKernels, Compile) {
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  const auto compiles = [](const gpu::KernelSource& source) {
    EXPECT_FALSE(gpu::Compiler::system().compile(source, "sm_90").empty());
  };
  compiles(DeviceArrays::source(Combine::kProduct, Element::kReal, false));
  compiles(DeviceArrays::source({"a > b ? a : b", "T(-1)", true}, Element::kInt32, true, {64, 4}));
}

}  // namespace
}  // namespace lanewise
