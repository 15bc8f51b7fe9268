#pragma once

#include <string_view>
#include <vector>

#include "pram/tree/diagnostic.h"

namespace lanewise::pram {

struct Token {
  enum class Kind : uint8_t { kName, kInteger, kReal, kSymbol, kComment, kEnd };

  Kind kind = Kind::kEnd;
  std::string_view text;  ///< points into the program's text
  Place place;

  bool is(std::string_view wanted) const { return kind != Kind::kComment && text == wanted; }
};

/// The tokens of a program; the last one is kEnd. Comments (from # to the end of the line) are tokens
/// too. Invalid characters are reported to `diagnostics` and skipped.
std::vector<Token> tokenize(std::string_view text, std::vector<Diagnostic>& diagnostics);

/// Words that cannot be names.
bool is_keyword(std::string_view word);
/// The keyword most similar to `word`, or nothing.
std::string_view nearest_keyword(std::string_view word);

}  // namespace lanewise::pram
