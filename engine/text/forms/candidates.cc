#include "text/forms/candidates.h"

#include "base/bits.h"

namespace lanewise::text::forms {

void confirm(const Form& exact, double cost, const StringRows& rows, uint64_t* hits, FormState* state) {
  const size_t left = bits::count(hits, rows.size());
  if (left == 0) return;
  const double share = static_cast<double>(left) / static_cast<double>(rows.size());
  state->on_candidates +=
      static_cast<double>(left) * kPickCost + share * static_cast<double>(rows.byte_count()) * cost;
  exact.match(rows, hits, hits, state);
}

}  // namespace lanewise::text::forms
