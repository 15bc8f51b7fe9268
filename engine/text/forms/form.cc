#include "text/forms/form.h"

namespace lanewise::text::forms {

std::span<const FormKind> all_forms() {
  static constexpr auto kScan = [](lanes::Target target) { return scan_cost(target, 1); };
  static constexpr FormKind kForms[] = {
      {"all", offer_all, nullptr, false},
      {"equality", offer_equality, nullptr, false},
      {"prefix", offer_prefix, nullptr, false},
      {"suffix", offer_suffix, nullptr, false},
      {"contains", offer_contains, nullptr, false},
      {"pieces", offer_pieces, nullptr, false},
      {"runs", offer_runs, nullptr, false},
      {"sequences", offer_sequences, nullptr, false},
      {"tail", offer_tail, kScan, false},
      {"filtered", offer_filtered, kScan, false},
      {"packed", offer_packed, packed_cost, true},
      {"approximated", offer_approximated, packed_cost, false},
      {"rows", offer_rows, rows_cost, true},
      {"lazy", offer_lazy, [](lanes::Target) { return kLazyCost; }, true},
  };
  return kForms;
}

Offer steadiest(const Request& request) {
  Offer best;
  for (const FormKind& kind : all_forms()) {
    if (!kind.steady || (best.form && kind.at_best(request.target()) >= best.cost.per_usual_byte())) continue;
    Offer offer = kind.offer(request);
    if (!offer.form || (best.form && offer.cost.per_usual_byte() >= best.cost.per_usual_byte())) continue;
    offer.reason = std::string(kind.name) + ": " + offer.reason;
    best = std::move(offer);
  }
  return best;
}

}  // namespace lanewise::text::forms
