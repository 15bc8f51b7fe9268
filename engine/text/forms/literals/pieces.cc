#include <algorithm>
#include <vector>

#include "text/forms/candidates.h"
#include "text/forms/literal_search.h"
#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {
namespace {

/// Several strings in order, with any bytes between them. Rows that contain the longest are tested one by
/// one.
class Pieces final : public Form {
 public:
  Pieces(const literals::Pieces& pieces, std::unique_ptr<LiteralSearch> longest)
      : at_begin_(pieces.at_begin), at_end_(pieces.at_end), longest_(std::move(longest)) {
    for (const std::string& piece : pieces.pieces) finders_.emplace_back(piece);
  }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    longest_->match(rows, active, hits, state);
    match_each(rows, hits, hits, [this](std::string_view text) { return matches(text); });
  }
  bool match(std::string_view text, FormState*) const override { return matches(text); }

 private:
  /// Each piece at its earliest position: if any placement fits, this one does.
  bool matches(std::string_view text) const {
    size_t first = 0, last = finders_.size();
    if (at_begin_) {
      const std::string& prefix = finders_[first++].needle();
      if (!text.starts_with(prefix)) return false;
      text.remove_prefix(prefix.size());
    }
    if (at_end_) {
      const std::string& suffix = finders_[--last].needle();
      if (!text.ends_with(suffix)) return false;
      text.remove_suffix(suffix.size());
    }
    for (; first < last; ++first) {
      const char* at = finders_[first].find(text.data(), text.data() + text.size());
      if (at == nullptr) return false;
      text.remove_prefix(at - text.data() + finders_[first].needle().size());
    }
    return true;
  }

  const bool at_begin_;
  const bool at_end_;
  const std::unique_ptr<LiteralSearch> longest_;
  std::vector<Finder> finders_;
};

Offer offer_pieces(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces) return Offer::refusal("the pattern is more than literal texts");
  if (pieces->pieces.size() < 2) return Offer::refusal("the pattern has fewer than two texts");
  auto longest = std::make_unique<LiteralSearch>(
      request, *std::ranges::max_element(pieces->pieces, {}, &std::string::size));
  const std::string how =
      std::to_string(pieces->pieces.size()) + " texts in order, the longest " + searched(request);
  const Cost cost = longest->cost();
  return Offer::of(std::make_unique<Pieces>(*pieces, std::move(longest)), how, cost);
}

}  // namespace

extern const FormKind kPieces = {.name = "pieces", .offer = offer_pieces};

}  // namespace lanewise::text::forms
