#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/int128.h"
#include "data/value.h"

namespace lanewise::ops {

/// The fraction of a quantile. Negative: counted from the greatest value down.
struct Share {
  double real;
  bool exact;  ///< a decimal: unscaled / power
  int128_t unscaled;
  int128_t power;
  bool descending;

  explicit Share(const Value& value) : real(0), exact(false), unscaled(0), power(1), descending(false) {
    if (value.is_null()) throw UserError("QUANTILE parameter cannot be NULL");
    if (value.type().id == TypeId::kDecimal) {
      exact = true;
      for (int digit = 0; digit < value.type().scale; ++digit) power *= 10;
      unscaled = value.integer();
      real = static_cast<double>(unscaled) / static_cast<double>(power);
    } else if (value.type().is_float()) {
      real = value.real();
    } else {
      real = static_cast<double>(value.type().is_unsigned_integer() ? static_cast<int128_t>(value.natural())
                                                                    : value.integer());
    }
    if (!(real >= -1 && real <= 1)) throw UserError("QUANTILE can only take parameters in the range [-1, 1]");
    descending = real < 0;
    real = std::abs(real);
    if (unscaled < 0) unscaled = -unscaled;
  }

  /// The index of the discrete quantile among n ordered values.
  size_t index(size_t n) const {
    size_t above;
    if (exact) {
      const auto count = static_cast<int128_t>(n);
      above = static_cast<size_t>((count * power - count * unscaled) / power);
    } else {
      above = static_cast<size_t>(std::floor(static_cast<double>(n) - static_cast<double>(n) * real));
    }
    return std::max<size_t>(1, n - above) - 1;
  }
};

/// The type of a continuous quantile; nothing for types that cannot be interpolated.
inline std::optional<Type> continuous(Type type) {
  switch (type.id) {
    case TypeId::kFloat32:
    case TypeId::kDecimal:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return type;
    case TypeId::kDate:
      return Type::timestamp(TimeUnit::kMicro);
    default:
      return type.is_integer() || type == TypeId::kFloat64 ? std::optional<Type>(TypeId::kFloat64)
                                                           : std::nullopt;
  }
}

}  // namespace lanewise::ops
