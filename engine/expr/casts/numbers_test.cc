#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "expr/casts/cast.h"

/// Casts of numbers, against digits of decimal text and the standard library.
namespace lanewise {
namespace numbers_test {
namespace {

/// Nothing: the value does not fit.
std::optional<Value> converted(const Value& from, Type to) {
  Value result = expr::cast(from, to, true);
  return result.is_null() ? std::nullopt : std::optional(std::move(result));
}
std::optional<int64_t> integer(const Value& from, Type to) {
  const std::optional<Value> result = converted(from, to);
  return result ? std::optional(static_cast<int64_t>(result->integer())) : std::nullopt;
}

/// The number with so many digits more at its end, or fewer: rounded half away from zero.
int64_t shifted(int64_t value, int digits) {
  std::string text = std::to_string(value < 0 ? -value : value);
  if (digits >= 0) {
    text.append(static_cast<size_t>(digits), '0');
  } else {
    text.insert(0, static_cast<size_t>(1 - digits), '0');
    const bool up = text[text.size() - static_cast<size_t>(-digits)] >= '5';
    text =
        std::to_string(std::stoll(text.substr(0, text.size() - static_cast<size_t>(-digits))) + (up ? 1 : 0));
  }
  return (value < 0 ? -1 : 1) * std::stoll(text);
}
std::optional<int64_t> within(int64_t value, int digits) {
  const size_t written = value == 0 ? 0 : std::to_string(value < 0 ? -value : value).size();
  return written <= static_cast<size_t>(digits) ? std::optional(value) : std::nullopt;
}

const std::vector<int64_t> kNumbers = {0,   1,   -1,   4,    5,    -5,    9,      15,    45,       -45, 50,
                                       99,  -99, 127,  128,  -128, -129,  149,    150,   255,      256, 499,
                                       500, 995, -995, 9994, 9995, 32767, -32768, 99949, 123456789};

TEST(Numbers, CastsOfDecimalsMoveTheirDigits) {
  for (const int64_t number : kNumbers) {
    for (const auto& [precision, scale] : {std::pair{9, 0}, {9, 2}, {15, 5}, {25, 3}}) {
      const Value value(Type::decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale)),
                        int128_t{number});
      for (const auto& [digits, places] : {std::pair{4, 0}, {4, 2}, {9, 5}, {15, 1}, {30, 6}, {3, 3}}) {
        const Type to = Type::decimal(static_cast<uint8_t>(digits), static_cast<uint8_t>(places));
        EXPECT_EQ(integer(value, to), within(shifted(number, places - scale), digits))
            << value.to_string() << " " << to.name();
      }
      const int64_t whole = shifted(number, -scale);
      EXPECT_EQ(integer(value, TypeId::kInt64), whole);
      EXPECT_EQ(integer(value, TypeId::kInt8).has_value(), whole >= -128 && whole <= 127);
      EXPECT_EQ(converted(value, TypeId::kUInt16).has_value(), whole >= 0 && whole <= 65535);
      EXPECT_EQ(converted(value, TypeId::kFloat64)->real(), std::stod(value.to_string()));
    }
  }
}

TEST(Numbers, CastsOfIntegersKeepTheirRange) {
  for (const int64_t number : kNumbers) {
    const Value value = Value::int64(number);
    EXPECT_EQ(integer(value, TypeId::kInt8),
              number >= -128 && number <= 127 ? std::optional(number) : std::nullopt);
    EXPECT_EQ(integer(value, TypeId::kInt16),
              number >= -32768 && number <= 32767 ? std::optional(number) : std::nullopt);
    EXPECT_EQ(converted(value, TypeId::kUInt64).has_value(), number >= 0);
    EXPECT_EQ(converted(value, TypeId::kFloat32)->real(), static_cast<double>(static_cast<float>(number)));
    for (const auto& [digits, places] : {std::pair{4, 0}, {4, 2}, {15, 5}, {30, 6}})
      EXPECT_EQ(integer(value, Type::decimal(static_cast<uint8_t>(digits), static_cast<uint8_t>(places))),
                within(shifted(number, places), digits))
          << number;
  }
}

TEST(Numbers, CastsOfFloatsRound) {
  for (double x = -300; x <= 300; x += 0.125) {
    const double even = std::nearbyint(x), away = std::round(x * 100);
    const Value value = Value::float64(x);
    EXPECT_EQ(integer(value, TypeId::kInt64), static_cast<int64_t>(even));
    EXPECT_EQ(integer(value, TypeId::kInt8).has_value(), x >= -128 && even <= 127) << x;
    EXPECT_EQ(converted(value, TypeId::kUInt8).has_value(), x >= 0 && even <= 255) << x;
    EXPECT_EQ(integer(value, Type::decimal(4, 2)), within(static_cast<int64_t>(away), 4)) << x;
    EXPECT_EQ(integer(value, Type::decimal(20, 2)), static_cast<int64_t>(away)) << x;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double x : {kInfinity, -kInfinity, std::nan(""), 0x1p63, 1e300}) {
    EXPECT_FALSE(converted(Value::float64(x), TypeId::kInt64)) << x;
    EXPECT_FALSE(converted(Value::float64(x), Type::decimal(18, 3))) << x;
  }
  EXPECT_EQ(integer(Value::float64(-0x1p63), TypeId::kInt64), INT64_MIN);
  EXPECT_FALSE(converted(Value::float64(1e300), TypeId::kFloat32));
  EXPECT_EQ(converted(Value::float64(kInfinity), TypeId::kFloat32)->real(), kInfinity);
}

}  // namespace
}  // namespace numbers_test
}  // namespace lanewise
