#include <array>

#include "expr/gpu/math-inl.h"
#include "expr/math/functions.h"
#include "expr/numbers.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

struct DivisorRange {
  template <class T>
  [[noreturn]] static void raise(const Site&, T, T) {
    throw UserError("Overflow on abs(" + number_text(lowest<T>()) + ")");
  }
};
struct MultipleRange {
  template <class T>
  [[noreturn]] static void raise(const Site& site, T a, T b) {
    if (a == lowest<T>() && b == lowest<T>()) DivisorRange::raise(site, a, b);
    throw UserError("lcm value is out of range");
  }
};

/// Not the kernel's, which is slower on the host.
int128_t factorial(const Site&, int32_t value) {
  if (value < 0) throw UserError("factorial of a negative number is undefined");
  int128_t result = 1;
  for (int32_t i = 2; i <= value; ++i) {
    if (__builtin_mul_overflow(result, static_cast<int128_t>(i), &result))
      throw UserError("Value out of range");
  }
  return result;
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
    divisor_entry<on_host<&kernel::common_divisor<int64_t>, DivisorRange>, "common_divisor", kInt64, kInt64,
                  kInt64>("gcd", kDivisor, "gcd(42, -57)"),
    divisor_entry<on_host<&kernel::common_divisor<int128_t>, DivisorRange>, "common_divisor", kInt128,
                  kInt128, kInt128>("gcd", kDivisor, "gcd(42::HUGEINT, -57::HUGEINT)"),
    divisor_entry<on_host<&kernel::common_multiple<int64_t>, MultipleRange>, "common_multiple", kInt64,
                  kInt64, kInt64>("lcm", kMultiple, "lcm(42, -57)"),
    divisor_entry<on_host<&kernel::common_multiple<int128_t>, MultipleRange>, "common_multiple", kInt128,
                  kInt128, kInt128>("lcm", kMultiple, "lcm(42::HUGEINT, -57::HUGEINT)"),
    divisor_entry<&factorial, "factorial", kInt128, kInt32>(
        "factorial", "The product of the numbers up to it; overflow is an error.", "factorial(20)"),
    divisor_entry<on_host<&kernel::bit_count<int8_t>>, "bit_count", kInt8, kInt8>("bit_count", kBits,
                                                                                  "bit_count(-1::TINYINT)"),
    divisor_entry<on_host<&kernel::bit_count<int16_t>>, "bit_count", kInt8, kInt16>(
        "bit_count", kBits, "bit_count(-1::SMALLINT)"),
    divisor_entry<on_host<&kernel::bit_count<int32_t>>, "bit_count", kInt8, kInt32>("bit_count", kBits,
                                                                                    "bit_count(31)"),
    divisor_entry<on_host<&kernel::bit_count<int64_t>>, "bit_count", kInt8, kInt64>("bit_count", kBits,
                                                                                    "bit_count(-1::BIGINT)"),
    divisor_entry<on_host<&kernel::bit_count<int128_t>>, "bit_count", kInt8, kInt128>(
        "bit_count", kBits, "bit_count(-1::HUGEINT)"),
};

}  // namespace

std::span<const Function> divisor_functions() { return kDivisorsTable; }

}  // namespace lanewise::expr
