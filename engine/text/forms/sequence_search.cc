#include "text/forms/sequence_search.h"

#include "text/forms/candidates.h"

namespace lanewise::text::forms {

SequenceSearch::SequenceSearch(const Request& request, const std::vector<lanes::Sequence>& sequences)
    : count_(sequences.size()),
      on_lanes_(request.target(), sequences),
      cost_{.per_byte = request.costs().scan(on_lanes_.places()),
            .on_candidates = lanes::expected_candidates(sequences) * kCandidateCost} {}

void SequenceSearch::match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
                           FormState* state) const {
  if (rows.count != 0) find(on_lanes_, rows, active, hits, state);
}

std::string SequenceSearch::what() const {
  return count_ == 1 ? "a sequence of bytes" : "one of " + std::to_string(count_) + " sequences of bytes";
}

}  // namespace lanewise::text::forms
