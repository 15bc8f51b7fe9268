#include <algorithm>

#include "data/format.h"
#include "data/kernels/print-inl.h"
#include "data/packed.h"
#include "expr/casts/characters.h"
#include "expr/casts/convert.h"
#include "expr/casts/parse.h"
#include "expr/gpu/casts/parse_times-inl.h"
#include "expr/gpu/strings/texts-inl.h"
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

/// put(letters, value), of which each text is not longer than `most`, where allowed(value).
template <class T, uint64_t most, class Allowed, class F>
Vector written_if(const CastJob& job, Allowed allowed, F put) {
  return convert<T, std::string_view>(job, [&](const T& value, std::string_view& out) {
    if (!allowed(value)) return false;
    kernel::Letters letters(job.arena.allocate<uint8_t>(most));
    put(letters, value);
    out = view({letters.to, letters.size});
    return true;
  });
}
template <class T, uint64_t most, class F>
Vector written(const CastJob& job, F put) {
  return written_if<T, most>(job, [](const T&) { return true; }, put);
}

template <TimeUnit unit>
Vector timestamps_to_text(const CastJob& job) {
  constexpr int64_t kPerSecond = format::per_second(unit);
  return written_if<int64_t, kernel::kTimestampLetters>(
      job, [](int64_t value) { return kernel::has_text(value, kPerSecond); },
      [](kernel::Letters& out, int64_t value) {
        kernel::put_timestamp(out, value, kPerSecond, format::fraction_digits(unit));
      });
}
Vector timestamps_to_text(const CastJob& job) {
  switch (job.from.type.unit) {
    case TimeUnit::kSecond:
      return timestamps_to_text<TimeUnit::kSecond>(job);
    case TimeUnit::kMilli:
      return timestamps_to_text<TimeUnit::kMilli>(job);
    case TimeUnit::kMicro:
      return timestamps_to_text<TimeUnit::kMicro>(job);
    default:
      return timestamps_to_text<TimeUnit::kNano>(job);
  }
}

template <class T>
Vector decimals_to_text(const CastJob& job) {
  const Type from = job.from.type;
  const auto power = static_cast<uint128_t>(power_of_ten(from.scale));
  const auto scale = static_cast<uint32_t>(from.scale);
  return written<T, kernel::kDecimalLetters>(job, [=](kernel::Letters& out, const T& value) {
    kernel::put_decimal(out, value, power, scale, from.precision == from.scale);
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
      return convert<std::string_view, std::string_view>(
          job, [&](std::string_view text, std::string_view& out) {
            kernel::Outcome outcome;
            ArenaRoom room(job.arena);
            out = view(kernel::text_to_blob(outcome, room, kernel_text(text)));
            return !outcome.failed;
          });
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
    case TypeId::kDecimal:
      return from.physical() == Physical::kInt64 ? decimals_to_text<int64_t>(job)
                                                 : decimals_to_text<int128_t>(job);
    case TypeId::kDate:
      return written<int32_t, kernel::kDateLetters>(job, kernel::put_date);
    case TypeId::kTime:
      return written<int64_t, kernel::kTimeLetters>(job, [](kernel::Letters& out, int64_t micros) {
        kernel::put_time(out, micros, kernel::kMicrosPerSecond, 6);
      });
    case TypeId::kTimeNs:
      return written<int64_t, kernel::kTimeLetters>(job, [](kernel::Letters& out, int64_t nanos) {
        kernel::put_time(out, nanos, kernel::kNanosPerSecond, 9);
      });
    case TypeId::kUuid:
      return printed<int128_t>(job, format::uuid);
    case TypeId::kTimestamp:
      return timestamps_to_text(job);
    case TypeId::kTimestampTz:
      return written<int64_t, kernel::kTimestampLetters>(job, [](kernel::Letters& out, int64_t micros) {
        kernel::put_timestamp(out, micros, kernel::kMicrosPerSecond, 6, true);
      });
    case TypeId::kInterval:
      return written<Interval, kernel::kIntervalLetters>(
          job,
          [](kernel::Letters& out, const Interval& value) { kernel::put_interval(out, to_kernel(value)); });
    case TypeId::kBlob:
      return convert<std::string_view, std::string_view>(
          job, [&](std::string_view blob, std::string_view& out) {
            kernel::Outcome outcome;
            ArenaRoom room(job.arena);
            out = view(kernel::blob_to_text(outcome, room, kernel_text(blob)));
            return true;
          });
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
