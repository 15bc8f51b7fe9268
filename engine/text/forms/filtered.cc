#include <algorithm>
#include <array>

#include "base/bits.h"
#include "text/forms/candidates.h"
#include "text/forms/literal_search.h"
#include "text/forms/sequence_search.h"

namespace lanewise::text::forms {
namespace {

/// Finds rows that contain one of several sequences.
struct Search {
  std::unique_ptr<Form> form;
  Cost cost;
  std::string what;
};

/// The only string of the sequences, or nothing.
std::string only_text(const literals::SequenceSet& sequences) {
  std::string text;
  if (sequences.size() != 1) return text;
  for (const auto& bytes : sequences[0]) {
    if (bytes.count() != 1) return {};
    text += static_cast<char>(bytes._Find_first());
  }
  return text;
}

Search search_for(const literals::SequenceSet& sequences, const Request& request) {
  if (const std::string text = only_text(sequences); !text.empty()) {
    auto literal = std::make_unique<LiteralSearch>(request, text);
    const Cost cost = literal->cost();
    return {std::move(literal), cost, "'" + text + "'"};
  }
  auto several = std::make_unique<SequenceSearch>(request, sequences);
  const Cost cost = several->cost();
  std::string what = several->what();
  return {std::move(several), cost, std::move(what)};
}

/// A sequence that every match contains is searched first; the rows with it become the active set of an
/// automaton. If several are known, the one that a sample of rows shows to be the cheapest is searched.
class Filtered final : public Form {
 public:
  Filtered(std::vector<Search> searches, const Request& request)
      : searches_(std::move(searches)), confirmation_(request), confirm_cost_(request.costs().automaton()) {}
  std::unique_ptr<FormState> make_state() const override { return std::make_unique<State>(); }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    if (rows.count == 0) return;
    cheapest(rows, static_cast<State&>(*state)).match(rows, active, hits, state);
    confirmation_.keep(rows, hits, state);
  }
  bool match(std::string_view text, FormState* state) const override {
    return searches_[0].form->match(text, state) && confirmation_.match(text, state);
  }

 private:
  struct State final : Confirmation::State {
    const Search* chosen = nullptr;
    int batches_left = 0;  // until the next sample
  };

  const Form& cheapest(const lanes::StringRows& rows, State& state) const {
    constexpr int kPatience = 32;
    if (searches_.size() > 1 && --state.batches_left < 0) {
      state.chosen = &*std::ranges::min_element(searches_, {},
                                                [&](const Search& search) { return spent(search, rows); });
      state.batches_left = kPatience;
    }
    return *(state.chosen ? *state.chosen : searches_[0]).form;
  }

  /// Nanoseconds spent on the first rows.
  double spent(const Search& search, const lanes::StringRows& rows) const {
    constexpr size_t kMost = 1024, kShare = 16;
    const lanes::StringRows some = rows.first(std::min(kMost, (rows.count + kShare - 1) / kShare));
    const auto bytes = static_cast<double>(some.byte_count());
    std::array<uint64_t, kMost / 64> hits;
    FormState state;
    search.form->match(some, nullptr, hits.data(), &state);
    const auto left = static_cast<double>(bits::count(hits.data(), some.count));
    return bytes * search.cost.per_byte + state.on_candidates +
           left * (kPickCost + bytes / static_cast<double>(some.count) * confirm_cost_);
  }

  const std::vector<Search> searches_;
  const Confirmation confirmation_;
  const double confirm_cost_;
};

Offer offer_filtered(const Request& request) {
  const literals::Sequences& sequences = request.pattern.sequences();
  if (sequences.any.empty()) return Offer::refusal("no text is in every match");
  if (request.pattern.start_condition().only_at_begin && !request.forced) {
    return Offer::refusal("the pattern starts at the beginning, where most rows are decided");
  }
  std::vector<Search> searches;
  searches.push_back(search_for(sequences.any, request));
  Cost cost = searches[0].cost;
  std::string how = "in every match is " + searches[0].what + ", " + searched(request);
  for (const literals::SequenceSet& other : sequences.others) {
    Search search = search_for(other, request);
    if (kUsualRow * search.cost.on_candidates >= kCandidateCost) continue;  // in nearly every row
    searches.push_back(std::move(search));
    how += ", or " + searches.back().what + " where that is rarer";
  }
  how += ", then an automaton";
  // A row is examined again for each false candidate, as long as they are few.
  const double candidates = cost.on_candidates / kCandidateCost;
  cost.on_candidates +=
      candidates * kPickCost + std::min(1.0, kUsualRow * candidates) * request.costs().automaton();
  return Offer::of(std::make_unique<Filtered>(std::move(searches), request), how, cost);
}

double filtered_at_best(const Request& request) { return request.costs().scan(1); }

}  // namespace

extern const FormKind kFiltered = {.name = "filtered", .offer = offer_filtered, .at_best = filtered_at_best};

}  // namespace lanewise::text::forms
