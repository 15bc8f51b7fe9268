#include "text/forms/sequence_search.h"

namespace lanewise::text::forms {

Offer offer_sequences(const Request& request) {
  const literals::Sequences& sequences = request.pattern.sequences();
  if (!sequences.exact)
    return Offer::refusal("the pattern is not one of a few short texts or classes anywhere");
  auto search = std::make_unique<SequenceSearch>(request, sequences.any);
  const std::string how = search->what() + " " + search->how();
  const Cost cost = search->cost();
  return Offer::of(std::move(search), how, cost);
}

}  // namespace lanewise::text::forms
