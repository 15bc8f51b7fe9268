#include "text/forms/literal_search.h"

namespace lanewise::text::forms {

Offer offer_contains(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin || pieces->at_end) {
    return Offer::refusal("the pattern is not one text anywhere");
  }
  auto search = std::make_unique<LiteralSearch>(request, pieces->pieces[0]);
  const std::string how = "one text anywhere, " + search->describe();
  const Cost cost = search->cost();
  return Offer::of(std::move(search), how, cost);
}

}  // namespace lanewise::text::forms
