#include "data/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "data/kernels/calendar-inl.h"

namespace lanewise::format {

namespace {

using kernel::floor_div;
using kernel::floor_mod;
using kernel::kMicrosPerSecond;
constexpr int64_t kSecondsPerDay = 86'400;

/// A number with leading zeros, so that it has at least `digits` characters. fmt takes several times as
/// long.
void padded(int64_t value, int digits, std::string& out) {
  if (value < 0) {  // not a valid time
    out += '-';
    value = -value;
    --digits;
  }
  char text[20];
  char* first = std::end(text);
  for (; value != 0 || digits > 0; value /= 10, --digits) *--first = static_cast<char>('0' + value % 10);
  out.append(first, std::end(text));
}

/// ".123" for 123000 millionths: `digits` digits without trailing zeros, nothing for 0.
void fraction(int64_t value, int digits, std::string& out) {
  if (value == 0) return;
  out += '.';
  padded(value, digits, out);
  while (out.back() == '0') out.pop_back();
}

/// Seconds since midnight and a fraction in 1 / per_second(unit).
void clock(int64_t seconds, int64_t rest, int digits, std::string& out) {
  padded(seconds / 3600, 2, out);
  out += ':';
  padded(seconds / 60 % 60, 2, out);
  out += ':';
  padded(seconds % 60, 2, out);
  fraction(rest, digits, out);
}

int digits_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSecond:
      return 0;
    case TimeUnit::kMilli:
      return 3;
    case TimeUnit::kMicro:
      return 6;
    case TimeUnit::kNano:
      return 9;
  }
  return 0;
}

void calendar(int64_t days, std::string& out) {
  const kernel::Date date = kernel::civil(days);
  const bool bc = date.year <= 0;
  padded(bc ? 1 - date.year : date.year, 4, out);
  out += '-';
  padded(date.month, 2, out);
  out += '-';
  padded(date.day, 2, out);
  if (bc) out += " (BC)";
}

bool infinite(int64_t value, int64_t infinity, std::string& out) {
  if (value == infinity) out += "infinity";
  if (value == -infinity) out += "-infinity";
  return value == infinity || value == -infinity;
}

/// A number as an odd one times a power of two.
uint64_t odd_part(uint64_t value) { return value >> std::countr_zero(value); }

/// Whether digits * 10^exponent, which is close to `value`, equals it. `value` has at most 25 significant
/// bits.
bool is_exactly(double value, uint64_t digits, int exponent) {
  if (digits == 0 || exponent > 10 || exponent < -14) return false;  // beyond 5^11 and 10^10 / 5^14
  uint64_t power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 5;
  int ignored;
  const auto significand = static_cast<uint64_t>(std::ldexp(std::frexp(value, &ignored), 53));
  return odd_part(digits) * (exponent > 0 ? power : 1) == odd_part(significand) * (exponent < 0 ? power : 1);
}

/// Whether a single number of the fewest digits is nearest to `value`, and nearer to it than to the next
/// floats.
bool is_clear(float value) {
  char text[32];
  const char* end = std::to_chars(text, std::end(text), value, std::chars_format::scientific).ptr;
  const char* const e = std::find(static_cast<const char*>(text), end, 'e');
  uint64_t digits = 0;
  int exponent = 0;
  for (const char* c = text; c != e; ++c) {
    if (*c != '.') digits = digits * 10 + static_cast<uint64_t>(*c - '0');
  }
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  exponent -= std::max<int>(static_cast<int>(e - text) - 2, 0);

  const double exact = value;
  if (is_exactly(exact, digits * 10 + 5, exponent - 1) || is_exactly(exact, digits * 10 - 5, exponent - 1))
    return false;
  for (const float limit : {0.0F, std::numeric_limits<float>::infinity()}) {
    const double border = (exact + static_cast<double>(std::nextafter(value, limit))) / 2;
    if (is_exactly(border, digits, exponent)) return false;
    // Fewer digits, if the bound itself does not round to `value`.
    if (is_exactly(border, digits / 10, exponent + 1) || is_exactly(border, digits / 10 + 1, exponent + 1))
      return false;
  }
  return true;
}

