#include <cmath>

#include "expr/casts/convert.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

/// Whether an integer is in the range of To.
template <class To, class From>
constexpr bool in_range(From value) {
  if constexpr (is_signed<From>) {
    if (value < 0)
      return is_signed<To> && static_cast<int128_t>(value) >= static_cast<int128_t>(lowest<To>());
  }
  return static_cast<uint128_t>(value) <= static_cast<uint128_t>(highest<To>());
}

/// Rounded half to even.
template <class From, class To>
bool round_to_integer(From value, To& out) {
  if (!std::isfinite(value)) return false;
  const From rounded = std::nearbyint(value);
  // Both bounds are powers of two or zero, so floats hold them exactly.
  const From low = static_cast<From>(lowest<To>());
  const From high = std::ldexp(From{1}, static_cast<int>(sizeof(To)) * 8 - (is_signed<To> ? 1 : 0));
  // Narrow unsigned types reject all negative values, even those rounded to 0.
  const bool above = sizeof(To) == 16 ? rounded >= low : value >= low;
  if (!above || !(rounded < high)) return false;
  out = static_cast<To>(rounded);
  return true;
}

template <class From, class To>
Vector cast_number(const CastJob& job) {
  if constexpr (std::is_floating_point_v<From>) {
    if constexpr (std::is_floating_point_v<To>) {
      if constexpr (sizeof(To) >= sizeof(From)) {
        return convert_all<From, To>(job, [](From value) { return static_cast<To>(value); });
      } else {
        return convert<From, To>(job, [](From value, To& out) {
          out = static_cast<To>(value);
          return std::isfinite(out) || !std::isfinite(value);
        });
      }
    } else {
      return convert<From, To>(job, [](From value, To& out) { return round_to_integer(value, out); });
    }
  } else if constexpr (std::is_floating_point_v<To>) {
    if constexpr (sizeof(From) == 16) {
      return convert_all<From, To>(job, [](From value) { return real_of<To>(value); });
    } else {
      return convert_all<From, To>(job, [](From value) { return static_cast<To>(value); });
    }
  } else if constexpr (in_range<To>(lowest<From>()) && in_range<To>(highest<From>())) {
    return convert_all<From, To>(job, [](From value) { return static_cast<To>(value); });
  } else {
    return convert<From, To>(job, [](From value, To& out) {
      out = static_cast<To>(value);
      return in_range<To>(value);
    });
  }
}

}  // namespace

Vector number_to_number(const CastJob& job) {
  const bool to_boolean = job.to.id == TypeId::kBool;
  return visit_number(job.from.type.physical(), [&](auto from) {
    using From = decltype(from);
    if (to_boolean) return convert_all<From, uint8_t>(job, [](From value) { return uint8_t{value != 0}; });
    return visit_number(job.to.physical(), [&](auto to) { return cast_number<From, decltype(to)>(job); });
  });
}

}  // namespace lanewise::expr
