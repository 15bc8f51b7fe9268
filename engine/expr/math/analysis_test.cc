#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

/// Functions of analysis against the standard library's for longer floats; tests of floats against their
/// bits.
namespace lanewise {
namespace analysis_test {
namespace {

using Long = long double;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

Value computed(const char* name, const std::vector<Value>& args) {
  std::vector<ExprPtr> literals;
  for (const Value& arg : args) literals.push_back(literal(arg));
  return evaluate_reference(*call(name, literals), {});
}
double real(const char* name, std::initializer_list<double> numbers) {
  std::vector<Value> args;
  for (const double number : numbers) args.push_back(Value::float64(number));
  return computed(name, args).real();
}

std::vector<double> numbers() {
  std::vector<double> all = {0.0, 1e-300, 1e-9, 0.1, 1.0 / 3, 1e5, 1e17, 1e300};
  for (double x = 0.125; x <= 30; x += 0.375) all.push_back(x);
  for (size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  return all;
}

/// Within `steps` floats of the exact value, of which doubles have fewer digits.
void expect_near(double value, Long exact, int steps, const char* name, double x) {
  const auto nearest = static_cast<double>(exact);
  if (std::isnan(nearest) || std::isinf(nearest) || nearest == 0) {
    EXPECT_TRUE(std::isnan(nearest) ? std::isnan(value) : value == nearest) << name << " of " << x;
    return;
  }
  const double step = std::nextafter(std::fabs(nearest), kInfinity) - std::fabs(nearest);
  EXPECT_LE(std::fabs(static_cast<Long>(value) - exact), steps * static_cast<Long>(step))
      << name << " of " << x;
}

struct OfOne {
  const char* name;
  Long (*exact)(Long);
  bool (*raises)(double) = [](double) { return false; };
  int steps = 1;
};
bool is_infinite(double x) { return std::isinf(x); }
bool is_not_positive(double x) { return x <= 0; }
bool is_outside_one(double x) { return std::fabs(x) > 1; }
bool is_zero(double x) { return x == 0; }
constexpr Long kPi = 3.141592653589793238462643383279502884L;

const OfOne kOfOne[] = {
    {"sqrt", [](Long x) { return std::sqrt(x); }, [](double x) { return x < 0; }},
    {"cbrt", [](Long x) { return std::cbrt(x); }, [](double) { return false; }, 2},
    {"ln", [](Long x) { return std::log(x); }, is_not_positive},
    {"log", [](Long x) { return std::log10(x); }, is_not_positive, 2},
    {"log10", [](Long x) { return std::log10(x); }, is_not_positive, 2},
    {"log2", [](Long x) { return std::log2(x); }, is_not_positive},
    {"exp", [](Long x) { return std::exp(x); }},
    {"gamma", [](Long x) { return std::tgamma(x); }, is_zero, 10},
    {"lgamma", [](Long x) { return std::lgamma(x); }, is_zero, 10},
    {"degrees", [](Long x) { return x * 180 / kPi; }, [](double) { return false; }, 3},
    {"radians", [](Long x) { return x * kPi / 180; }, [](double) { return false; }, 3},
    {"sin", [](Long x) { return std::sin(x); }, is_infinite},
    {"cos", [](Long x) { return std::cos(x); }, is_infinite},
    {"tan", [](Long x) { return std::tan(x); }, is_infinite},
    {"cot", [](Long x) { return 1 / std::tan(x); }, [](double x) { return is_infinite(x) || x == 0; }, 2},
    {"asin", [](Long x) { return std::asin(x); }, is_outside_one},
    {"acos", [](Long x) { return std::acos(x); }, is_outside_one},
    {"atan", [](Long x) { return std::atan(x); }},
    {"sinh", [](Long x) { return std::sinh(x); }, [](double) { return false; }, 3},
    {"cosh", [](Long x) { return std::cosh(x); }, [](double) { return false; }, 3},
    {"tanh", [](Long x) { return std::tanh(x); }, [](double) { return false; }, 3},
    {"asinh", [](Long x) { return std::asinh(x); }, [](double) { return false; }, 3},
    {"acosh", [](Long x) { return std::acosh(x); }, [](double) { return false; }, 3},
    // As in DuckDB, of -1 too.
    {"atanh", [](Long x) { return x == -1 ? Long{kInfinity} : std::atanh(x); }, is_outside_one, 3},
};

TEST(Analysis, OfOneNumberIsThatOfLongerFloats) {
  for (const auto& [name, exact, raises, steps] : kOfOne) {
    std::vector<double> all = numbers();
    all.insert(all.end(), {1.0, -1.0, kInfinity, -kInfinity, kNaN});
    for (const double x : all) {
      if (raises(x)) {
        EXPECT_THROW(real(name, {x}), UserError) << name << " of " << x;
      } else {
        // Where gamma's logarithm is next to 0, its error is one of the numbers that it is a difference of.
        const bool cancels = name == std::string_view("lgamma") && x > -30 && x < 3;
        const double value = real(name, {x});
        if (cancels && !std::isinf(value)) {
          EXPECT_NEAR(value, static_cast<double>(exact(x)), 1e-13) << x;
        } else {
          expect_near(value, exact(x), steps, name, x);
        }
      }
    }
  }
  EXPECT_EQ(real("pi", {}), static_cast<double>(kPi));
}

TEST(Analysis, OfTwoNumbersIsThatOfLongerFloats) {
  std::vector<double> all = {0.0, -0.0, 1,      -1,   0.5,   -0.5,      2,          -2,
                             3,   -3,   1e-300, 1e10, 1e300, kInfinity, -kInfinity, kNaN};
  for (const double x : all) {
    for (const double y : all) {
      expect_near(real("pow", {x, y}), std::pow(Long{x}, Long{y}), 1, "pow", x);
      expect_near(real("atan2", {x, y}), std::atan2(Long{x}, Long{y}), 1, "atan2", x);
      if (x <= 0 || x == 1 || y <= 0) {
        EXPECT_THROW(real("log", {x, y}), UserError) << x << " " << y;
      } else {
        expect_near(real("log", {x, y}), std::log10(Long{y}) / std::log10(Long{x}), 4, "log", x);
      }
    }
  }
}

/// Numbers in the order of their bits.
template <class T, class Bits>
void check_bits(Value (*value)(T), int mantissa) {
  const Bits exponents = ((Bits{1} << (sizeof(T) * 8 - 1 - static_cast<size_t>(mantissa))) - 1) << mantissa;
  const auto is = [&](const char* name, T x) { return computed(name, {value(x)}).is_true(); };
  std::vector<Bits> all = {0, 1, exponents - 1, exponents, exponents + 1, exponents | exponents >> 1};
  for (Bits bits = 1; bits < exponents; bits *= 3) all.push_back(bits);
  for (const Bits size : all) {
    for (const bool negative : {false, true}) {
      const T x = std::bit_cast<T>(static_cast<Bits>(size | Bits{negative} << (sizeof(T) * 8 - 1)));
      EXPECT_EQ(is("isnan", x), size > exponents);
      EXPECT_EQ(is("isinf", x), size == exponents);
      EXPECT_EQ(is("isfinite", x), size < exponents);
      EXPECT_EQ(is("signbit", x), negative);
      if (size >= exponents || size == 0) continue;
      const auto next = [&](T towards) {
        const Value result = computed("nextafter", {value(x), value(towards)});
        return std::bit_cast<Bits>(static_cast<T>(result.real())) << 1 >> 1;
      };
      const T infinity = std::numeric_limits<T>::infinity();
      EXPECT_EQ(next(negative ? -infinity : infinity), size + 1);
      EXPECT_EQ(next(T{0}), size - 1);
      EXPECT_EQ(next(x), size);
    }
  }
}
TEST(Analysis, OfFloatsIsThatOfTheirBits) {
  check_bits<double, uint64_t>([](double x) { return Value::float64(x); }, 52);
  check_bits<float, uint32_t>([](float x) { return Value(TypeId::kFloat32, double{x}); }, 23);
}

TEST(Analysis, SizesAndSignsOfIntegersAndDecimals) {
  for (const Type& type :
       {Type(TypeId::kInt8), Type(TypeId::kInt16), Type(TypeId::kInt32), Type(TypeId::kInt64),
        Type(TypeId::kInt128), Type::decimal(5, 2), Type::decimal(30, 2)}) {
    for (const int number : {0, 1, -1, 99, -99, 127, -127}) {
      const Value value(type, int128_t{number});
      EXPECT_EQ(computed("abs", {value}), Value(type, int128_t{number < 0 ? -number : number}));
      if (type.id != TypeId::kDecimal) {
        EXPECT_EQ(static_cast<int>(computed("sign", {value}).integer()), number < 0 ? -1 : number > 0);
      }
    }
  }
  for (const TypeId type : {TypeId::kUInt8, TypeId::kUInt64, TypeId::kUInt128}) {
    for (const unsigned number : {0U, 1U, 255U}) {
      const Value value(type, uint128_t{number});
      EXPECT_EQ(computed("abs", {value}), value);
      EXPECT_EQ(static_cast<int>(computed("sign", {value}).integer()), number > 0 ? 1 : 0);
    }
  }
  EXPECT_THROW(computed("abs", {Value(TypeId::kInt8, int128_t{-128})}), UserError);
  EXPECT_THROW(computed("abs", {Value::int64(INT64_MIN)}), UserError);
}

}  // namespace
}  // namespace analysis_test
}  // namespace lanewise
