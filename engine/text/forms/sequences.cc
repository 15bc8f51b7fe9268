#include "text/forms/candidates.h"
#include "text/forms/sequence_search.h"

namespace lanewise::text::forms {
namespace {

Offer offer_sequences(const Request& request) {
  const literals::Sequences& sequences = request.pattern.sequences();
  if (!sequences.exact)
    return Offer::refusal("the pattern is not one of a few short texts or classes anywhere");
  auto search = std::make_unique<SequenceSearch>(request, sequences.any);
  const std::string how = search->what() + ", " + searched(request);
  const Cost cost = search->cost();
  return Offer::of(std::move(search), how, cost);
}

}  // namespace

extern const FormKind kSequences = {.name = "sequences", .offer = offer_sequences};

}  // namespace lanewise::text::forms
