#include "text/pattern_set.h"

#include "base/error.h"
#include "text/forms/cost.h"
#include "text/forms/on_lanes.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text {

std::optional<PatternSet> PatternSet::make(std::span<const Pattern> patterns, Which which,
                                           const Limits& limits) {
  invariant(!patterns.empty() && patterns.size() <= 64, "a set has 1 to 64 patterns");
  std::vector<const automaton::CompleteAutomaton*> automata;
  for (const Pattern& pattern : patterns) {
    automata.push_back(pattern.compiled().automaton());
    if (automata.back() == nullptr) return std::nullopt;
  }
  // A state consists of a state of each automaton.
  const size_t most_states = std::min(limits.automaton_states, limits.automaton_work / 256 / patterns.size());
  std::optional<automaton::Product> product = automaton::product(automata, which, most_states);
  if (!product) return std::nullopt;
  return PatternSet(std::move(*product));
}

uint8_t PatternSet::match(std::string_view text) const {
  return product_->automaton.labels[product_->automaton.last_state(text)];
}

double SetMatcher::least_cost() { return forms::Costs(lanes::simd(), {}).automaton(); }

SetMatcher::SetMatcher(const PatternSet& set, const MatcherOptions& options) : product_(set.product_) {
  const automaton::CompleteAutomaton& automaton = product_->automaton;
  const lanes::AutomatonView view = automaton.view();
  lanes::Target target = options.lanes.empty() ? lanes::simd() : lanes::require_target(options.lanes);
  const forms::Costs costs(target, options.tuning);
  const bool offered = lanes::offers(target, lanes::Form::packed, view);
  const bool packed =
      options.form != "rows" && offered && (options.form == "packed" || costs.packed() < costs.rows());
  if (!packed && !lanes::offers(target, lanes::Form::rows, view)) target = lanes::Target::interleaved;
  if ((!packed && options.form == "packed") ||
      (!options.form.empty() && options.form != "packed" && options.form != "rows"))
    throw UserError("the match strategy '" + options.form + "' does not support these patterns");
  lanes::RowOptions on_rows = options.tuning.rows(target);
  if (options.refill_below != 0) on_rows.refill_below = options.refill_below;
  lanes_ = std::make_shared<lanes::RowMatcher>(target, packed ? lanes::Form::packed : lanes::Form::rows, view,
                                               on_rows, automaton.labels.data());
  cost_ = packed ? costs.packed() : costs.rows();
  description_ = (packed ? "packed (registers of " : "rows (automaton on lanes of ") +
                 std::string(lanes::name(target)) + ", " + forms::size_of(automaton) + ")";
  if (!offered)
    description_ += "; not offered: packed";
  else
    description_ +=
        "; costlier: " + (packed ? "rows " + show_cost(costs.rows()) : "packed " + show_cost(costs.packed()));
}

void SetMatcher::match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits, uint8_t* codes,
                       lanes::Stats* stats) const {
  if (rows.count == 0) return;
  const lanes::Target ran = lanes_->match(rows, active, hits, codes, stats);
  if (stats) stats->ran_on(ran);
}

}  // namespace lanewise::text
