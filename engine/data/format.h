#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/int128.h"
#include "data/type.h"

/// How SQL prints values as text (CAST(x AS VARCHAR)): each function appends to `out`.
namespace lanewise::format {

/// The values that stand for 'infinity' and '-infinity'.
inline constexpr int32_t kDateInfinity = INT32_MAX;
inline constexpr int32_t kDateNegativeInfinity = -INT32_MAX;
inline constexpr int64_t kTimestampInfinity = INT64_MAX;
inline constexpr int64_t kTimestampNegativeInfinity = -INT64_MAX;

void boolean(bool value, std::string& out);
void integer(int64_t value, std::string& out);
void integer(int128_t value, std::string& out);
void integer(uint128_t value, std::string& out);
/// "0.50"; if the type has no digits before the point: ".50".
void decimal(int128_t unscaled, int precision, int scale, std::string& out);
/// The shortest digits that read back as the same value; "1.0", "1e+20", "inf", "nan". If two candidates are
/// equally near to a float, or one is exactly between two floats, it prints the shortest digits of the same
/// value as a double.
void real(float value, std::string& out);
void real(double value, std::string& out);
void date(int32_t days, std::string& out);
void time(int64_t micros, std::string& out);
void time_ns(int64_t nanos, std::string& out);
void timestamp(int64_t value, TimeUnit unit, std::string& out);
void timestamp_tz(int64_t micros, std::string& out);  ///< in UTC: "... +00"
void interval(const Interval& value, std::string& out);
/// Printable ASCII unchanged except the backslash; other bytes as \xHH.
void blob(std::string_view bytes, std::string& out);

/// Lower-case hexadecimal digits in groups: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11".
void uuid(int128_t value, std::string& out);

/// Units per second.
constexpr int64_t per_second(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSecond:
      return 1;
    case TimeUnit::kMilli:
      return 1'000;
    case TimeUnit::kMicro:
      return 1'000'000;
    case TimeUnit::kNano:
      return 1'000'000'000;
  }
  return 1;
}
/// Digits of the fraction of a second.
constexpr uint32_t fraction_digits(TimeUnit unit) {
  return static_cast<uint32_t>(unit == TimeUnit::kSecond  ? 0
                               : unit == TimeUnit::kMilli ? 3
                               : unit == TimeUnit::kMicro ? 6
                                                          : 9);
}
/// Of a timestamp's type; those with a zone count microseconds.
constexpr int64_t per_second(Type type) {
  return per_second(type.id == TypeId::kTimestampTz ? TimeUnit::kMicro : type.unit);
}

}  // namespace lanewise::format
