#pragma once

#include "expr/casts/cast.h"
#include "expr/conversion_error.h"
#include "expr/gpu/casts-inl.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

/// A cast to perform: the active rows are not NULL.
struct CastJob {
  const Vector& from;
  Type to;
  bool try_cast;
  const ActiveSet& rows;
  Arena& arena;
};

/// f(From, To&) returns whether the value could be converted.
template <class From, class To, class F>
Vector convert(const CastJob& job, F f) {
  To* out;
  Vector result = new_vector<To>(job.to, job.rows.rows(), job.arena, out);
  const Reader<From> in(job.from);
  uint64_t* validity = nullptr;
  // Inlined by force: a unit of many sources exceeds what the compiler inlines, and a call doubles the time.
  job.rows.for_each([&](uint32_t row) __attribute__((always_inline)) {
    if (f(in[row], out[row])) return;
    if (!job.try_cast) throw ConversionError(cast_error(value_at(job.from, row), job.to), row);
    if (validity == nullptr) validity = all_ones(job.rows.rows(), job.arena);
    bits::clear(validity, row);
    out[row] = To{};
  });
  result.validity = validity;
  return result;
}

/// For conversions that always succeed: f(From) is cheap and may be called for any bits.
template <class From, class To, class F>
Vector convert_all(const CastJob& job, F f) {
  To* out;
  Vector result = new_vector<To>(job.to, job.rows.rows(), job.arena, out);
  const From* in = job.from.as<From>();
  if (job.rows.density() >= 0.25) {
    for (uint32_t row = 0; row < job.rows.rows(); ++row) out[row] = f(in[row]);
  } else {
    job.rows.for_each([&](uint32_t row) { out[row] = f(in[row]); });
  }
  return result;
}

/// By a function of expr/gpu/casts-inl.h: f(Outcome&, From) says whether the value could be converted.
template <class From, class To, class F>
Vector convert_by(const CastJob& job, F f) {
  return convert<From, To>(job, [=](From value, To& out) __attribute__((always_inline, flatten)) {
    kernel::Outcome outcome;
    out = f(outcome, value);
    return !outcome.failed;
  });
}
/// The same where it always succeeds.
template <class From, class To, class F>
Vector convert_all_by(const CastJob& job, F f) {
  return convert_all<From, To>(job, [=](From value) __attribute__((always_inline, flatten)) -> To {
    kernel::Outcome ignored;
    return f(ignored, value);
  });
}

// The groups of casts; each takes the types that its name says (numbers include decimals and booleans).
Vector number_to_number(const CastJob& job);
Vector decimal_to_number(const CastJob& job);
Vector number_to_decimal(const CastJob& job);
Vector decimal_to_decimal(const CastJob& job);
Vector text_to_any(const CastJob& job);
Vector any_to_text(const CastJob& job);
Vector time_to_time(const CastJob& job);
Vector time_to_time_ns(const CastJob& job);
Vector time_ns_to_time(const CastJob& job);
Vector timestamp_to_time_ns(const CastJob& job);  // of nanoseconds
Vector nested_to_nested(const CastJob& job);
/// Whether the component types of a nested type can be cast.
bool can_cast_members(Type from, Type to);
Vector uuid_to_blob(const CastJob& job);
Vector blob_to_uuid(const CastJob& job);

}  // namespace lanewise::expr
