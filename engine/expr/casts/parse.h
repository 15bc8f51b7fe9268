#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/int128.h"
#include "data/type.h"
#include "expr/vectors/kernel_function.h"

/// Parses values as SQL's CAST does; returns nothing if the text is not such a value. Spaces around
/// numbers and times are skipped.
namespace lanewise::expr {

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

/// 32 hexadecimal digits with "-" anywhere between them, or in braces.
std::optional<int128_t> parse_uuid(std::string_view text);

/// "1 year 2 days 03:04:05", "3 months ago", "-1.5 hours".
std::optional<Interval> parse_interval(std::string_view text);

}  // namespace lanewise::expr
