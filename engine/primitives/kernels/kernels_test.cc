#include "primitives/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/bits.h"
#include "base/testing/test_size.h"
#include "lanes/testing/guarded.h"
#include "primitives/groups/hash.h"

namespace lanewise::kernels {
namespace {

using lanes::Guarded;
using lanes::Target;

const size_t kSizes[] = {0,
                         1,
                         2,
                         15,
                         16,
                         17,
                         31,
                         32,
                         33,
                         63,
                         64,
                         65,
                         127,
                         128,
                         129,
                         1000,
                         test_size<size_t>(1001, 8192),
                         test_size<size_t>(1002, 20011)};
constexpr Comparison kComparisons[] = {Comparison::eq, Comparison::ne, Comparison::lt,
                                       Comparison::le, Comparison::gt, Comparison::ge};
constexpr Arithmetic kOperations[] = {Arithmetic::add, Arithmetic::subtract, Arithmetic::multiply};

using Bitmap = std::vector<uint64_t>;

template <class T>
struct KernelsOf : ::testing::Test {
  std::mt19937_64 random{7};

  /// Small numbers, so that some are equal, and the extreme values of the type.
  T value() {
    using Limits = std::numeric_limits<T>;
    const uint64_t r = random();
    switch (r % 16) {
      case 0:
        return Limits::max();
      case 1:
        return Limits::lowest();
      case 2:
        return T(Limits::max() / 2 + 1);
      case 3:
        return T(-1);
      case 4:
        return std::is_floating_point_v<T> ? Limits::quiet_NaN() : T(0);
      case 5:
        return std::is_floating_point_v<T> ? -Limits::quiet_NaN() : T(1);
      case 6:
        return std::is_floating_point_v<T> ? -Limits::infinity() : T(2);
      case 7:
        return std::is_floating_point_v<T> ? T(-0.0) : T(r >> 8);
      case 8:
        return T(0);
      default:
        return T(int64_t(r >> 8) % 5);
    }
  }
  Guarded<T> values(size_t rows) {
    Guarded<T> result(rows);
    for (size_t i = 0; i < rows; i++) result[i] = value();
    return result;
  }
  Guarded<uint64_t> bitmap(size_t rows, int density) {
    Guarded<uint64_t> result(bits::words(rows));
    for (size_t i = 0; i < rows; i++) {
      if (int(random() % 8) < density) bits::set(result.data(), i);
    }
    return result;
  }
};

using Types =
    ::testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>;
TYPED_TEST_SUITE(KernelsOf, Types);

/// SQL's order, spelled out: -1, 0 or 1.
template <class T>
int order(T a, T b) {
  if (a != a) return b != b ? 0 : 1;
  if (b != b) return -1;
  return a < b ? -1 : a > b;
}

bool holds(Comparison op, int order) {
  switch (op) {
    case Comparison::eq:
      return order == 0;
    case Comparison::ne:
      return order != 0;
    case Comparison::lt:
      return order < 0;
    case Comparison::le:
      return order <= 0;
    case Comparison::gt:
      return order > 0;
    default:
      return order >= 0;
  }
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TYPED_TEST(KernelsOf, CompareColumnsAndConstants) {
  for (Target target : lanes::supported_targets()) {
    const auto& k = of<TypeParam>(target);
    for (size_t rows : kSizes) {
      const auto left = this->values(rows), right = this->values(rows);
      for (Comparison op : kComparisons) {
        const TypeParam constant = this->value();
        Guarded<uint64_t> columns(bits::words(rows)), constants(bits::words(rows));
        k.compare(op, left.data(), right.data(), rows, columns.data());
        k.compare_constant(op, left.data(), constant, rows, constants.data());
        Bitmap expected(columns.size()), expected_constants(columns.size());
        for (size_t i = 0; i < rows; i++) {
          if (holds(op, order(left[i], right[i]))) bits::set(expected.data(), i);
          if (holds(op, order(left[i], constant))) bits::set(expected_constants.data(), i);
        }
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), columns.data()))
            << lanes::name(target) << " rows " << rows << " op " << int(op);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), columns.data()));
        ASSERT_TRUE(std::equal(expected_constants.begin(), expected_constants.end(), constants.data()))
            << lanes::name(target) << " rows " << rows << " op " << int(op) << " constant " << +constant;
      }
    }
  }
}

