#include "expr/casts/convert.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

/// Calls f with int64_t or int128_t.
template <class F>
Vector visit_decimal(Type type, F f) {
  if (type.physical() == Physical::kInt64) return f(int64_t{});
  return f(int128_t{});
}

double double_power_of_ten(int digits) { return static_cast<double>(power_of_ten(digits)); }

}  // namespace

Vector number_to_decimal(const CastJob& job) {
  const int scale = job.to.scale;
  const int precision = job.to.precision;
  return visit_decimal(job.to, [&](auto decimal) {
    using To = decltype(decimal);
    return visit_number(job.from.type.physical(), [&](auto number) -> Vector {
      using From = decltype(number);
      if constexpr (std::is_floating_point_v<From>) {
        const double power = double_power_of_ten(scale), limit = double_power_of_ten(precision);
        return convert_by<From, To>(job, [=](kernel::Outcome& outcome, From value) {
          return kernel::real_to_decimal<To>(outcome, value, power, limit);
        });
      } else {
        if (job.from.type.id == TypeId::kBool && precision == scale) {
          return convert_all<From, To>(job, [](From value) { return To{value != 0}; });
        }
        const int128_t factor = power_of_ten(scale), limit = power_of_ten(precision - scale);
        const auto each = [=](kernel::Outcome& outcome, From value) {
          return kernel::integer_to_decimal<To>(outcome, value, factor, limit);
        };
        const bool all = sizeof(From) < 8 && limit > static_cast<int128_t>(highest<From>());
        return all ? convert_all_by<From, To>(job, each) : convert_by<From, To>(job, each);
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
    const auto divisor = static_cast<From>(power_of_ten(scale));
    return visit_number(job.to.physical(), [&](auto number) -> Vector {
      using To = decltype(number);
      if constexpr (std::is_floating_point_v<To>) {
        const auto power = static_cast<To>(double_power_of_ten(scale));
        return convert_all_by<From, To>(job, [=](kernel::Outcome& outcome, From value) {
          return kernel::decimal_to_real<To>(outcome, value, divisor, power);
        });
      } else {
        return convert_by<From, To>(job, [=](kernel::Outcome& outcome, From value) {
          return kernel::decimal_to_integer<To>(outcome, value, divisor);
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
        const int128_t factor = power_of_ten(shift);
        const int128_t limit = spare >= 0 ? 0 : power_of_ten(to_type.precision - shift);
        const auto each = [=](kernel::Outcome& outcome, From value) {
          return kernel::widened_decimal<To>(outcome, value, factor, limit);
        };
        return spare >= 0 ? convert_all_by<From, To>(job, each) : convert_by<From, To>(job, each);
      }
      const auto divisor = static_cast<From>(power_of_ten(-shift));
      const int128_t limit = power_of_ten(to_type.precision);
      const auto each = [=](kernel::Outcome& outcome, From value) {
        return kernel::shortened_decimal<To>(outcome, value, divisor, limit);
      };
      return spare > 0 ? convert_all_by<From, To>(job, each) : convert_by<From, To>(job, each);
    });
  });
}

}  // namespace lanewise::expr
