#include "data/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "data/kernels/print-inl.h"

namespace lanewise::format {

namespace {

/// Appends what put(kernel::Letters&) writes, which is not longer than `most`.
template <size_t most, class F>
void written(std::string& out, F put) {
  uint8_t text[most];
  kernel::Letters letters(text);
  put(letters);
  out.append(reinterpret_cast<const char*>(text), letters.size);
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
  uint128_t power = 1;
  for (int i = 0; i < scale; ++i) power *= 10;
  written<kernel::kDecimalLetters>(out, [&](kernel::Letters& letters) {
    kernel::put_decimal(letters, unscaled, power, static_cast<uint32_t>(scale), precision == scale);
  });
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
  written<kernel::kDateLetters>(out, [&](kernel::Letters& letters) { kernel::put_date(letters, days); });
}
void time(int64_t micros, std::string& out) {
  written<kernel::kTimeLetters>(
      out, [&](kernel::Letters& letters) { kernel::put_time(letters, micros, kernel::kMicrosPerSecond, 6); });
}
void time_ns(int64_t nanos, std::string& out) {
  written<kernel::kTimeLetters>(
      out, [&](kernel::Letters& letters) { kernel::put_time(letters, nanos, kernel::kNanosPerSecond, 9); });
}
void timestamp(int64_t value, TimeUnit unit, std::string& out) {
  written<kernel::kTimestampLetters>(out, [&](kernel::Letters& letters) {
    kernel::put_timestamp(letters, value, per_second(unit), fraction_digits(unit));
  });
}
void timestamp_tz(int64_t micros, std::string& out) {
  written<kernel::kTimestampLetters>(out, [&](kernel::Letters& letters) {
    kernel::put_timestamp(letters, micros, kernel::kMicrosPerSecond, 6, true);
  });
}
void interval(const Interval& value, std::string& out) {
  written<kernel::kIntervalLetters>(out, [&](kernel::Letters& letters) {
    kernel::put_interval(letters, {value.months, value.days, value.micros});
  });
}

void uuid(int128_t value, std::string& out) {
  const uint128_t bits = static_cast<uint128_t>(value) ^ uint128_t { 1 } << 127;
  const auto high = static_cast<uint64_t>(bits >> 64), low = static_cast<uint64_t>(bits);
  fmt::format_to(std::back_inserter(out), "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32,
                 high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

void blob(std::string_view bytes, std::string& out) {
  const kernel::Text blob{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  const size_t start = out.size();
  out.resize(start + kernel::letters_of_blob(blob));
  kernel::Letters letters(reinterpret_cast<uint8_t*>(out.data()) + start);
  kernel::put_blob(letters, blob);
}

}  // namespace lanewise::format