TYPED_TEST(KernelsOf, SumMinMax) {
  using T = TypeParam;
  for (Target target : lanes::supported_targets()) {
    const auto& k = of<T>(target);
    for (size_t rows : kSizes) {
      for (int density : {0, 1, 4, 8, 9}) {
        const auto values = this->values(rows);
        const auto bitmap = this->bitmap(rows, density);
        const uint64_t* active = density == 9 ? nullptr : bitmap.data();
        Sum<T> sum = 0;
        double partial[16] = {};
        bool any = false;
        T min = 0, max = 0;
        for (size_t i = 0; i < rows; i++) {
          if (active && !bits::test(active, i)) continue;
          const T v = values[i];
          if constexpr (std::is_floating_point_v<T>) {
            partial[i % 16] += double(v);
          } else {
            sum += v;
          }
          const auto below = [](T a, T b) {
            return order(a, b) < 0 ||
                   (order(a, b) == 0 && a == 0 && std::signbit(double(a)) > std::signbit(double(b)));
          };
          if (!any || below(v, min)) min = v;
          if (!any || below(max, v)) max = v;
          any = true;
        }
        const std::string where = std::string(lanes::name(target)) + " rows " + std::to_string(rows) +
                                  " density " + std::to_string(density);
        if constexpr (std::is_floating_point_v<T>) {
          for (double part : partial) sum += part;
          const double got = k.sum(values.data(), active, rows);
          ASSERT_TRUE(same_bits(got, sum) || (std::isnan(got) && std::isnan(sum))) << where;
        } else {
          ASSERT_TRUE(k.sum(values.data(), active, rows) == sum) << where;
        }
        const auto found = k.min_max(values.data(), active, rows);
        ASSERT_EQ(found.any, any) << where;
        if (!any) continue;
        const T nan = std::numeric_limits<T>::quiet_NaN();  // one NaN represents all
        ASSERT_TRUE(same_bits(found.min, min != min ? nan : min))
            << where << " " << +found.min << " " << +min;
        ASSERT_TRUE(same_bits(found.max, max != max ? nan : max))
            << where << " " << +found.max << " " << +max;
      }
    }
  }
}

/// Does the exact result fit?
template <class T>
bool compute(Arithmetic op, T a, T b, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    *out = op == Arithmetic::add ? a + b : op == Arithmetic::subtract ? a - b : a * b;
    return true;
  } else {
    const int128_t x = a, y = b;
    int128_t exact = op == Arithmetic::add ? x + y : op == Arithmetic::subtract ? x - y : 0;
    if (op == Arithmetic::multiply && __builtin_mul_overflow(x, y, &exact)) return false;
    *out = T(exact);
    return exact >= std::numeric_limits<T>::min() && exact <= std::numeric_limits<T>::max();
  }
}

TYPED_TEST(KernelsOf, Arithmetic) {
  using T = TypeParam;
  for (Target target : lanes::supported_targets()) {
    const auto& k = of<T>(target);
    for (size_t rows : kSizes) {
      for (auto op : kOperations) {
        for (int variant = 0; variant < 9;
             variant++) {  // columns, right, left; nothing, nothing, few may overflow
          auto left = this->values(rows), right = this->values(rows);
          if (variant / 3 > 0) {
            for (size_t i = 0; i < rows; i++) left[i] = T(i % 3 + 3), right[i] = T(i % 4);
          }
          if (variant / 3 > 1 && rows) left[this->random() % rows] = std::numeric_limits<T>::max();
          const T constant = variant / 3 ? T(3) : this->value();
          const auto bitmap = this->bitmap(rows, variant / 3 == 0 ? 1 : 7);
          const uint64_t* active = this->random() % 4 == 0 ? nullptr : bitmap.data();
          const auto a = [&](size_t i) { return variant % 3 == 2 ? constant : left[i]; };
          const auto b = [&](size_t i) { return variant % 3 == 1 ? constant : right[i]; };
          std::vector<T> expected(rows);
          std::vector<bool> fits(rows);
          size_t first = rows;
          for (size_t i = 0; i < rows; i++) {
            fits[i] = compute(op, a(i), b(i), &expected[i]);
            if (!fits[i] && first == rows && (!active || bits::test(active, i))) first = i;
          }
          Guarded<T> out(rows);
          const size_t stop =
              variant % 3 == 0   ? k.arithmetic(op, left.data(), right.data(), rows, active, out.data())
              : variant % 3 == 1 ? k.arithmetic_right(op, left.data(), constant, rows, active, out.data())
                                 : k.arithmetic_left(op, constant, right.data(), rows, active, out.data());
          ASSERT_EQ(stop, first) << lanes::name(target) << " rows " << rows << " op " << int(op) << " "
                                 << variant;
          for (size_t i = 0; i < first; i++) {
            if (!fits[i]) continue;
            const bool nan = out[i] != out[i] && expected[i] != expected[i];
            ASSERT_TRUE(nan || same_bits(out[i], expected[i])) << lanes::name(target) << " row " << i;
          }
        }
      }
    }
  }
}

TYPED_TEST(KernelsOf, ArithmeticInPlace) {
  using T = TypeParam;
  for (Target target : lanes::supported_targets()) {
    std::vector<T> values(100), expected(100);
    for (size_t i = 0; i < 100; i++) values[i] = T(i), expected[i] = T(i + 2);
    EXPECT_EQ(
        of<T>(target).arithmetic_right(Arithmetic::add, values.data(), T(2), 100, nullptr, values.data()),
        100u);
    EXPECT_EQ(values, expected) << lanes::name(target);
  }
}

