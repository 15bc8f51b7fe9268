#include "text/forms/form.h"

namespace lanewise::text::forms {

std::span<const FormKind> all_forms() {
  static constexpr FormKind kForms[] = {
      {"all", offer_all},       {"equality", offer_equality}, {"prefix", offer_prefix},
      {"suffix", offer_suffix}, {"contains", offer_contains}, {"pieces", offer_pieces},
      {"packed", offer_packed}, {"filtered", offer_filtered}, {"rows", offer_rows},
      {"lazy", offer_lazy},
  };
  return kForms;
}

}  // namespace lanewise::text::forms
