#include "text/forms/literal_search.h"

#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {

LiteralSearch::LiteralSearch(const Request& request, const std::string& needle)
    : finder_(needle), on_lanes_(request.lanes.value_or(lanes::simd()), needle) {}

void LiteralSearch::match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
                          FormState* state) const {
  if (rows.size() == 0) return;
  const lanes::Target ran = on_lanes_.match(to_lanes(rows), active, hits);
  if (state->stats) state->stats->ran_on(ran);
}

std::string LiteralSearch::describe() const {
  return "searched over all rows at once on " + std::string(lanes::name(on_lanes_.target()));
}

}  // namespace lanewise::text::forms
