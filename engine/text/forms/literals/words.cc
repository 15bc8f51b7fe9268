#include "text/forms/per_row-inl.h"

namespace lanewise::text::forms {
namespace {

constexpr double kWordsPerByte = 0.8;

Offer offer_words(const Request& request) {
  const literals::WordFinder* finder = request.pattern.words();
  if (finder == nullptr) return Offer::refusal("the pattern is not a list of many words");
  return Offer::of(per_row([finder](std::string_view text) { return finder->in(text); }),
                   "one of " + std::to_string(finder->words()) + " words, by the hash of its first bytes",
                   {.per_byte = kWordsPerByte});
}

}  // namespace

extern const FormKind kWords = {.name = "words", .offer = offer_words};

}  // namespace lanewise::text::forms
