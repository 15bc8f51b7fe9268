#include <cmath>

#include "expr/casts/convert.h"
#include "expr/gpu/casts-inl.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

/// Calls f with int64_t or int128_t.
template <class F>
Vector visit_decimal(Type type, F f) {
  if (type.physical() == Physical::kInt64) return f(int64_t{});
  return f(int128_t{});
}

/// Rounded half away from zero; divisor > 0.
template <class T>
T divide_rounded(T value, T divisor) {
  if (divisor == 1) return value;
  const T half = divisor / 2;
  // Scaled to halves first, so that the rounding cannot overflow.
  const T halves = value / half;
  return (halves < 0 ? halves - 1 : halves + 1) / 2;
}

double double_power_of_ten(int digits) { return static_cast<double>(power_of_ten(digits)); }

}  // namespace

Vector number_to_decimal(const CastJob& job) {
  const int scale = job.to.scale;
  const int precision = job.to.precision;
  return visit_decimal(job.to, [&](auto decimal) {
    using To = decltype(decimal);
    const auto factor = static_cast<To>(power_of_ten(scale));
    return visit_number(job.from.type.physical(), [&](auto number) -> Vector {
      using From = decltype(number);
      if constexpr (std::is_floating_point_v<From>) {
        const double power = double_power_of_ten(scale);
        const double limit = double_power_of_ten(precision);
        return convert<From, To>(job, [=](From value, To& out) {
          const double rounded = std::round(static_cast<double>(value) * power);
          if (!(rounded > -limit && rounded < limit)) return false;
          out = static_cast<To>(std::nearbyint(static_cast<From>(rounded)));
          return true;
        });
      } else {
        if (job.from.type.id == TypeId::kBool && precision == scale) {
          return convert_all<From, To>(job, [](From value) { return To{value != 0}; });
        }
        const int128_t limit = power_of_ten(precision - scale);
        if (sizeof(From) < 8 && limit > static_cast<int128_t>(highest<From>())) {
          return convert_all<From, To>(
              job, [=](From value) { return static_cast<To>(static_cast<To>(value) * factor); });
        }
        return convert<From, To>(job, [=](From value, To& out) {
          if constexpr (is_signed<From>) {
            if (static_cast<int128_t>(value) <= -limit) return false;
          }
          if (value > 0 && static_cast<uint128_t>(value) >= static_cast<uint128_t>(limit)) return false;
          out = static_cast<To>(static_cast<To>(value) * factor);
          return true;
        });
      }
    });
  });
}

Vector decimal_to_number(const CastJob& job) {
  const int scale = job.from.type.scale;
  const bool to_boolean = job.to.id == TypeId::kBool;
  return visit_decimal(job.from.type, [&](auto decimal) {
    using From = decltype(decimal);
    if (to_boolean) return convert_all<From, uint8_t>(job, [](From value) { return uint8_t{value != 0}; });
    return visit_number(job.to.physical(), [&](auto number) -> Vector {
      using To = decltype(number);
      if constexpr (std::is_floating_point_v<To>) {
        const auto divisor = static_cast<From>(power_of_ten(scale));
        const auto power = static_cast<To>(double_power_of_ten(scale));
        return convert_all<From, To>(job, [=](From value) {
          kernel::Outcome outcome;
          return kernel::decimal_to_real<To>(outcome, value, divisor, power);
        });
      } else {
        const auto divisor = static_cast<From>(power_of_ten(scale));
        return convert<From, To>(job, [=](From value, To& out) {
          const From rounded = divide_rounded(value, divisor);
          out = static_cast<To>(rounded);
          if (is_signed<To> || rounded >= 0)
            return static_cast<From>(out) == rounded && (out < 0) == (rounded < 0);
          return false;
        });
      }
    });
  });
}

Vector decimal_to_decimal(const CastJob& job) {
  const Type from_type = job.from.type;
  const Type to_type = job.to;
  const int shift = to_type.scale - from_type.scale;
  return visit_decimal(from_type, [&](auto from) {
    return visit_decimal(to_type, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      // As many integer digits as needed, so that no value is out of range; rounding may carry
      // into one more.
      const int spare = (to_type.precision - to_type.scale) - (from_type.precision - from_type.scale);
      if (shift == 0 && spare >= 0 && std::is_same_v<From, To>) {  // the numbers are unchanged
        Vector same = job.from;
        same.type = to_type;
        return same;
      }
      if (shift >= 0) {
        const auto factor = static_cast<To>(power_of_ten(shift));
        if (spare >= 0)
          return convert_all<From, To>(job, [=](From value) {
            return static_cast<To>(static_cast<uint128_t>(value) * static_cast<uint128_t>(factor));
          });
        const int128_t limit = power_of_ten(to_type.precision - shift);
        return convert<From, To>(job, [=](From value, To& out) {
          if (value >= limit || value <= -limit) return false;
          out = static_cast<To>(value) * factor;
          return true;
        });
      }
      const auto divisor = static_cast<From>(power_of_ten(-shift));
      if (spare > 0)
        return convert_all<From, To>(
            job, [=](From value) { return static_cast<To>(divide_rounded(value, divisor)); });
      const int128_t limit = power_of_ten(to_type.precision);
      return convert<From, To>(job, [=](From value, To& out) {
        const From rounded = divide_rounded(value, divisor);
        out = static_cast<To>(rounded);
        return rounded < limit && rounded > -limit;
      });
    });
  });
}

}  // namespace lanewise::expr
