#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "expr/math/functions.h"
#include "expr/signature.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

constexpr double kPi = std::numbers::pi;

double positive(double value) {
  if (value < 0) throw UserError("cannot take logarithm of a negative number");
  if (value == 0) throw UserError("cannot take logarithm of zero");
  return value;
}
/// Angles must be finite; NaN passes.
double angle(double value) {
  if (std::isinf(value))
    throw UserError(fmt::format("input value {} is out of range for numeric function", value));
  return value;
}
double within_one(double value, const char* name) {
  angle(value);
  if (value < -1 || value > 1) throw UserError(fmt::format("{} is undefined outside [-1,1]", name));
  return value;
}

double square_root(const Site&, double x) {
  if (x < 0) throw UserError("cannot take square root of a negative number");
  return std::sqrt(x);
}
double cube_root(const Site&, double x) { return std::cbrt(x); }
double natural_log(const Site&, double x) { return std::log(positive(x)); }
double decimal_log(const Site&, double x) { return std::log10(positive(x)); }
double binary_log(const Site&, double x) { return std::log2(positive(x)); }
double based_log(const Site&, double base, double x) {
  const double divisor = std::log10(positive(base));
  if (divisor == 0) throw UserError("divison by zero in based logarithm");
  return std::log10(positive(x)) / divisor;
}
double exponential(const Site&, double x) { return std::exp(x); }
double power(const Site&, double x, double y) { return std::pow(x, y); }
double gamma(const Site&, double x) {
  if (x == 0) throw UserError("cannot take gamma of zero");
  return std::tgamma(x);
}
double log_gamma(const Site&, double x) {
  if (x == 0) throw UserError("cannot take log gamma of zero");
  int sign;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}
double pi(const Site&) { return kPi; }
double degrees(const Site&, double x) { return x * (180 / kPi); }
double radians(const Site&, double x) { return x * (kPi / 180); }
double sine(const Site&, double x) { return std::sin(angle(x)); }
double cosine(const Site&, double x) { return std::cos(angle(x)); }
double tangent(const Site&, double x) { return std::tan(angle(x)); }
double cotangent(const Site&, double x) {
  if (angle(x) == 0) throw UserError("input value 0 is out of range for numeric function cotangent");
  return 1.0 / std::tan(x);
}
double arc_sine(const Site&, double x) { return std::asin(within_one(x, "ASIN")); }
double arc_cosine(const Site&, double x) { return std::acos(within_one(x, "ACOS")); }
double arc_tangent(const Site&, double x) { return std::atan(x); }
double arc_tangent2(const Site&, double y, double x) { return std::atan2(y, x); }
double hyperbolic_sine(const Site&, double x) { return std::sinh(x); }
double hyperbolic_cosine(const Site&, double x) { return std::cosh(x); }
double hyperbolic_tangent(const Site&, double x) { return std::tanh(x); }
double area_sine(const Site&, double x) { return std::asinh(x); }
double area_cosine(const Site&, double x) { return std::acosh(x); }
double area_tangent(const Site&, double x) {
  if (x < -1 || x > 1) throw UserError("ATANH is undefined outside [-1,1]");
  return x == -1 || x == 1 ? INFINITY : std::atanh(x);
}
template <class T>
T next_after(const Site&, T x, T towards) {
  return std::nextafter(x, towards);
}
template <class T>
uint8_t is_nan(const Site&, T x) {
  return std::isnan(x);
}
template <class T>
uint8_t is_infinite(const Site&, T x) {
  return std::isinf(x);
}
template <class T>
uint8_t is_finite_number(const Site&, T x) {
  return std::isfinite(x);
}
template <class T>
uint8_t sign_bit(const Site&, T x) {
  return std::signbit(x);
}

template <auto f, FixedText device, TypeId result, TypeId... args>
constexpr Function analysis_entry(std::string_view name, bool raises, std::string_view documentation,
                                  std::string_view example) {
  return {.name = name,
          .raises = raises,
          .resolve = takes_exactly<result, args...>,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = on_device<device, "math">,
          .documentation = documentation,
          .example = example};
}
template <auto f, FixedText device>
constexpr Function of_one(std::string_view name, std::string_view documentation, std::string_view example) {
  return analysis_entry<f, device, TypeId::kFloat64, TypeId::kFloat64>(name, false, documentation, example);
}
template <auto f, FixedText device>
constexpr Function raising(std::string_view name, std::string_view documentation, std::string_view example) {
  return analysis_entry<f, device, TypeId::kFloat64, TypeId::kFloat64>(name, true, documentation, example);
}
template <auto f, FixedText device>
constexpr Function of_two(std::string_view name, std::string_view documentation, std::string_view example) {
  return analysis_entry<f, device, TypeId::kFloat64, TypeId::kFloat64, TypeId::kFloat64>(
      name, false, documentation, example);
}
template <auto f, FixedText device, TypeId type>
constexpr Function test_entry(std::string_view name, std::string_view documentation,
                              std::string_view example) {
  return analysis_entry<f, device, TypeId::kBool, type>(name, false, documentation, example);
}

using enum TypeId;

