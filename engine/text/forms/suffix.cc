#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {

Offer offer_suffix(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin || !pieces->at_end) {
    return Offer::refusal("the pattern is not a suffix");
  }
  const std::string suffix = pieces->pieces[0];
  return Offer::of(per_row([suffix](std::string_view text) { return text.ends_with(suffix); }), "a suffix");
}

}  // namespace lanewise::text::forms
