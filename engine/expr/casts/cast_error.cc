#include <fmt/format.h>

#include "expr/casts/cast.h"
#include "expr/gpu/casts/parse_times-inl.h"
#include "expr/numbers.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

std::string text_error(const std::string& text, Type to) {
  using kernel::ParseError;
  ParseError error = ParseError::kFormat;
  kernel::i64 micros = 0;
  kernel::i32 nanos = 0;
  switch (to.id) {
    case TypeId::kDecimal:
      return fmt::format("Could not convert string \"{}\" to {}", text, to.name());
    case TypeId::kDate: {
      kernel::i32 days = 0;
      kernel::Text rest{};
      if (kernel::parse_date(kernel_text(text), days, rest) == ParseError::kRange)
        return fmt::format("date field value out of range: \"{}\"", text);
      return fmt::format("invalid date field format: \"{}\", expected format is (YYYY-MM-DD)", text);
    }
    case TypeId::kTime:
    case TypeId::kTimeNs:
      return fmt::format(
          "time field value out of range: \"{}\", expected format is ([YYYY-MM-DD ]HH:MM:SS[.MS])", text);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      error = kernel::parse_timestamp(kernel_text(text), true, micros, nanos);
      if (error == ParseError::kRange) return fmt::format("timestamp field value out of range: \"{}\"", text);
      if (error == ParseError::kZone)
        return fmt::format("timestamp field value \"{}\" has a time zone that is not UTC", text);
      return fmt::format(
          "invalid timestamp field format: \"{}\", expected format is (YYYY-MM-DD "
          "HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE])",
          text);
    case TypeId::kBlob:
      return fmt::format(
          "Invalid byte or escape in string -> blob conversion of string \"{}\": bytes that are not ASCII "
          "and "
          "backslashes are written as \\xAA",
          text);
    case TypeId::kUuid:
      return fmt::format("Could not convert string '{}' to UUID", text);
    default:
      return fmt::format("Could not convert string '{}' to {}", text, internal_name(to.physical()));
  }
}

std::string rounded(const Value& decimal) {
  return expr::cast(decimal, Type::decimal(38, 0), false).to_string();
}

}  // namespace

std::string cast_error(const Value& from, Type to) {
  const Type type = from.type();
  if (type.is_string()) return text_error(from.to_string(), to);
  if (type.id == TypeId::kDecimal && to.id == TypeId::kDecimal) {
    return fmt::format("Casting value \"{}\" to type {} failed: value is out of range!", from.to_string(),
                       to.name());
  }
  if (type.id == TypeId::kDecimal) {
    return fmt::format("Failed to cast decimal value {} to type {}", rounded(from),
                       internal_name(to.physical()));
  }
  if (to.id == TypeId::kDecimal) {
    const std::string value = type.is_float() ? fmt::format("{:f}", from.real()) : from.to_string();
    return fmt::format("Could not cast value {} to {}", value, to.name());
  }
  if (to.id == TypeId::kTimestamp || to.id == TypeId::kTimestampTz || to.id == TypeId::kTime ||
      to.id == TypeId::kTimeNs || to.id == TypeId::kDate) {
    return fmt::format("{} {} can't be cast to {}: out of range", type.name(), from.to_string(), to.name());
  }
  return fmt::format(
      "Type {} with value {} can't be cast because the value is out of range for the destination type {}",
      internal_name(type.physical()), from.to_string(), internal_name(to.physical()));
}

}  // namespace lanewise::expr
