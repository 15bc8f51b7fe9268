#include "text/forms/literal_search.h"

#include <algorithm>

#include "text/forms/candidates.h"

namespace lanewise::text::forms {
namespace {

/// A row is done at the first position that is a match.
double expected_candidates(const lanes::LiteralFinder& finder) {
  const double most = finder.exact() ? 1 / kUsualRow : 1;
  return std::min(finder.expected_candidates(), most);
}

}  // namespace

LiteralSearch::LiteralSearch(const Request& request, const std::string& needle)
    : finder_(needle),
      on_lanes_(request.target(), needle),
      cost_{.per_byte = request.costs().scan(2),
            .on_candidates = expected_candidates(on_lanes_) * kCandidateCost} {}

void LiteralSearch::match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
                          FormState* state) const {
  if (rows.count != 0) find(on_lanes_, rows, active, hits, state);
}

}  // namespace lanewise::text::forms
