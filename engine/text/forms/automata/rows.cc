#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {
namespace {

/// A row per lane; lanes that have finished take the next row.
Offer offer_rows(const Request& request) {
  const automaton::CompleteAutomaton* automaton = request.pattern.automaton();
  if (automaton == nullptr) return Offer::refusal("the automaton is too large to complete");
  const bool offered = request.lanes && lanes::offers(*request.lanes, lanes::Form::rows, automaton->view());
  if (request.lanes && request.forced && !offered) {
    return Offer::refusal("not offered on " + std::string(lanes::name(*request.lanes)));
  }
  const lanes::Target target = offered ? *request.lanes : lanes::Target::interleaved;
  return Offer::of(on_lanes(target, lanes::Form::rows, *automaton, request),
                   "automaton on lanes of " + std::string(lanes::name(target)) + ", " + size_of(*automaton),
                   {.per_byte = request.costs().rows()});
}

double rows_at_best(const Request& request) { return request.costs().rows(); }

}  // namespace

extern const FormKind kRows = {
    .name = "rows",
    .offer = offer_rows,
    .at_best = rows_at_best,
    .steady = true,
    .gpu = GpuKernel{
        .header = "match", .call = "match<{offset}, Asked::{rows}, {shared}>(job)", .cost = GpuCost::kSteps}};

}  // namespace lanewise::text::forms