/// The bound stated in kernels.h, on values of very different magnitudes that mostly cancel out.
TEST(Kernels, SumsOfFloatsAreWithinTheirBound) {
  std::mt19937_64 random(9);
  for (size_t rows : {1, 15, 16, 17, 1000, 100'003}) {
    std::vector<double> values(rows);
    long double exact = 0, magnitudes = 0;  // of 64 bits of precision
    for (double& value : values) {
      value = std::ldexp(double(int64_t(random())), int(random() % 40) - 100);
      exact += value;
      magnitudes += std::abs(value);
    }
    const long double bound = (rows / 16 + 15) * std::ldexp(magnitudes, -53);
    for (Target target : lanes::supported_targets()) {
      const double sum = of<double>(target).sum(values.data(), nullptr, rows);
      EXPECT_LE(std::abs(sum - exact), bound) << lanes::name(target) << " rows " << rows;
      EXPECT_EQ(sum, of<double>(Target::scalar).sum(values.data(), nullptr, rows)) << lanes::name(target);
    }
  }
}

TEST(Kernels, ExtremeSums) {
  const size_t rows = 1 << 20;
  const std::vector<int64_t> low(rows, std::numeric_limits<int64_t>::min());
  const std::vector<uint64_t> high(rows, std::numeric_limits<uint64_t>::max());
  for (Target target : lanes::supported_targets()) {
    EXPECT_TRUE(of<int64_t>(target).sum(low.data(), nullptr, rows) == int128_t(low[0]) * rows)
        << lanes::name(target);
    EXPECT_TRUE(of<uint64_t>(target).sum(high.data(), nullptr, rows) == int128_t(high[0]) * rows)
        << lanes::name(target);
  }
}

TEST(Kernels, Bitmaps) {
  std::mt19937_64 random(3);
  for (Target target : lanes::supported_targets()) {
    const BitKernels& k = bits_of(target);
    for (size_t rows : kSizes) {
      for (int density : {0, 1, 4, 7, 8}) {
        const auto bitmap = [&] {
          Guarded<uint64_t> words(bits::words(rows));
          for (size_t i = 0; i < rows; i++) {
            if (int(random() % 8) < density) bits::set(words.data(), i);
          }
          return words;
        };
        const auto a = bitmap(), b = bitmap();
        Guarded<uint64_t> both(a.size()), either(a.size()), only(a.size());
        k.bit_and(a.data(), b.data(), rows, both.data());
        k.bit_or(a.data(), b.data(), rows, either.data());
        k.bit_and_not(a.data(), b.data(), rows, only.data());
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < rows; i++) {
          const bool x = bits::test(a.data(), i), y = bits::test(b.data(), i);
          ASSERT_EQ(bits::test(both.data(), i), x && y);
          ASSERT_EQ(bits::test(either.data(), i), x || y);
          ASSERT_EQ(bits::test(only.data(), i), x && !y);
          if (x) expected.push_back(uint32_t(1000 + i));
        }
        ASSERT_EQ(k.count(a.data(), rows), expected.size());
        Guarded<uint32_t> list(expected.size());
        ASSERT_EQ(k.list(a.data(), rows, 1000, list.data()), expected.size()) << lanes::name(target);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), list.data()))
            << lanes::name(target) << " " << rows;
      }
    }
  }
}

TEST(Kernels, Hashes) {
  std::mt19937_64 random(5);
  for (Target target : lanes::supported_targets()) {
    for (size_t rows : kSizes) {
      Guarded<uint64_t> words(rows), out(rows);
      for (size_t i = 0; i < rows; i++) words[i] = random();
      bits_of(target).hash(words.data(), rows, out.data());
      for (size_t i = 0; i < rows; i++) ASSERT_EQ(out[i], hash::of_word(words[i])) << lanes::name(target);
    }
  }
}

/// If a target is forced, it is the one that runs.
class KernelTarget : public ::testing::TestWithParam<Target> {};
TEST_P(KernelTarget, IsTheOneAskedFor) {
  if (!lanes::supported(GetParam())) GTEST_SKIP() << lanes::name(GetParam()) << " is not supported here";
  const Target expected = GetParam() == Target::interleaved ? Target::scalar : GetParam();
  EXPECT_EQ(of<int32_t>(GetParam()).target, expected);
  EXPECT_EQ(of<double>(GetParam()).target, expected);
  EXPECT_EQ(bits_of(GetParam()).target, expected);
}
INSTANTIATE_TEST_SUITE_P(All, KernelTarget, ::testing::ValuesIn(lanes::kTargets),
                         [](const auto& each) { return std::string(lanes::name(each.param)); });

}  // namespace
}  // namespace lanewise::kernels
