#include "text/forms/candidates.h"

#include "base/bits.h"

namespace lanewise::text::forms {
namespace {

Request by_choice(Request request) {
  request.forced = false;
  return request;
}

}  // namespace

Confirmation::Confirmation(const Request& request) : request_(by_choice(request)) {}

const Offer& Confirmation::steady() const {
  std::call_once(once_, [this] { steady_ = steadiest(request_); });
  return steady_;
}

FormState* Confirmation::inner(FormState* state) const {
  auto& confirming = static_cast<State*>(state)->confirming;
  if (!confirming) confirming = steady().form->make_state();
  confirming->stats = state->stats;
  return confirming.get();
}

void Confirmation::keep(const lanes::StringRows& rows, uint64_t* hits, FormState* state) const {
  const size_t left = bits::count(hits, rows.count);
  if (left == 0) return;
  const double share = static_cast<double>(left) / static_cast<double>(rows.count);
  state->on_candidates += static_cast<double>(left) * (kPickCost + steady().cost.per_row) +
                          share * static_cast<double>(rows.byte_count()) * steady().cost.per_byte;
  steady().form->match(rows, hits, hits, inner(state));
}

bool Confirmation::match(std::string_view text, FormState* state) const {
  return steady().form->match(text, inner(state));
}

}  // namespace lanewise::text::forms
