#include "expr/arithmetic/operators.h"

#include <fmt/format.h>

namespace lanewise::expr {

namespace {

const char* verb(Sign sign) {
  switch (sign) {
    case Sign::kPlus:
      return "addition";
    case Sign::kMinus:
      return "subtraction";
    case Sign::kTimes:
      return "multiplication";
  }
  return "";
}

}  // namespace

void overflow(Sign sign, std::string_view type, const std::string& a, const std::string& b) {
  throw UserError(
      fmt::format("Overflow in {} of {} ({} {} {})!", verb(sign), type, a, static_cast<char>(sign), b));
}

void decimal_overflow(Sign sign, bool wide, const std::string& a, const std::string& b) {
  throw UserError(
      fmt::format("Overflow in {} of DECIMAL({}) ({} {} {}). You might want to add an explicit cast to a {}.",
                  verb(sign), wide ? 38 : 18, a, static_cast<char>(sign), b,
                  wide ? "decimal with a smaller scale" : "bigger decimal"));
}

}  // namespace lanewise::expr
