#include "text/forms/literal_search.h"

#include "text/forms/candidates.h"

namespace lanewise::text::forms {

LiteralSearch::LiteralSearch(const Request& request, const std::string& needle)
    : finder_(needle),
      on_lanes_(request.target(), needle),
      cost_{.per_byte = request.costs().scan(2),
            .on_candidates = on_lanes_.expected_candidates() * kCandidateCost} {}

void LiteralSearch::match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
                          FormState* state) const {
  if (rows.size() != 0) find(on_lanes_, rows, active, hits, state);
}

std::string LiteralSearch::describe() const {
  return "searched over all rows at once on " + std::string(lanes::name(on_lanes_.target()));
}

}  // namespace lanewise::text::forms
