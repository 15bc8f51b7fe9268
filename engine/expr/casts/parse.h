#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/int128.h"
#include "data/type.h"
#include "expr/gpu/casts/parse_times-inl.h"

/// Parses values as SQL's CAST does; returns nothing if the text is not such a value. Spaces around
/// numbers and times are skipped.
namespace lanewise::expr {

inline kernel::Text kernel_text(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Digits, a fraction and an exponent are allowed: the value is rounded by the first digit after the point.
/// Also "0x1F" and "0b11" for T of up to 64 bits, and "_" between digits.
template <class T>
std::optional<T> parse_integer(std::string_view text);

/// The unscaled value of DECIMAL(precision, scale), rounded half away from zero.
std::optional<int128_t> parse_decimal(std::string_view text, int precision, int scale);

/// A number that is too large becomes infinite; "inf", "infinity" and "nan" in any case.
template <class T>
std::optional<T> parse_real(std::string_view text);

/// true, t, yes, y, 1 and false, f, no, n, 0, in any case.
std::optional<bool> parse_boolean(std::string_view text);

using kernel::ParseError;

/// "2024-02-29", "44-03-15 (BC)", "infinity", "epoch". What follows is `rest`; it does not begin with a
/// digit.
ParseError parse_date(std::string_view text, int32_t& days, std::string_view& rest);

/// "12:34:56.789"; hours may have up to nine digits. Nanoseconds below a microsecond go to `nanos`.
bool parse_clock(std::string_view text, int64_t& micros, int32_t& nanos, std::string_view& rest);

/// "12:34:56.789", with any suffix, or the time of a timestamp.
std::optional<int64_t> parse_time(std::string_view text);

/// The same, with the nanoseconds below a microsecond.
std::optional<int64_t> parse_time_ns(std::string_view text);

/// 32 hexadecimal digits with "-" anywhere between them, or in braces.
std::optional<int128_t> parse_uuid(std::string_view text);

/// A date, or a date and a time with an optional "Z", offset or " UTC". An offset is subtracted if
/// `use_offset`, else ignored. The result is in microseconds, the remainder in `nanos`.
ParseError parse_timestamp(std::string_view text, bool use_offset, int64_t& micros, int32_t& nanos);

/// "1 year 2 days 03:04:05", "3 months ago", "-1.5 hours".
std::optional<Interval> parse_interval(std::string_view text);

}  // namespace lanewise::expr
