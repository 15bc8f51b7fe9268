#include <array>
#include <bit>

#include "expr/evaluation/loops.h"
#include "expr/math/groups.h"
#include "expr/numbers.h"
#include "expr/signature.h"

namespace lanewise::expr {

namespace {

template <class T>
T magnitude(T value) {
  if (value == lowest<T>()) throw UserError("Overflow on abs(" + number_text(value) + ")");
  return value < 0 ? -value : value;
}

template <class T>
T common_divisor(const Site&, T a, T b) {
  if ((a == lowest<T>() && b == -1) || (a == -1 && b == lowest<T>()))
    return 1;  // the remainder would overflow
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return magnitude(a);
}

template <class T>
T common_multiple(const Site& site, T a, T b) {
  if (a == 0 || b == 0) return 0;
  T result;
  if (__builtin_mul_overflow(a, b / common_divisor(site, a, b), &result))
    throw UserError("lcm value is out of range");
  return magnitude(result);
}

int128_t factorial(const Site&, int32_t value) {
  if (value < 0) throw UserError("factorial of a negative number is undefined");
  int128_t result = 1;
  for (int32_t i = 2; i <= value; ++i) {
    if (__builtin_mul_overflow(result, static_cast<int128_t>(i), &result))
      throw UserError("Value out of range");
  }
  return result;
}

template <class T>
int8_t bit_count(const Site&, T value) {
  const auto high = static_cast<uint64_t>(sizeof(T) == 16 ? static_cast<int128_t>(value) >> 64 : 0);
  const uint64_t low =
      static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - 8 * std::min<size_t>(sizeof(T), 8)));
  return static_cast<int8_t>(std::popcount(high) + std::popcount(low));
}

template <auto f, FixedText device, TypeId result, TypeId... args>
constexpr Function divisor_entry(std::string_view name, std::string_view documentation,
                                 std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = takes_exactly<result, args...>,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = on_device<device, "math">,
          .documentation = documentation,
          .example = example};
}

using enum TypeId;
constexpr std::string_view kBits = "How many bits are set.";
constexpr std::string_view kDivisor = "The greatest common divisor.";
constexpr std::string_view kMultiple = "The least common multiple; overflow is an error.";

constexpr std::array kDivisorsTable = {
    divisor_entry<&common_divisor<int64_t>, "common_divisor", kInt64, kInt64, kInt64>("gcd", kDivisor,
                                                                                      "gcd(42, -57)"),
    divisor_entry<&common_divisor<int128_t>, "common_divisor", kInt128, kInt128, kInt128>(
        "gcd", kDivisor, "gcd(42::HUGEINT, -57::HUGEINT)"),
    divisor_entry<&common_multiple<int64_t>, "common_multiple", kInt64, kInt64, kInt64>("lcm", kMultiple,
                                                                                        "lcm(42, -57)"),
    divisor_entry<&common_multiple<int128_t>, "common_multiple", kInt128, kInt128, kInt128>(
        "lcm", kMultiple, "lcm(42::HUGEINT, -57::HUGEINT)"),
    divisor_entry<&factorial, "factorial", kInt128, kInt32>(
        "factorial", "The product of the numbers up to it; overflow is an error.", "factorial(20)"),
    divisor_entry<&bit_count<int8_t>, "bit_count", kInt8, kInt8>("bit_count", kBits,
                                                                 "bit_count(-1::TINYINT)"),
    divisor_entry<&bit_count<int16_t>, "bit_count", kInt8, kInt16>("bit_count", kBits,
                                                                   "bit_count(-1::SMALLINT)"),
    divisor_entry<&bit_count<int32_t>, "bit_count", kInt8, kInt32>("bit_count", kBits, "bit_count(31)"),
    divisor_entry<&bit_count<int64_t>, "bit_count", kInt8, kInt64>("bit_count", kBits,
                                                                   "bit_count(-1::BIGINT)"),
    divisor_entry<&bit_count<int128_t>, "bit_count", kInt8, kInt128>("bit_count", kBits,
                                                                     "bit_count(-1::HUGEINT)"),
};

}  // namespace

std::span<const Function> divisor_functions() { return kDivisorsTable; }

}  // namespace lanewise::expr
