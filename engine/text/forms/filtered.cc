#include "text/forms/candidates.h"
#include "text/forms/literal_search.h"
#include "text/forms/sequence_search.h"

namespace lanewise::text::forms {
namespace {

/// What every match contains is searched first; the rows that hold it become the active set of an automaton.
class Filtered final : public Form {
 public:
  Filtered(std::unique_ptr<Form> search, const Request& request)
      : search_(std::move(search)),
        confirm_(steadiest_on_demand(request)),
        confirm_cost_(request.costs().automaton()) {}
  std::unique_ptr<FormState> make_state() const override { return confirm_->make_state(); }
  void match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    search_->match(rows, active, hits, state);
    confirm(*confirm_, confirm_cost_, rows, hits, state);
  }
  bool match(std::string_view text, FormState* state) const override {
    return search_->match(text, state) && confirm_->match(text, state);
  }

 private:
  const std::unique_ptr<Form> search_;
  const std::unique_ptr<Form> confirm_;
  const double confirm_cost_;
};

/// The only text of the sequences, or nothing.
std::string only_text(const std::vector<lanes::Sequence>& sequences) {
  std::string text;
  if (sequences.size() != 1) return text;
  for (const auto& bytes : sequences[0]) {
    if (bytes.count() != 1) return {};
    text += static_cast<char>(bytes._Find_first());
  }
  return text;
}

}  // namespace

Offer offer_filtered(const Request& request) {
  const literals::Sequences& sequences = request.pattern.sequences();
  if (sequences.any.empty()) return Offer::refusal("no text is in every match");
  if (request.pattern.start_condition().only_at_begin && !request.forced) {
    return Offer::refusal("the pattern starts at the beginning, where most rows are decided");
  }
  std::unique_ptr<Form> search;
  std::string how;
  Cost cost;
  if (const std::string text = only_text(sequences.any); !text.empty()) {
    auto literal = std::make_unique<LiteralSearch>(request, text);
    how = "'" + text + "' is in every match, " + literal->describe();
    cost = literal->cost();
    search = std::move(literal);
  } else {
    auto several = std::make_unique<SequenceSearch>(request, sequences.any);
    how = "in every match is one of " + several->describe();
    cost = several->cost();
    search = std::move(several);
  }
  how += ", then an automaton";
  // A row is looked at again for each candidate found by chance, as long as those are few.
  const double candidates = cost.on_candidates / kCandidateCost;
  cost.on_candidates += candidates * kPickCost + std::min(1.0, 64 * candidates) * request.costs().automaton();
  return Offer::of(std::make_unique<Filtered>(std::move(search), request), how, cost);
}

}  // namespace lanewise::text::forms
