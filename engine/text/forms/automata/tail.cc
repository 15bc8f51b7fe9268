#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {
namespace {

/// Short matches at the end of the row: the packed automaton reads the last bytes of each row.
Offer offer_tail(const Request& request) {
  constexpr size_t kLongest = 64, kBlock = 16;
  const literals::Lengths& lengths = request.pattern.lengths;
  if (!lengths.only_at_end) return Offer::refusal("matches need not end with the row");
  if (!lengths.longest_match || *lengths.longest_match > kLongest)
    return Offer::refusal("matches at the row's end may be long");
  const automaton::CompleteAutomaton* automaton = request.pattern.automaton();
  const lanes::Target target = request.target();
  if (automaton == nullptr || !lanes::offers(target, lanes::Form::packed, automaton->view()))
    return Offer::refusal("the automaton is not offered on " + std::string(lanes::name(target)));
  const auto last = static_cast<uint32_t>(*lengths.longest_match);
  const size_t blocks = (last + kBlock - 1) / kBlock;
  return Offer::of(
      on_lanes(target, lanes::Form::packed, *automaton, request, last),
      "the last " + std::to_string(last) + " bytes of each row in registers of " +
          std::string(lanes::name(target)) + ", " + size_of(*automaton),
      {.per_row = request.costs().packed(entries_of(*automaton)) * static_cast<double>(blocks * kBlock) +
                  kTestCost});
}

double tail_at_best(const Request& request) {
  return request.pattern.lengths.only_at_end ? request.costs().scan(1) : request.costs().lazy();
}

}  // namespace

extern const FormKind kTail = {.name = "tail", .offer = offer_tail, .at_best = tail_at_best, .steady = true};

}  // namespace lanewise::text::forms
