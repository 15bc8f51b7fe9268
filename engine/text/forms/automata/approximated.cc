#include "text/automaton/approximation.h"
#include "text/forms/candidates.h"

namespace lanewise::text::forms {
namespace {

/// A small automaton with false positives runs packed; the exact one confirms its candidates.
class Approximated final : public Form {
 public:
  Approximated(lanes::Target target, automaton::CompleteAutomaton coarse, const Request& request)
      : coarse_(std::move(coarse)),
        packed_(on_lanes(target, lanes::Form::packed, coarse_, request)),
        exact_(request) {}
  std::unique_ptr<FormState> make_state() const override { return std::make_unique<Confirmation::State>(); }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    if (rows.count == 0) return;
    packed_->match(rows, active, hits, state);
    exact_.keep(rows, hits, state);
  }
  bool match(std::string_view text, FormState* state) const override { return exact_.match(text, state); }

 private:
  const automaton::CompleteAutomaton coarse_;
  const std::unique_ptr<Form> packed_;
  const Confirmation exact_;
};

Offer offer_approximated(const Request& request) {
  const automaton::CompleteAutomaton* exact = request.pattern.automaton();
  if (exact == nullptr) return Offer::refusal("the automaton is too large to complete");
  const lanes::Target target = request.target();
  const auto fits = [&](const automaton::CompleteAutomaton& automaton) {
    return lanes::offers(target, lanes::Form::packed, automaton.view());
  };
  const bool small = fits(*exact);
  if (small && !request.forced) return Offer::refusal("the whole automaton fits");
  auto coarse = automaton::approximate(*exact, [&](const automaton::CompleteAutomaton& automaton) {
    return fits(automaton) && (!small || 2 * automaton.states <= exact->states + 1);
  });
  if (!coarse)
    return Offer::refusal("too little of the automaton fits on " + std::string(lanes::name(target)));
  constexpr double kLeft = 0.1;  // fraction of rows to confirm; an estimate until it is measured
  const std::string how = size_of(*coarse) + " of " + size_of(*exact) + " in registers of " +
                          std::string(lanes::name(target)) + ", then the whole automaton";
  const Cost cost{.per_byte = request.costs().packed(entries_of(*coarse)),
                  .on_candidates = kLeft * request.costs().rows()};
  return Offer::of(std::make_unique<Approximated>(target, std::move(*coarse), request), how, cost);
}

double approximated_at_best(const Request& request) { return request.costs().packed(); }

}  // namespace

extern const FormKind kApproximated = {
    .name = "approximated", .offer = offer_approximated, .at_best = approximated_at_best};

}  // namespace lanewise::text::forms
