#include "text/forms/literal_search.h"

namespace lanewise::text::forms {
namespace {

constexpr size_t kShortest = 2;  // bytes; shorter texts are found too often to be worth the look

/// A text that every match contains is searched first; the rows that hold it become the active set of an
/// automaton.
class Filtered final : public Form {
 public:
  Filtered(LiteralSearch search, std::unique_ptr<Form> confirm)
      : search_(std::move(search)), confirm_(std::move(confirm)) {}
  std::unique_ptr<FormState> make_state() const override { return confirm_->make_state(); }
  void match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    search_.match(rows, active, hits, state);
    confirm_->match(rows, hits, hits, state);
  }
  bool match(std::string_view text, FormState* state) const override {
    return search_.in(text) && confirm_->match(text, state);
  }

 private:
  const LiteralSearch search_;
  const std::unique_ptr<Form> confirm_;
};

}  // namespace

Offer offer_filtered(const Request& request) {
  const std::string& text = request.pattern.required;
  if (text.empty()) return Offer::refusal("no text is in every match");
  if (request.pattern.start_condition().only_at_begin && !request.forced) {
    return Offer::refusal("the pattern starts at the beginning, where most rows are decided");
  }
  if (text.size() < kShortest && !request.forced)
    return Offer::refusal("the text in every match is too short");
  Request without_form = request;
  without_form.forced = false;
  Offer confirm = offer_packed(without_form);
  if (!confirm.form) confirm = offer_rows(without_form);
  if (!confirm.form) confirm = offer_lazy(without_form);
  LiteralSearch search(request, text);
  const std::string how =
      "'" + text + "' is in every match, " + search.describe() + ", then " + confirm.reason;
  return Offer::of(std::make_unique<Filtered>(std::move(search), std::move(confirm.form)), how);
}

}  // namespace lanewise::text::forms
