#pragma once

#include <cmath>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "data/type.h"
#include "ops/aggregate/functions/share.h"
#include "ops/aggregate/functions/to_real.h"

/// Quantiles between two values.
namespace lanewise::ops {

/// A date as a timestamp; infinite dates stay infinite.
inline int64_t as_timestamp(int32_t date) {
  if (date == INT32_MAX) return INT64_MAX;
  if (date == -INT32_MAX) return -INT64_MAX;
  int64_t result;
  if (__builtin_mul_overflow(int64_t{date}, int64_t{86'400'000'000}, &result)) {
    throw UserError("Conversion Error: Date out of timestamp range");
  }
  return result;
}

/// A value in the representation of its quantile.
template <class Result, class T>
Result as_quantile(T value) {
  if constexpr (std::is_same_v<T, int32_t> && std::is_same_v<Result, int64_t>) {
    return as_timestamp(value);
  } else if constexpr (std::is_same_v<T, int128_t> && std::is_same_v<Result, double>) {
    return to_real<double>(value);
  } else {
    return static_cast<Result>(value);
  }
}

/// Interpolates between two values, rounded for each type as the reference does.
template <class Result>
Result between(Result low, double share, Result high, Type type) {
  if constexpr (std::is_same_v<Result, double>) {
    return low * (1.0 - share) + high * share;
  } else if constexpr (std::is_same_v<Result, int64_t>) {
    if (type.id != TypeId::kDecimal) {  // times
      return std::llround(static_cast<double>(low) * (1.0 - share) + static_cast<double>(high) * share);
    }
    return low + static_cast<int64_t>(static_cast<double>(high - low) * share);
  } else if constexpr (std::is_same_v<Result, int128_t>) {
    return static_cast<int128_t>(to_real<double>(low) * (1.0 - share) + to_real<double>(high) * share);
  } else {
    return low + static_cast<Result>(static_cast<double>(high - low) * share);
  }
}

/// The continuous quantile of `count` values: at(k) is the k-th in the share's order. It is called for one k,
/// or for two that follow each other.
template <class Result, class At>
Result interpolated(const Share& share, size_t count, Type type, At at) {
  const double place = static_cast<double>(count - 1) * share.real;
  const auto below = static_cast<size_t>(std::floor(place));
  const auto low = as_quantile<Result>(at(below));
  if (below == static_cast<size_t>(std::ceil(place))) return low;
  return between(low, place - static_cast<double>(below), as_quantile<Result>(at(below + 1)), type);
}

/// The share of median().
inline Share half() { return Share(Value(Type::decimal(2, 1), int128_t{5})); }

/// Calls use(value, result), zeros of the types in memory of the values and of their quantile, for a type
/// that has continuous() quantiles.
template <class Use>
auto visit_continuous(Type from, Use&& use) {
  return visit(from.physical(), [&](auto zero) -> decltype(use(0.0, 0.0)) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, Interval>) {
      throw InternalError("a continuous quantile of " + from.name());
    } else if constexpr (std::is_same_v<T, float>) {
      return use(zero, zero);
    } else {
      if (continuous(from) == TypeId::kFloat64) return use(zero, 0.0);
      if constexpr (std::is_same_v<T, int128_t>) {
        return use(zero, zero);
      } else {
        return use(zero, int64_t{0});
      }
    }
  });
}

}  // namespace lanewise::ops
