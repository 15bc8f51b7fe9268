#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/syntax/ast.h"

namespace lanewise::text::literals {

enum class Fold : uint8_t { kNone, kAscii, kUnicode };

/// The words of a pattern that is an alternation of many literals.
struct WordSet {
  std::vector<std::string> words;  ///< in the pattern's order; in lower case if case is ignored
  Fold fold = Fold::kNone;         ///< the letters whose case is ignored
  uint16_t before = 0, after = 0;  ///< assertions that hold at both ends of a match
};

/// Nothing for other patterns, and for few words. `full_match`: the pattern spans the whole text.
std::optional<WordSet> find_words(const syntax::Ast& ast, bool full_match);

/// Appends the text, folded like words with Fold::kUnicode. `places`, if given, receives the position in
/// `text` of each byte, and of the end.
void fold_text(std::string_view text, std::string& out, std::vector<size_t>* places);

}  // namespace lanewise::text::literals
