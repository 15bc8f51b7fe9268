#include "text/forms/literal_search.h"

namespace lanewise::text::forms {
namespace {

class Contains final : public Form {
 public:
  explicit Contains(LiteralSearch search) : search_(std::move(search)) {}
  void match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    search_.match(rows, active, hits, state);
  }
  bool match(std::string_view text, FormState*) const override { return search_.in(text); }

 private:
  const LiteralSearch search_;
};

}  // namespace

Offer offer_contains(const Request& request) {
  const auto& pieces = request.pattern.pieces;
  if (!pieces || pieces->pieces.size() != 1 || pieces->at_begin || pieces->at_end) {
    return Offer::refusal("the pattern is not one text anywhere");
  }
  LiteralSearch search(request, pieces->pieces[0]);
  const std::string how = "one text anywhere, " + search.describe();
  return Offer::of(std::make_unique<Contains>(std::move(search)), how);
}

}  // namespace lanewise::text::forms
