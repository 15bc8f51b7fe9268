#include "text/forms/literals/fixed_text.h"

namespace lanewise::text::forms {
namespace {

Offer offer_equality(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || !pieces->at_begin || !pieces->at_end || pieces->pieces.size() > 1) {
    return Offer::refusal("the pattern is not one whole text");
  }
  return fixed_text(request, pieces->pieces.empty() ? std::string() : pieces->pieces[0], lanes::Place::whole,
                    "one whole text");
}

}  // namespace

extern const FormKind kEquality = {.name = "equality",
                                   .offer = offer_equality,
                                   .gpu = GpuKernel{.header = "needle",
                                                    .call = "match_fixed<{offset}, false, true>(job)",
                                                    .cost = GpuCost::kEnds,
                                                    .needle = [](const detail::CompiledPattern& pattern) {
                                                      return gpu_needle(pattern, true, true);
                                                    }}};

}  // namespace lanewise::text::forms
