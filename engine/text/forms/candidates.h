#pragma once

#include <mutex>
#include <string>

#include "text/forms/cost.h"
#include "text/forms/form.h"
#include "text/forms/on_lanes.h"

/// Shared by strategies in two passes: candidates are found, then confirmed. Both count their cost.
namespace lanewise::text::forms {

/// "searched over all rows at once on avx512".
inline std::string searched(const Request& request) {
  return "searched over all rows at once on " + std::string(lanes::name(request.target()));
}

/// The rows found by a finder of lanes (LiteralFinder, SequenceFinder, RunFinder).
template <class Finder>
void find(const Finder& finder, const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
          FormState* state) {
  uint64_t candidates = 0;
  const lanes::Target ran = finder.match(rows, active, hits, &candidates);
  state->on_candidates += static_cast<double>(candidates) * kCandidateCost;
  if (state->stats) state->stats->ran_on(ran);
}

/// The cheapest data-independent strategy, made when rows first need it. The pattern must outlive it.
class Confirmation {
 public:
  explicit Confirmation(const Request& request);

  /// The state of a strategy that confirms candidates.
  struct State : FormState {
    std::unique_ptr<FormState> confirming;  // made together with the strategy
  };

  /// Clears the bits of rows that do not match.
  void keep(const lanes::StringRows& rows, uint64_t* hits, FormState* state) const;
  bool match(std::string_view text, FormState* state) const;

 private:
  const Offer& steady() const;
  FormState* inner(FormState* state) const;

  const Request request_;
  mutable std::once_flag once_;
  mutable Offer steady_;
};

}  // namespace lanewise::text::forms
