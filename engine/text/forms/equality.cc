#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {

Offer offer_equality(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || !pieces->at_begin || !pieces->at_end || pieces->pieces.size() > 1) {
    return Offer::refusal("the pattern is not one whole text");
  }
  const std::string whole = pieces->pieces.empty() ? std::string() : pieces->pieces[0];
  return Offer::of(per_row([whole](std::string_view text) { return text == whole; }), "one whole text");
}

}  // namespace lanewise::text::forms
