#include "text/forms/literals/fixed_text.h"

namespace lanewise::text::forms {
namespace {

Offer offer_prefix(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || !pieces->at_begin || pieces->at_end) {
    return Offer::refusal("the pattern is not a prefix");
  }
  return fixed_text(request, pieces->pieces[0], lanes::Place::begin, "a prefix");
}

}  // namespace

extern const FormKind kPrefix = {.name = "prefix",
                                 .offer = offer_prefix,
                                 .gpu = GpuKernel{.header = "needle",
                                                  .call = "match_fixed<{offset}, false, false>(job)",
                                                  .cost = GpuCost::kEnds,
                                                  .needle = [](const detail::CompiledPattern& pattern) {
                                                    return gpu_needle(pattern, true, false);
                                                  }}};

}  // namespace lanewise::text::forms
