#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {

Offer offer_prefix(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || !pieces->at_begin || pieces->at_end) {
    return Offer::refusal("the pattern is not a prefix");
  }
  const std::string prefix = pieces->pieces[0];
  return Offer::of(per_row([prefix](std::string_view text) { return text.starts_with(prefix); }), "a prefix");
}

}  // namespace lanewise::text::forms