constexpr std::array kAnalysisTable = {
    raising<&square_root, "square_root">("sqrt", "The square root; an error for a negative number.",
                                         "sqrt(9)"),
    of_one<&cube_root, "cube_root">("cbrt", "The cube root.", "cbrt(27)"),
    raising<&natural_log, "natural_log">("ln", "The natural logarithm; an error for zero and below.",
                                         "ln(2)"),
    raising<&decimal_log, "decimal_log">("log", "The logarithm to base 10; an error for zero and below.",
                                         "log(100)"),
    raising<&decimal_log, "decimal_log">("log10", "The logarithm to base 10; an error for zero and below.",
                                         "log10(100)"),
    raising<&binary_log, "binary_log">("log2", "The logarithm to base 2; an error for zero and below.",
                                       "log2(8)"),
    analysis_entry<&based_log, "based_log", kFloat64, kFloat64, kFloat64>(
        "log", true, "The logarithm of the second to the base of the first.", "log(2, 64)"),
    of_one<&exponential, "exponential">("exp", "e to the power of the number.", "exp(1)"),
    of_two<&power, "power">("pow", "The first to the power of the second.", "pow(2, 3)"),
    raising<&gamma, "gamma_function">("gamma", "The gamma function; an error for zero.", "gamma(5.5)"),
    raising<&log_gamma, "log_gamma">("lgamma", "The logarithm of the gamma function; an error for zero.",
                                     "lgamma(5.5)"),
    analysis_entry<&pi, "pi", kFloat64>("pi", false, "The circle's circumference by its diameter.", "pi()"),
    of_one<&degrees, "degrees">("degrees", "Radians in degrees.", "degrees(pi())"),
    of_one<&radians, "radians">("radians", "Degrees in radians.", "radians(90)"),
    raising<&sine, "sine">("sin", "The sine; an error for infinity.", "sin(0.5)"),
    raising<&cosine, "cosine">("cos", "The cosine; an error for infinity.", "cos(0.5)"),
    raising<&tangent, "tangent">("tan", "The tangent; an error for infinity.", "tan(0.5)"),
    raising<&cotangent, "cotangent">("cot", "The cotangent; an error for infinity and zero.", "cot(0.5)"),
    raising<&arc_sine, "arc_sine">("asin", "The arc sine; an error outside [-1, 1].", "asin(0.5)"),
    raising<&arc_cosine, "arc_cosine">("acos", "The arc cosine; an error outside [-1, 1].", "acos(0.5)"),
    of_one<&arc_tangent, "arc_tangent">("atan", "The arc tangent.", "atan(0.5)"),
    of_two<&arc_tangent2, "arc_tangent2">(
        "atan2", "The angle of the point with the second as x, the first as y.", "atan2(0.5, 0.5)"),
    of_one<&hyperbolic_sine, "hyperbolic_sine">("sinh", "The hyperbolic sine.", "sinh(0.5)"),
    of_one<&hyperbolic_cosine, "hyperbolic_cosine">("cosh", "The hyperbolic cosine.", "cosh(0.5)"),
    of_one<&hyperbolic_tangent, "hyperbolic_tangent">("tanh", "The hyperbolic tangent.", "tanh(0.5)"),
    of_one<&area_sine, "area_sine">("asinh", "The inverse hyperbolic sine.", "asinh(0.5)"),
    of_one<&area_cosine, "area_cosine">("acosh", "The inverse hyperbolic cosine.", "acosh(2.5)"),
    raising<&area_tangent, "area_tangent">(
        "atanh", "The inverse hyperbolic tangent; an error outside [-1, 1].", "atanh(0.5)"),
    of_two<&next_after<double>, "next_after">(
        "nextafter", "The next float from the first towards the second.", "nextafter(1::DOUBLE, 2::DOUBLE)"),
    analysis_entry<&next_after<float>, "next_after", kFloat32, kFloat32, kFloat32>(
        "nextafter", false, "The next float from the first towards the second.",
        "nextafter(1::FLOAT, 2::FLOAT)"),
    test_entry<&is_nan<double>, "is_nan", kFloat64>("isnan", "Whether it is not a number.",
                                                    "isnan('nan'::DOUBLE)"),
    test_entry<&is_nan<float>, "is_nan", kFloat32>("isnan", "Whether it is not a number.",
                                                   "isnan('nan'::FLOAT)"),
    test_entry<&is_infinite<double>, "is_infinite_real", kFloat64>("isinf", "Whether it is infinite.",
                                                                   "isinf('-inf'::DOUBLE)"),
    test_entry<&is_infinite<float>, "is_infinite_real", kFloat32>("isinf", "Whether it is infinite.",
                                                                  "isinf('-inf'::FLOAT)"),
    test_entry<&is_finite_number<double>, "is_finite_real", kFloat64>(
        "isfinite", "Whether it is neither infinite nor NaN.", "isfinite('inf'::DOUBLE)"),
    test_entry<&is_finite_number<float>, "is_finite_real", kFloat32>(
        "isfinite", "Whether it is neither infinite nor NaN.", "isfinite('inf'::FLOAT)"),
    test_entry<&sign_bit<double>, "sign_bit", kFloat64>("signbit", "Whether its sign bit is set.",
                                                        "signbit(-0.0::DOUBLE)"),
    test_entry<&sign_bit<float>, "sign_bit", kFloat32>("signbit", "Whether its sign bit is set.",
                                                       "signbit(-0.0::FLOAT)"),
};

}  // namespace

std::span<const Function> analysis_functions() { return kAnalysisTable; }

}  // namespace lanewise::expr