template <class T>
void shortest(T value, std::string& out) {
  if (std::isnan(value)) {
    out += std::signbit(value) ? "-nan" : "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  const size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

}  // namespace

void boolean(bool value, std::string& out) { out += value ? "true" : "false"; }
void integer(int64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}
void integer(int128_t value, std::string& out) { out += to_string(value); }
void integer(uint128_t value, std::string& out) { out += to_string(value); }

void decimal(int128_t unscaled, int precision, int scale, std::string& out) {
  if (unscaled < 0) out += '-';
  std::string digits =
      to_string(unscaled < 0 ? -static_cast<uint128_t>(unscaled) : static_cast<uint128_t>(unscaled));
  if (scale == 0) {
    out += digits;
    return;
  }
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, 1, '.');
  if (precision == scale) digits.erase(0, 1);
  out += digits;
}

void real(float value, std::string& out) {
  if (std::isfinite(value) && value != 0 && !is_clear(std::fabs(value))) {
    shortest(static_cast<double>(value), out);
  } else {
    shortest(value, out);
  }
}
void real(double value, std::string& out) { shortest(value, out); }

void date(int32_t days, std::string& out) {
  if (days == kDateInfinity || days == kDateNegativeInfinity) {
    out += days < 0 ? "-infinity" : "infinity";
    return;
  }
  calendar(days, out);
}

void time(int64_t micros, std::string& out) {
  clock(micros / kMicrosPerSecond, micros % kMicrosPerSecond, 6, out);
}

void time_ns(int64_t nanos, std::string& out) {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  clock(nanos / kNanosPerSecond, nanos % kNanosPerSecond, 9, out);
}

void timestamp(int64_t value, TimeUnit unit, std::string& out) {
  if (infinite(value, kTimestampInfinity, out)) return;
  const int64_t seconds = floor_div(value, per_second(unit));
  const int64_t days = floor_div(seconds, kSecondsPerDay);
  calendar(days, out);
  out += ' ';
  clock(floor_mod(seconds, kSecondsPerDay), floor_mod(value, per_second(unit)), digits_of(unit), out);
}

void timestamp_tz(int64_t micros, std::string& out) {
  timestamp(micros, TimeUnit::kMicro, out);
  if (micros != kTimestampInfinity && micros != kTimestampNegativeInfinity) out += "+00";
}

void interval(const Interval& value, std::string& out) {
  const size_t start = out.size();
  const auto part = [&](int64_t count, const char* unit) {
    if (count == 0) return;
    if (out.size() != start) out += ' ';
    fmt::format_to(std::back_inserter(out), "{} {}{}", count, unit, count == 1 || count == -1 ? "" : "s");
  };
  part(value.months / 12, "year");
  part(value.months % 12, "month");
  part(value.days, "day");
  if (value.micros != 0 || out.size() == start) {
    if (out.size() != start) out += ' ';
    if (value.micros < 0) out += '-';
    const uint64_t micros =
        value.micros < 0 ? -static_cast<uint64_t>(value.micros) : static_cast<uint64_t>(value.micros);
    clock(static_cast<int64_t>(micros / kMicrosPerSecond), static_cast<int64_t>(micros % kMicrosPerSecond), 6,
          out);
  }
}

void uuid(int128_t value, std::string& out) {
  const uint128_t bits = static_cast<uint128_t>(value) ^ uint128_t { 1 } << 127;
  const auto high = static_cast<uint64_t>(bits >> 64), low = static_cast<uint64_t>(bits);
  fmt::format_to(std::back_inserter(out), "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32,
                 high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

void blob(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    if (c >= 32 && c < 127 && c != '\\' && c != '\'' && c != '"') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
}

}  // namespace lanewise::format
