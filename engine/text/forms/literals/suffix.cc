#include "text/forms/literals/fixed_text.h"

namespace lanewise::text::forms {
namespace {

Offer offer_suffix(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin || !pieces->at_end) {
    return Offer::refusal("the pattern is not a suffix");
  }
  return fixed_text(request, pieces->pieces[0], lanes::Place::end, "a suffix");
}

}  // namespace

extern const FormKind kSuffix = {.name = "suffix",
                                 .offer = offer_suffix,
                                 .gpu = GpuKernel{.header = "needle",
                                                  .call = "match_fixed<{offset}, true, false>(job)",
                                                  .cost = GpuCost::kEnds,
                                                  .needle = [](const detail::CompiledPattern& pattern) {
                                                    return gpu_needle(pattern, false, true);
                                                  }}};

}  // namespace lanewise::text::forms
