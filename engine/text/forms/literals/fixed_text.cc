#include "text/forms/literals/fixed_text.h"

#include "text/forms/on_lanes.h"

namespace lanewise::text::forms {
namespace {

class FixedText final : public Form {
 public:
  FixedText(lanes::Target target, std::string text, lanes::Place place)
      : finder_(target, std::move(text), place), place_(place) {}

  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    if (rows.count == 0) return;
    const lanes::Target ran = finder_.match(rows, active, hits);
    if (state->stats) state->stats->ran_on(ran);
  }
  bool match(std::string_view text, FormState*) const override {
    if (place_ == lanes::Place::whole) return text == finder_.text();
    return place_ == lanes::Place::begin ? text.starts_with(finder_.text()) : text.ends_with(finder_.text());
  }

 private:
  const lanes::FixedFinder finder_;
  const lanes::Place place_;
};

}  // namespace

Offer fixed_text(const Request& request, std::string text, lanes::Place place, std::string_view why) {
  const lanes::Target target = request.target();
  return Offer::of(std::make_unique<FixedText>(target, std::move(text), place),
                   std::string(why) + ", compared on " + std::string(lanes::name(target)),
                   {.per_row = kTestCost});
}

}  // namespace lanewise::text::forms
