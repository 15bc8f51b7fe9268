#pragma once

#include "text/forms/cost.h"
#include "text/forms/form.h"
#include "text/forms/on_lanes.h"

/// What forms share that look at rows twice: candidates are found, then confirmed. Both book their cost.
namespace lanewise::text::forms {

/// The rows that a finder of lanes (LiteralFinder, SequenceFinder, RunFinder) finds.
template <class Finder>
void find(const Finder& finder, const StringRows& rows, const uint64_t* active, uint64_t* hits,
          FormState* state) {
  uint64_t candidates = 0;
  const lanes::Target ran = finder.match(to_lanes(rows), active, hits, &candidates);
  state->on_candidates += static_cast<double>(candidates) * kCandidateCost;
  if (state->stats) state->stats->ran_on(ran);
}

/// Keeps those of the rows `hits` that `exact` matches, at `cost` nanoseconds a byte.
void confirm(const Form& exact, double cost, const StringRows& rows, uint64_t* hits, FormState* state);

}  // namespace lanewise::text::forms
