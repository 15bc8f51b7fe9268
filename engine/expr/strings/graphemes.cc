#include "expr/strings/graphemes.h"

#include "expr/gpu/strings/graphemes-inl.h"
#include "expr/strings/characters.h"
#include "expr/strings/reference.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

size_t next_grapheme(std::string_view text, size_t at) {
  return kernel::next_grapheme(kernel_text(text), at);
}

std::vector<std::string> graphemes_of(const std::string& text) {
  using enum text::unicode::GraphemeClass;
  using text::unicode::GraphemeClass;
  const std::vector<std::string> characters = characters_of(text);
  std::vector<std::string> result;
  std::vector<GraphemeClass> seen;
  for (const std::string& character : characters) {
    const GraphemeClass type = kernel::grapheme_class(kernel_text(character), 0);
    const auto back = [&](size_t n) { return n < seen.size() ? seen[seen.size() - 1 - n] : kControl; };
    bool together = !seen.empty() && kernel::joins_grapheme(back(0), type);
    if (type == kPictograph && back(0) == kZwj) {
      size_t n = 1;
      while (kernel::extends_grapheme(back(n)) && back(n) != kZwj) ++n;
      together |= back(n) == kPictograph;
    }
    if (type == kRegional) {
      size_t n = 0;
      while (back(n) == kRegional) ++n;
      together |= n % 2 == 1;
    }
    if (type == kConsonant) {
      size_t n = 0;
      size_t linkers = 0;
      for (; back(n) == kExtend || back(n) == kZwj || back(n) == kLinker; ++n) linkers += back(n) == kLinker;
      together |= linkers > 0 && back(n) == kConsonant;
    }
    if (!together) result.emplace_back();
    result.back() += character;
    seen.push_back(type);
  }
  return result;
}

}  // namespace lanewise::expr
