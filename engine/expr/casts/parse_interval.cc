#include "expr/casts/date_part.h"
#include "expr/casts/parse.h"
#include "expr/gpu/casts/parse_interval-inl.h"

namespace lanewise::expr {

std::optional<Interval> parse_interval(std::string_view text) {
  kernel::Interval found{};
  if (!kernel::parse_interval(kernel_text(text), kernel_text(interval_words()), found)) return std::nullopt;
  return Interval{found.months, found.days, found.micros};
}

}  // namespace lanewise::expr
