#include "data/format.h"
#include "expr/casts/convert.h"
#include "expr/gpu/dates-inl.h"

namespace lanewise::expr {

namespace {

constexpr int64_t kNanosPerMicro = 1'000;

/// f(outcome, value), which is the kernel's, of each row.
template <class From, class To, class F>
Vector convert_by_kernel(const CastJob& job, F f) {
  return convert<From, To>(job, [=](From value, To& out) {
    kernel::Outcome outcome;
    out = f(outcome, value);
    return !outcome.failed;
  });
}

}  // namespace

Vector time_to_time(const CastJob& job) {
  using kernel::Outcome;
  const int64_t from = format::per_second(job.from.type);
  const int64_t to = format::per_second(job.to);
  if (job.from.type.id == TypeId::kDate) {
    return convert_by_kernel<int32_t, int64_t>(
        job, [=](Outcome& outcome, int32_t days) { return kernel::date_to_timestamp(outcome, days, to); });
  }
  if (job.to.id == TypeId::kDate) {
    return convert_by_kernel<int64_t, int32_t>(job, [=](Outcome& outcome, int64_t value) {
      return kernel::timestamp_to_date(outcome, value, from);
    });
  }
  if (job.to.id == TypeId::kTime) {
    return convert_by_kernel<int64_t, int64_t>(job, [=](Outcome& outcome, int64_t value) {
      return kernel::timestamp_to_time(outcome, value, from);
    });
  }
  return convert_by_kernel<int64_t, int64_t>(job, [=](Outcome& outcome, int64_t value) {
    return kernel::timestamp_to_timestamp(outcome, value, from, to);
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
    if (kernel::is_infinite(nanos)) return false;
    out = kernel::floor_mod(nanos, kernel::kMicrosPerDay * kNanosPerMicro);
    return true;
  });
}

}  // namespace lanewise::expr
