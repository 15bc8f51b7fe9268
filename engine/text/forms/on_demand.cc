#include <mutex>

#include "text/forms/form.h"

namespace lanewise::text::forms {
namespace {

/// The cheapest steady form, made when rows first ask for it.
class OnDemand final : public Form {
 public:
  explicit OnDemand(const Request& request) : request_(request) {}
  std::unique_ptr<FormState> make_state() const override { return std::make_unique<State>(); }
  void match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    made().form->match(rows, active, hits, state_in(state));
  }
  bool match(std::string_view text, FormState* state) const override {
    return made().form->match(text, state_in(state));
  }

 private:
  struct State final : FormState {
    std::unique_ptr<FormState> inner;
  };

  const Offer& made() const {
    std::call_once(once_, [this] { offer_ = steadiest(request_); });
    return offer_;
  }
  FormState* state_in(FormState* state) const {
    auto& inner = static_cast<State*>(state)->inner;
    if (!inner) inner = made().form->make_state();
    inner->stats = state->stats;
    return inner.get();
  }

  const Request request_;
  mutable std::once_flag once_;
  mutable Offer offer_;
};

}  // namespace

std::unique_ptr<Form> steadiest_on_demand(const Request& request) {
  Request chosen = request;
  chosen.forced = false;
  return std::make_unique<OnDemand>(chosen);
}

}  // namespace lanewise::text::forms
