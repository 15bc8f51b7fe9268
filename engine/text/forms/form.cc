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

const std::string* gpu_needle(const detail::CompiledPattern& pattern, bool at_begin, bool at_end) {
  const auto& pieces = pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin != at_begin || pieces->at_end != at_end)
    return nullptr;
  const std::string& needle = pieces->pieces[0];
  return needle.empty() || needle.size() > kMostGpuNeedle ? nullptr : &needle;
}

const FormKind& gpu_form(const detail::CompiledPattern& pattern, bool all_rows, bool only_automata) {
  const auto supports = [&](const GpuKernel& kernel) {
    if (kernel.needle == nullptr) return true;
    const bool in_reach = !only_automata && (all_rows || !kernel.tests_all_rows);
    return in_reach && kernel.needle(pattern) != nullptr;
  };
  const auto found = std::ranges::find_if(
      all_forms(), [&](const FormKind* kind) { return kind->gpu && supports(*kind->gpu); });
  return **found;
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
