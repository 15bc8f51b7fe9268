#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "base/testing/test_size.h"
#include "data/format.h"
#include "expr/gpu/casts/parse_reals-inl.h"
#include "expr/gpu/casts/real_to_text-inl.h"
#include "expr/gpu/math-inl.h"

/// Reading, printing and dividing reals, against the C library's and the host's.
namespace lanewise::expr {
namespace {

using kernel::Big;

/// 5^exponent in 128 bits: a power, or 2^1000 divided by one.
kernel::u128 exact_power(int exponent) {
  Big big{};
  big.words[0] = 1;
  big.count = 1;
  for (int i = 0; exponent < 0 && i < 1000; ++i) big.multiply(2);
  for (int i = 0; i < exponent; ++i) big.multiply(5);
  for (int i = exponent; i < 0; ++i) big.divide(5);
  kernel::u128 first = 0;
  uint32_t taken = 0;
  for (uint32_t bit = big.count * 32; bit > 0 && taken < 128; --bit) {
    const bool set = big.words[(bit - 1) / 32] >> (bit - 1) % 32 & 1;
    if (taken == 0 && !set) continue;
    first = first << 1 | kernel::u128(set);
    ++taken;
  }
  return first << (128 - taken);
}

TEST(DeviceReals, PowersOfFiveAreExact) {
  for (int exponent = kernel::PowersOfFive::kFirst; exponent < kernel::PowersOfFive::kEnd; ++exponent)
    ASSERT_TRUE(kernel::power_of_five(exponent) == exact_power(exponent)) << exponent;
}

template <class T>
void check_read(const std::string& text) {
  T expected;
  if constexpr (sizeof(T) == 4) {
    expected = std::strtof(text.c_str(), nullptr);
  } else {
    expected = std::strtod(text.c_str(), nullptr);
  }
  T got{};
  ASSERT_TRUE(
      kernel::parse_real(kernel::Text{reinterpret_cast<const uint8_t*>(text.data()), text.size()}, got))
      << text;
  ASSERT_TRUE(got == expected && std::signbit(got) == std::signbit(expected)) << text << ": " << got;
}
void check_reads(const std::string& text) {
  check_read<double>(text);
  check_read<float>(text);
}

/// All digits of the midpoint between a value and the next one, and strings close to it.
void check_middle(long double low, long double high) {
  char text[1300];
  std::snprintf(text, sizeof(text), "%.1100Le", (low + high) / 2);
  const std::string middle = text;
  const size_t e = middle.find('e');
  const size_t last = middle.find_last_not_of('0', e - 1);
  check_reads(middle);
  check_reads(middle.substr(0, e) + "1" + middle.substr(e));
  std::string below = middle;
  if (below[last] > '0' && below[last] <= '9') --below[last];
  check_reads(below);
}

TEST(DeviceReals, AreReadAsTheNearest) {
  std::mt19937_64 random(1);
  char text[64];
  for (int i = 0; i < test_size(2'000, 1'000'000); ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::snprintf(text, sizeof(text), "%.*e", static_cast<int>(random() % 25), value);
    check_reads(text);
  }
  for (int i = 0; i < test_size(50, 20'000); ++i) {
    const uint64_t bits = random() >> (1 + random() % 63);
    const auto small = static_cast<uint32_t>(random() >> 33);
    const auto value = std::bit_cast<double>(bits), next = std::bit_cast<double>(bits + 1);
    const auto single = std::bit_cast<float>(small), after = std::bit_cast<float>(small + 1);
    if (std::isfinite(next)) check_middle(value, next);
    if (std::isfinite(after)) check_middle(single, after);
  }
}

template <class T>
void check_print(T value) {
  alignas(8) static uint8_t block[512];
  *reinterpret_cast<kernel::u64*>(block) = 0;
  kernel::Heap heap(block, sizeof(block) - kernel::kHeapHead);
  kernel::Outcome outcome;
  const kernel::Text text = kernel::real_to_text(outcome, heap, value);
  std::string expected;
  format::real(value, expected);
  ASSERT_EQ(std::string(reinterpret_cast<const char*>(text.at), text.size), expected);
}

TEST(DeviceReals, ArePrintedAsOnTheHost) {
  std::mt19937_64 random(2);
  for (int i = 0; i < test_size(5'000, 2'000'000); ++i) {
    const uint64_t bits = random();
    check_print(std::bit_cast<double>(bits));
    check_print(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    check_print(static_cast<double>(bits % 1'000'000) / 100);
    check_print(static_cast<float>(bits % 1'000'000) / 100);
    check_print(static_cast<float>(bits >> bits % 64));
    check_print(std::ldexp(static_cast<float>(bits % 4096), static_cast<int>(bits >> 32 & 63) - 32));
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    for (const double towards : {0.0, 1.0e308, -1.0}) {
      check_print(std::nextafter(-std::ldexp(1.0, exponent), towards));
      check_print(std::nextafter(std::ldexp(1.0F, exponent), static_cast<float>(towards)));
    }
  }
  for (const double value : {0.0, -0.0, 1e15, 1e16, 1e17, 9999999999999998.0, 1e-4, 1e-5, 0.00012345})
    check_print(value);
}

TEST(DeviceReals, RemaindersAreExact) {
  std::mt19937_64 random(3);
  kernel::Outcome outcome;
  for (int i = 0; i < test_size(2'000, 1'000'000); ++i) {
    const auto a = std::bit_cast<double>(random()),
               b = std::bit_cast<double>(random() >> (i % 3 == 0 ? random() % 20 : 0));
    for (const auto& [x, y] :
         {std::pair(a, b), std::pair(b, a), std::pair(std::trunc(b), 7.25), std::pair(a, a)}) {
      const double got = kernel::real_remainder(outcome, x, y), expected = std::fmod(x, y);
      ASSERT_TRUE(std::bit_cast<uint64_t>(got) == std::bit_cast<uint64_t>(expected) ||
                  (std::isnan(x + y) && std::isnan(got)))
          << x << " % " << y << " is " << got << ", not " << expected;
    }
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(kernel::real_remainder(outcome, 1.0, 0.0)));
  EXPECT_TRUE(std::isnan(kernel::real_remainder(outcome, kInfinity, 2.0)));
  EXPECT_EQ(kernel::real_remainder(outcome, -5.5, kInfinity), -5.5);
  EXPECT_EQ(kernel::real_remainder(outcome, -5.5F, 2.0F), -1.5F);
}

}  // namespace
}  // namespace lanewise::expr
