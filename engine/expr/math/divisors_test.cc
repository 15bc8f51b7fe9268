#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numeric>

#include "expr/gpu/math-inl.h"

/// The functions that host and device share, against the standard library.
namespace lanewise {
namespace {

constexpr int64_t kNumbers[] = {0,  1,          -1,      2,         -2,           12,        18,
                                97, -1'000'000, 999'983, 1LL << 40, -(1LL << 62), INT64_MAX, -INT64_MAX};

TEST(Divisors, AreThoseOfTheStandardLibrary) {
  for (const int64_t a : kNumbers) {
    for (const int64_t b : kNumbers) {
      kernel::Outcome outcome;
      EXPECT_EQ(kernel::common_divisor(outcome, a, b), std::gcd(a, b)) << a << " " << b;
      EXPECT_FALSE(outcome.failed);
      const kernel::i128 product = kernel::i128(a) * b, size = product < 0 ? -product : product;
      const kernel::i128 expected = product == 0 ? kernel::i128(0) : size / std::gcd(a, b);
      const kernel::i64 multiple = kernel::common_multiple(outcome, a, b);
      EXPECT_EQ(outcome.failed, expected > INT64_MAX) << a << " " << b;
      EXPECT_TRUE(outcome.failed || multiple == expected) << a << " " << b;
    }
    kernel::Outcome outcome;
    EXPECT_EQ(kernel::bit_count(outcome, a), std::popcount(static_cast<uint64_t>(a)));
    EXPECT_EQ(kernel::bit_count(outcome, static_cast<int16_t>(a)), std::popcount(static_cast<uint16_t>(a)));
    EXPECT_EQ(kernel::bit_count(outcome, kernel::i128(a)),
              static_cast<int8_t>(std::popcount(static_cast<uint64_t>(a)) + (a < 0 ? 64 : 0)));
  }
  kernel::i128 product = 1;
  for (int32_t n = 1; n <= 34; ++n) {
    kernel::Outcome outcome;
    const kernel::i128 factorial = kernel::factorial(outcome, n);
    EXPECT_EQ(outcome.failed, n > 33);
    EXPECT_TRUE(n > 33 || factorial == (product *= n)) << n;
  }
}

}  // namespace
}  // namespace lanewise
