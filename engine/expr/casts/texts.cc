#include <algorithm>

#include "data/format.h"
#include "data/packed.h"
#include "expr/casts/characters.h"
#include "expr/casts/convert.h"
#include "expr/casts/parse.h"
#include "expr/gpu/casts/parse_times-inl.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

template <class T, class F>
Vector parsed(const CastJob& job, F parse) {
  return convert<std::string_view, T>(job, [&](std::string_view text, T& out) {
    const auto value = parse(text);
    if (value) out = static_cast<T>(*value);
    return value.has_value();
  });
}

/// f(outcome, text), which is the kernel's, of each row.
template <class T, class F>
Vector parsed_by_kernel(const CastJob& job, F f) {
  return convert<std::string_view, T>(job, [&](std::string_view text, T& out) {
    kernel::Outcome outcome;
    out = f(outcome, kernel_text(text));
    return !outcome.failed;
  });
}
int64_t time_ns(kernel::Outcome& outcome, kernel::Text text) {
  kernel::i64 micros = 0;
  kernel::i32 nanos = 0;
  outcome.failed |= !kernel::parse_time(text, micros, nanos);
  return outcome.failed ? 0 : micros * 1'000 + nanos;
}

/// ASCII, with \xHH for any byte.
std::optional<std::string_view> parse_blob(std::string_view text, Arena& arena) {
  auto* bytes = arena.allocate<char>(text.size());
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
      const int high = hex_digit(text[i + 2]);
      const int low = hex_digit(text[i + 3]);
      if (high < 0 || low < 0) return std::nullopt;
      bytes[count++] = static_cast<char>(high * 16 + low);
      i += 3;
    } else if (static_cast<unsigned char>(text[i]) >= 128) {
      return std::nullopt;
    } else {
      bytes[count++] = text[i];
    }
  }
  return std::string_view(bytes, count);
}

/// format(value, std::string&) of each row.
template <class T, class F>
Vector printed(const CastJob& job, F format) {
  std::string_view* out;
  const Vector result = new_vector<std::string_view>(job.to, job.rows.rows(), job.arena, out);
  const Reader<T> in(job.from);
  std::string text;
  job.rows.for_each([&](uint32_t row) {
    text.clear();
    format(in[row], text);
    out[row] = job.arena.copy(text);
  });
  return result;
}

template <class F>
Vector printed_timestamps(const CastJob& job, F format) {
  const int64_t per_second = format::per_second(job.from.type);
  const int64_t first = kernel::first_midnight(per_second), last = kernel::last_timestamp(per_second);
  std::string text;
  return convert<int64_t, std::string_view>(job, [&](int64_t value, std::string_view& out) {
    if ((value < first || value > last) && !kernel::is_infinite(value)) return false;
    text.clear();
    format(value, text);
    out = job.arena.copy(text);
    return true;
  });
}

}  // namespace

Vector text_to_any(const CastJob& job) {
  const Type to = job.to;
  switch (to.id) {
    case TypeId::kBool:
      return parsed<uint8_t>(job, parse_boolean);
    case TypeId::kFloat32:
      return parsed<float>(job, parse_real<float>);
    case TypeId::kFloat64:
      return parsed<double>(job, parse_real<double>);
    case TypeId::kDecimal: {
      const auto parse = [&](std::string_view text) { return parse_decimal(text, to.precision, to.scale); };
      return to.physical() == Physical::kInt64 ? parsed<int64_t>(job, parse) : parsed<int128_t>(job, parse);
    }
    case TypeId::kDate:
      return parsed_by_kernel<int32_t>(job, kernel::text_to_date);
    case TypeId::kTime:
      return parsed_by_kernel<int64_t>(job, kernel::text_to_time);
    case TypeId::kTimeNs:
      return parsed_by_kernel<int64_t>(job, time_ns);
    case TypeId::kUuid:
      return parsed<int128_t>(job, parse_uuid);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return parsed_by_kernel<int64_t>(job, [&](kernel::Outcome& outcome, kernel::Text text) {
        const bool use_offset = to.id == TypeId::kTimestampTz || to.unit == TimeUnit::kNano;
        return kernel::text_to_timestamp(outcome, text, format::per_second(to.unit), use_offset);
      });
    case TypeId::kInterval:
      return parsed<Interval>(job, parse_interval);
    case TypeId::kBlob:
      return parsed<std::string_view>(job,
                                      [&](std::string_view text) { return parse_blob(text, job.arena); });
    default:
      return visit_integer(to.physical(), [&](auto zero) {
        return parsed<decltype(zero)>(job, parse_integer<decltype(zero)>);
      });
  }
}

Vector any_to_text(const CastJob& job) {
  const Type from = job.from.type;
  switch (from.id) {
    case TypeId::kBool:
      return printed<uint8_t>(job, [](uint8_t value, std::string& out) { format::boolean(value != 0, out); });
    case TypeId::kFloat32:
      return printed<float>(job, [](float value, std::string& out) { format::real(value, out); });
    case TypeId::kFloat64:
      return printed<double>(job, [](double value, std::string& out) { format::real(value, out); });
    case TypeId::kDecimal: {
      const auto print = [&](auto value, std::string& out) {
        format::decimal(value, from.precision, from.scale, out);
      };
      return from.physical() == Physical::kInt64 ? printed<int64_t>(job, print)
                                                 : printed<int128_t>(job, print);
    }
    case TypeId::kDate:
      return printed<int32_t>(job, format::date);
    case TypeId::kTime:
      return printed<int64_t>(job, format::time);
    case TypeId::kTimeNs:
      return printed<int64_t>(job, format::time_ns);
    case TypeId::kUuid:
      return printed<int128_t>(job, format::uuid);
    case TypeId::kTimestamp:
      return printed_timestamps(
          job, [&](int64_t value, std::string& out) { format::timestamp(value, from.unit, out); });
    case TypeId::kTimestampTz:
      return printed<int64_t>(job, format::timestamp_tz);
    case TypeId::kInterval:
      return printed<Interval>(job, format::interval);
    case TypeId::kBlob:
      return printed<std::string_view>(job, format::blob);
    case TypeId::kList:
    case TypeId::kArray:
    case TypeId::kStruct:
    case TypeId::kMap:
      return printed<std::string_view>(
          job, [&](std::string_view value, std::string& out) { packed::print(from, value, out); });
    default:
      return visit_integer(from.physical(), [&](auto zero) {
        using T = decltype(zero);
        return printed<T>(job, [](T value, std::string& out) {
          if constexpr (sizeof(T) == 16 || std::is_same_v<T, uint64_t>) {
            out += number_text(value);
          } else {
            format::integer(static_cast<int64_t>(value), out);
          }
        });
      });
  }
}

}  // namespace lanewise::expr
