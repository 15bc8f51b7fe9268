#include "text/forms/automata/lazy.h"

#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {

LazyState::LazyState(const detail::CompiledPattern& pattern)
    : automaton(pattern.program(), pattern.byte_classes(), pattern.question(),
                pattern.limits.lazy_cache_bytes) {}

namespace {

class Lazy final : public Form {
 public:
  explicit Lazy(const detail::CompiledPattern& pattern) : pattern_(pattern) {}
  std::unique_ptr<FormState> make_state() const override { return std::make_unique<LazyState>(pattern_); }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    auto& automaton = static_cast<LazyState*>(state)->automaton;
    match_each(rows, active, hits, [&](std::string_view text) { return automaton.matches(text); });
  }
  bool match(std::string_view text, FormState* state) const override {
    return static_cast<LazyState*>(state)->automaton.matches(text);
  }

 private:
  const detail::CompiledPattern& pattern_;
};

Offer offer_lazy(const Request& request) {
  return Offer::of(std::make_unique<Lazy>(request.pattern),
                   std::to_string(request.pattern.program().instructions.size()) +
                       " instructions, states made while matching",
                   {.per_byte = request.costs().lazy()});
}

double lazy_at_best(const Request& request) { return request.costs().lazy(); }

}  // namespace

extern const FormKind kLazy = {.name = "lazy", .offer = offer_lazy, .at_best = lazy_at_best, .steady = true};

}  // namespace lanewise::text::forms
