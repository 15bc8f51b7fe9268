#include "data/format.h"
#include "expr/casts/convert.h"
#include "expr/dates/calendar.h"

namespace lanewise::expr {

namespace {

constexpr int64_t kNanosPerMicro = 1'000;

/// Timestamps with zone count microseconds.
TimeUnit time_unit_of(Type type) { return type.id == TypeId::kTimestampTz ? TimeUnit::kMicro : type.unit; }

}  // namespace

Vector time_to_time(const CastJob& job) {
  const TimeUnit from = time_unit_of(job.from.type);
  const TimeUnit to = time_unit_of(job.to);
  if (job.from.type.id == TypeId::kDate) {
    return convert<int32_t, int64_t>(job, [=](int32_t days, int64_t& out) {
      const std::optional<int64_t> micros = timestamp_of(days, 0);
      const std::optional<int64_t> value = micros ? timestamp_in(*micros, 0, to) : std::nullopt;
      if (value) out = *value;
      return value.has_value();
    });
  }
  if (job.to.id == TypeId::kDate) {
    return convert<int64_t, int32_t>(job, [=](int64_t value, int32_t& out) {
      const std::optional<int64_t> micros = micros_in(value, from);
      if (micros) out = date_of(*micros);
      return micros.has_value();
    });
  }
  if (job.to.id == TypeId::kTime) {
    return convert<int64_t, int64_t>(job, [=](int64_t value, int64_t& out) {
      const std::optional<int64_t> micros = micros_in(value, from);
      if (!micros || !is_finite(*micros)) return false;
      out = floor_mod(*micros, kMicrosPerDay);
      return true;
    });
  }
  return convert<int64_t, int64_t>(job, [=](int64_t value, int64_t& out) {
    const std::optional<int64_t> micros = micros_in(value, from);
    const std::optional<int64_t> result = micros ? timestamp_in(*micros, 0, to) : std::nullopt;
    if (result) out = *result;
    return result.has_value();
  });
}

Vector time_to_time_ns(const CastJob& job) {
  return convert<int64_t, int64_t>(job, [](int64_t micros, int64_t& out) {
    return !__builtin_mul_overflow(micros, kNanosPerMicro, &out);
  });
}

Vector time_ns_to_time(const CastJob& job) {  // rounded half up
  return convert<int64_t, int64_t>(job, [](int64_t nanos, int64_t& out) {
    if (__builtin_add_overflow(nanos, kNanosPerMicro / 2, &out)) return false;
    out /= kNanosPerMicro;
    return true;
  });
}

Vector timestamp_to_time_ns(const CastJob& job) {
  return convert<int64_t, int64_t>(job, [](int64_t nanos, int64_t& out) {
    if (!is_finite(nanos)) return false;
    out = floor_mod(nanos, kMicrosPerDay * kNanosPerMicro);
    return true;
  });
}

}  // namespace lanewise::expr
