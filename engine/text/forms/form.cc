#include "text/forms/form.h"

#include <algorithm>

namespace lanewise::text::forms {

// A line for each strategy; those with a cheap offer() come first.
#define LANEWISE_FORMS(FORM) \
  FORM(kAll)                 \
  FORM(kEquality)            \
  FORM(kPrefix)              \
  FORM(kSuffix)              \
  FORM(kContains)            \
  FORM(kPieces)              \
  FORM(kRuns)                \
  FORM(kSequences)           \
  FORM(kWords)               \
  FORM(kTail)                \
  FORM(kFiltered)            \
  FORM(kPacked)              \
  FORM(kApproximated)        \
  FORM(kRows)                \
  FORM(kLazy)

#define FORM(kind) extern const FormKind kind;
LANEWISE_FORMS(FORM)
#undef FORM

std::span<const FormKind* const> all_forms() {
#define FORM(kind) &(kind),
  static constexpr const FormKind* kForms[] = {LANEWISE_FORMS(FORM)};
#undef FORM
  return kForms;
}

Offer steadiest(const Request& request) {
  Offer best;
  for (const FormKind* kind : all_forms()) {
    if (!kind->steady || (best.form && kind->at_best(request) >= best.cost.per_usual_byte())) continue;
    Offer offer = kind->offer(request);
    if (!offer.form || (best.form && offer.cost.per_usual_byte() >= best.cost.per_usual_byte())) continue;
    offer.reason = std::string(kind->name) + ": " + offer.reason;
    best = std::move(offer);
  }
  return best;
}

double steadiest_at_best(const Request& request) {
  double least = request.costs().lazy();
  for (const FormKind* kind : all_forms()) {
    if (kind->steady) least = std::min(least, kind->at_best(request));
  }
  return least;
}

}  // namespace lanewise::text::forms
