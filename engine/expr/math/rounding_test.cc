#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

/// Rounding, against digits of decimal text and the standard library.
namespace lanewise {
namespace rounding_test {
namespace {

Value computed(const char* name, const std::vector<Value>& args) {
  std::vector<ExprPtr> literals;
  for (const Value& arg : args) literals.push_back(literal(arg));
  return evaluate_reference(*call(name, literals), {});
}
double real(const char* name, double x) { return computed(name, {Value::float64(x)}).real(); }
double real(const char* name, double x, int digits) {
  return computed(name, {Value::float64(x), Value::int32(digits)}).real();
}

/// The number without its last digits; `mode`: 'f' is floor, 'c' ceil, 't' trunc, 'r' round.
int64_t without_digits(int64_t value, size_t dropped, char mode) {
  std::string digits =
      std::to_string(value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
  digits.insert(0, dropped + 1, '0');
  const std::string rest = digits.substr(digits.size() - dropped);
  const bool any = rest.find_first_not_of('0') != std::string::npos;
  int64_t result = std::stoll(digits.substr(0, digits.size() - dropped));
  if (mode == 'r' ? rest[0] >= '5' : any && mode == (value < 0 ? 'f' : 'c')) ++result;
  return value < 0 ? -result : result;
}

const std::vector<int64_t> kUnscaled = {0,     1,      -1,      49,           50,           51,   -49,
                                        -50,   -51,    99,      100,          -100,         149,  -149,
                                        150,   -150,   999'999, -999'999,     4999,         5000, -5000,
                                        12345, -12345, 9999999, 123456789012, -987654321098};

TEST(Rounding, OfDecimalsIsThatOfTheirDigits) {
  for (const int64_t unscaled : kUnscaled) {
    for (const int precision : {15, 30}) {
      for (const uint8_t scale : {uint8_t{1}, uint8_t{2}, uint8_t{5}}) {
        const Value value(Type::decimal(static_cast<uint8_t>(precision), scale), int128_t{unscaled});
        for (const auto& [name, mode] : {std::pair{"floor", 'f'}, std::pair{"ceil", 'c'},
                                         std::pair{"trunc", 't'}, std::pair{"round", 'r'}})
          EXPECT_EQ(static_cast<int64_t>(computed(name, {value}).integer()),
                    without_digits(unscaled, scale, mode))
              << name << unscaled;
        for (int digits = 0; digits < scale; ++digits) {
          const auto dropped = static_cast<size_t>(scale - digits);
          EXPECT_EQ(static_cast<int64_t>(computed("round", {value, Value::int32(digits)}).integer()),
                    without_digits(unscaled, dropped, 'r'));
          EXPECT_EQ(static_cast<int64_t>(computed("trunc", {value, Value::int32(digits)}).integer()),
                    without_digits(unscaled, dropped, 't'));
        }
      }
    }
  }
}

TEST(Rounding, OfIntegersIsThatOfTheirDigits) {
  for (const int64_t value : kUnscaled) {
    int64_t unit = 1;
    for (int digits = 1; digits <= 6; ++digits) {
      unit *= 10;
      const std::vector<Value> args = {Value::int64(value), Value::int32(-digits)};
      EXPECT_EQ(static_cast<int64_t>(computed("round", args).integer()),
                without_digits(value, static_cast<size_t>(digits), 'r') * unit);
      EXPECT_EQ(static_cast<int64_t>(computed("trunc", args).integer()),
                without_digits(value, static_cast<size_t>(digits), 't') * unit);
    }
  }
  EXPECT_THROW(computed("round", {Value::int64(INT64_MAX), Value::int32(-1)}), UserError);
  EXPECT_EQ(static_cast<int64_t>(computed("round", {Value::int64(INT64_MAX), Value::int32(-19)}).integer()),
            0);
}

TEST(Rounding, OfFloatsIsThatOfTheStandardLibrary) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double x = -20; x <= 20; x += 0.125) {
    EXPECT_EQ(real("floor", x), std::floor(x));
    EXPECT_EQ(real("ceil", x), std::ceil(x));
    EXPECT_EQ(real("trunc", x), std::trunc(x));
    EXPECT_EQ(real("round", x), std::round(x));
    // Eighths have at most three digits after the point: thousandths are exact.
    EXPECT_EQ(real("round", x, 2),
              static_cast<double>(without_digits(static_cast<int64_t>(x * 1000), 1, 'r')) / 100);
    const double even = real("even", x);
    EXPECT_EQ(std::fmod(even, 2), 0);
    EXPECT_TRUE(std::fabs(even) >= std::fabs(x) && std::fabs(even) < std::fabs(x) + 2) << x;
    EXPECT_EQ(std::signbit(even), std::signbit(x)) << x;
    EXPECT_EQ(real("abs", x), std::fabs(x));
    EXPECT_EQ(static_cast<int>(computed("sign", {Value::float64(x)}).integer()), x < 0 ? -1 : x > 0 ? 1 : 0);
  }
  EXPECT_EQ(real("round", 42.4332, 2), 42.43);
  EXPECT_EQ(real("round", 1250.0, -2), 1300.0);
  EXPECT_EQ(real("round", 1e300, 300), 1e300);
  EXPECT_EQ(real("round", 1e300, -400), 0.0);
  EXPECT_EQ(real("trunc", 1e300, -400), 1e300);
  EXPECT_EQ(real("round", kInfinity, 2), kInfinity);
  EXPECT_TRUE(std::isnan(real("round", std::nan(""))));
}

}  // namespace
}  // namespace rounding_test
}  // namespace lanewise
