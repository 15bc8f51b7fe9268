#pragma once

#include <string>

#include "expr/casts/date_part.h"
#include "expr/function.h"

/// The parts of single dates, times, timestamps (in microseconds) and intervals. Raise UserError if the
/// type has no such part. Infinite values have no parts: callers check.
namespace lanewise::expr {

int64_t part_of_date(DatePart part, int32_t days);
int64_t part_of_time(DatePart part, int64_t micros);
int64_t part_of_timestamp(DatePart part, int64_t timestamp);
int64_t part_of_interval(DatePart part, const Interval& interval);

/// The name of a part, for messages: "year".
std::string_view word_of(DatePart part);

/// The prepared state of functions with a constant part.
struct PreparedPart final : Prepared {
  DatePart part;
};
/// For functions whose first argument names a part; nothing is prepared if it is not a literal.
std::shared_ptr<const Prepared> prepare_part(std::span<const ExprPtr> args);
/// The prepared part, or the one that `word` names; raises UserError for unknown ones.
DatePart part_in(const Expr& expr, std::string_view word);

}  // namespace lanewise::expr
