#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {
namespace {

/// 32 or 64 rows in one register, with the whole automaton in registers, too.
Offer offer_packed(const Request& request) {
  const automaton::CompleteAutomaton* automaton = request.pattern.automaton();
  if (automaton == nullptr) return Offer::refusal("the automaton is too large to complete");
  lanes::Target target = request.lanes.value_or(lanes::simd());
  // By default the emulated registers are for machines without others; forced, they are for tests.
  if (!request.lanes && request.forced && target == lanes::Target::interleaved)
    target = lanes::Target::emulated;
  const std::string on = std::string(lanes::name(target)) + ", " + size_of(*automaton);
  if (!lanes::offers(target, lanes::Form::packed, automaton->view()))
    return Offer::refusal("not offered on " + on);
  return Offer::of(on_lanes(target, lanes::Form::packed, *automaton, request), "registers of " + on,
                   {.per_byte = Costs(target, request.tuning).packed(entries_of(*automaton))});
}

double packed_at_best(const Request& request) { return request.costs().packed(); }

}  // namespace

extern const FormKind kPacked = {
    .name = "packed", .offer = offer_packed, .at_best = packed_at_best, .steady = true};

}  // namespace lanewise::text::forms
