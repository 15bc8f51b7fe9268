#include "data/value.h"

#include <cmath>
#include <tuple>

#include "base/error.h"
#include "data/format.h"
#include "data/packed.h"

namespace lanewise {

namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int order_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return order(std::isnan(a) ? 1 : 0, std::isnan(b) ? 1 : 0);
  return order(a, b);
}

/// By whole months, then days, then microseconds, after microseconds are carried to days and days, 30 each,
/// to months.
int order_intervals(const Interval& a, const Interval& b) {
  constexpr int64_t kDay = 86'400'000'000;
  const auto normalised = [](const Interval& value) {
    const int64_t days = value.days + value.micros / kDay;
    return std::tuple(value.months + days / 30, days % 30, value.micros % kDay);
  };
  return order(normalised(a), normalised(b));
}

}  // namespace

int compare(const Value& a, const Value& b) {
  invariant(a.held().index() == b.held().index(), "compared values are of one type");
  switch (a.held().index()) {
    case 1:
      return order(a.integer(), b.integer());
    case 2:
      return order(a.natural(), b.natural());
    case 3:
      return order_reals(a.real(), b.real());
    case 4:
      return order_intervals(a.interval(), b.interval());
    case 5:
      return order(a.text().compare(b.text()), 0);
    default:
      throw InternalError("NULL has no order");
  }
}

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_ || a.is_null() != b.is_null()) return false;
  return a.is_null() || compare(a, b) == 0;
}

std::string Value::to_string() const {
  if (is_null()) return "NULL";
  std::string out;
  switch (type_.id) {
    case TypeId::kNull:
      return "NULL";
    case TypeId::kBool:
      format::boolean(integer() != 0, out);
      break;
    case TypeId::kDecimal:
      format::decimal(integer(), type_.precision, type_.scale, out);
      break;
    case TypeId::kFloat32:
      format::real(static_cast<float>(real()), out);
      break;
    case TypeId::kFloat64:
      format::real(real(), out);
      break;
    case TypeId::kDate:
      format::date(static_cast<int32_t>(integer()), out);
      break;
    case TypeId::kTime:
      format::time(static_cast<int64_t>(integer()), out);
      break;
    case TypeId::kTimeNs:
      format::time_ns(static_cast<int64_t>(integer()), out);
      break;
    case TypeId::kUuid:
      format::uuid(integer(), out);
      break;
    case TypeId::kTimestamp:
      format::timestamp(static_cast<int64_t>(integer()), type_.unit, out);
      break;
    case TypeId::kTimestampTz:
      format::timestamp_tz(static_cast<int64_t>(integer()), out);
      break;
    case TypeId::kInterval:
      format::interval(interval(), out);
      break;
    case TypeId::kVarchar:
      return text();
    case TypeId::kBlob:
      format::blob(text(), out);
      break;
    case TypeId::kList:
    case TypeId::kArray:
    case TypeId::kStruct:
    case TypeId::kMap:
      packed::print(type_, text(), out);
      break;
    default:
      if (type_.is_unsigned_integer()) {
        format::integer(natural(), out);
      } else {
        format::integer(integer(), out);
      }
  }
  return out;
}

}  // namespace lanewise
