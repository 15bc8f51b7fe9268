#include "text/forms/candidates.h"
#include "text/forms/literal_search.h"

namespace lanewise::text::forms {
namespace {

Offer offer_contains(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin || pieces->at_end) {
    return Offer::refusal("the pattern is not one text anywhere");
  }
  auto search = std::make_unique<LiteralSearch>(request, pieces->pieces[0]);
  const Cost cost = search->cost();
  return Offer::of(std::move(search), "one text anywhere, " + searched(request), cost);
}

}  // namespace

extern const FormKind kContains = {.name = "contains",
                                   .offer = offer_contains,
                                   .gpu = GpuKernel{.header = "needle",
                                                    .call = "match_anywhere<{offset}>(job)",
                                                    .cost = GpuCost::kText,
                                                    .tests_all_rows = true,
                                                    .needle = [](const detail::CompiledPattern& pattern) {
                                                      return gpu_needle(pattern, false, false);
                                                    }}};

}  // namespace lanewise::text::forms
