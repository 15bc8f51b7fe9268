#include "text/forms/form.h"

#include <algorithm>

namespace lanewise::text::forms {

std::span<const FormKind> all_forms() {
  static constexpr auto kScan = [](const Request& request) { return request.costs().scan(1); };
  static constexpr auto kPacked = [](const Request& request) { return request.costs().packed(); };
  static constexpr auto kRows = [](const Request& request) { return request.costs().rows(); };
  static constexpr auto kLazy = [](const Request& request) { return request.costs().lazy(); };
  static constexpr auto kTail = [](const Request& request) {
    return request.pattern.lengths.only_at_end ? request.costs().scan(1) : request.costs().lazy();
  };
  static constexpr FormKind kForms[] = {
      {"all", offer_all, nullptr, false},
      {"equality", offer_equality, nullptr, false},
      {"prefix", offer_prefix, nullptr, false},
      {"suffix", offer_suffix, nullptr, false},
      {"contains", offer_contains, nullptr, false},
      {"pieces", offer_pieces, nullptr, false},
      {"runs", offer_runs, nullptr, false},
      {"sequences", offer_sequences, nullptr, false},
      {"tail", offer_tail, kTail, true},
      {"filtered", offer_filtered, kScan, false},
      {"packed", offer_packed, kPacked, true},
      {"approximated", offer_approximated, kPacked, false},
      {"rows", offer_rows, kRows, true},
      {"lazy", offer_lazy, kLazy, true},
  };
  return kForms;
}

Offer steadiest(const Request& request) {
  Offer best;
  for (const FormKind& kind : all_forms()) {
    if (!kind.steady || (best.form && kind.at_best(request) >= best.cost.per_usual_byte())) continue;
    Offer offer = kind.offer(request);
    if (!offer.form || (best.form && offer.cost.per_usual_byte() >= best.cost.per_usual_byte())) continue;
    offer.reason = std::string(kind.name) + ": " + offer.reason;
    best = std::move(offer);
  }
  return best;
}

double steadiest_at_best(const Request& request) {
  double least = request.costs().lazy();
  for (const FormKind& kind : all_forms()) {
    if (kind.steady) least = std::min(least, kind.at_best(request));
  }
  return least;
}

}  // namespace lanewise::text::forms
