#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {

namespace {

class OnLanes final : public Form {
 public:
  OnLanes(lanes::Target target, lanes::Form form, const automaton::CompleteAutomaton& automaton,
          lanes::RowOptions options)
      : automaton_(automaton), matcher_(target, form, automaton.view(), options) {}
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    if (rows.count == 0) return;
    const lanes::Target ran = matcher_.match(rows, active, hits, state->stats);
    if (state->stats) state->stats->ran_on(ran);
  }
  bool match(std::string_view text, FormState*) const override { return automaton_.matches(text); }

 private:
  const automaton::CompleteAutomaton& automaton_;
  const lanes::RowMatcher matcher_;
};

}  // namespace

std::unique_ptr<Form> on_lanes(lanes::Target target, lanes::Form form,
                               const automaton::CompleteAutomaton& automaton, const Request& request,
                               uint32_t last_bytes) {
  lanes::RowOptions options = request.tuning.rows(target);
  if (request.refill_below != 0) options.refill_below = request.refill_below;
  options.last_bytes = last_bytes;
  return std::make_unique<OnLanes>(target, form, automaton, options);
}

size_t entries_of(const automaton::CompleteAutomaton& automaton) {
  return size_t{automaton.states} * automaton.classes;
}

std::string size_of(const automaton::CompleteAutomaton& automaton) {
  return std::to_string(automaton.states) + " states x " + std::to_string(automaton.classes) + " classes";
}

}  // namespace lanewise::text::forms
