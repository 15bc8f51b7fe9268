#include "expr/numbers.h"
#include "expr/casts/convert.h"

namespace lanewise::expr {

namespace {

/// Whether every From is a To, near enough.
template <class To, class From>
constexpr bool holds_all() {
  if (std::is_floating_point_v<To>) return !std::is_floating_point_v<From> || sizeof(To) >= sizeof(From);
  if (std::is_floating_point_v<From>) return false;
  return is_signed<From> == is_signed<To> ? sizeof(To) >= sizeof(From)
                                          : is_signed<To> && sizeof(To) > sizeof(From);
}

template <class From, class To>
Vector cast_number(const CastJob& job) {
  const auto each = [](kernel::Outcome& outcome, From value) {
    return kernel::to_number<To>(outcome, value);
  };
  if constexpr (holds_all<To, From>()) return convert_all_by<From, To>(job, each);
  return convert_by<From, To>(job, each);
}

}  // namespace

Vector number_to_number(const CastJob& job) {
  const bool to_boolean = job.to.id == TypeId::kBool;
  return visit_number(job.from.type.physical(), [&](auto from) {
    using From = decltype(from);
    if (to_boolean) return convert_all<From, uint8_t>(job, [](From value) { return uint8_t{value != 0}; });
    return visit_number(job.to.physical(), [&](auto to) { return cast_number<From, decltype(to)>(job); });
  });
}

}  // namespace lanewise::expr
