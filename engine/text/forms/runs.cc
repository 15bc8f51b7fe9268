#include "base/bits.h"
#include "lanes/search/find_runs.h"
#include "text/forms/candidates.h"

namespace lanewise::text::forms {
namespace {

/// One run of characters. If some of them have several bytes, a run of single bytes is still a match;
/// of the other rows, only those with a run of any of its bytes go through an automaton.
class Runs final : public Form {
 public:
  Runs(const Request& request, const literals::Run& run)
      : bytes_(request.target(), run.bytes, run.length), shortest_(run.length), confirmation_(request) {
    if (!run.exact()) maybe_.emplace(request.target(), run.maybe, run.length);
  }
  std::unique_ptr<FormState> make_state() const override { return std::make_unique<Confirmation::State>(); }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    if (rows.count == 0) return;
    if (!maybe_) return find(bytes_, rows, active, hits, state);
    const size_t words = bits::words(rows.count);
    std::vector<uint64_t> sure(words), others(words);
    find(bytes_, rows, active, sure.data(), state);
    for (size_t w = 0; w < words; ++w) others[w] = (active ? active[w] : ~uint64_t{0}) & ~sure[w];
    keep_long(rows, shortest_, others.data());
    find(*maybe_, rows, others.data(), others.data(), state);
    confirmation_.keep(rows, others.data(), state);
    for (size_t w = 0; w < words; ++w) hits[w] = sure[w] | others[w];
  }
  bool match(std::string_view text, FormState* state) const override {
    return confirmation_.match(text, state);
  }

 private:
  const lanes::RunFinder bytes_;
  std::optional<lanes::RunFinder> maybe_;
  const size_t shortest_;
  const Confirmation confirmation_;
};

Offer offer_runs(const Request& request) {
  const std::optional<literals::Run> run =
      literals::find_run(request.pattern.ast, request.pattern.full_match);
  if (!run) return Offer::refusal("the pattern is not one run of a class of characters");
  const bool fits = run->bytes.any() && run->length <= lanes::RunFinder::kLongest &&
                    lanes::RunFinder::offers(run->bytes) && lanes::RunFinder::offers(run->maybe);
  if (!fits) return Offer::refusal("the run is too long, or its class has no simple bytes");
  if (run->length == 1 && !run->exact() && request.pattern.sequences().exact && !request.forced)
    return Offer::refusal("one character is a sequence");
  std::string how = "a run of " + std::to_string(run->length) + ", " + searched(request);
  if (!run->exact()) how += ", other rows by an automaton";
  // A row is examined at most once; if the class is common, most rows are.
  const Cost cost{.per_byte = 2 * request.costs().scan(1), .on_candidates = kCandidateCost / kUsualRow / 2};
  return Offer::of(std::make_unique<Runs>(request, *run), how, cost);
}

}  // namespace

extern const FormKind kRuns = {.name = "runs", .offer = offer_runs};

}  // namespace lanewise::text::forms
