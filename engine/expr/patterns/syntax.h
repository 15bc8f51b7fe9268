#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/pattern/pattern.h"

namespace lanewise::expr {

/// How a pattern function reads its pattern.
enum class Syntax {
  kLike,      ///< LIKE, by characters
  kILike,     ///< the same, ignoring case
  kGlob,      ///< GLOB, by bytes
  kSearch,    ///< a regular expression that matches somewhere
  kFull,      ///< a regular expression that matches the whole string
  kReplace,   ///< a regular expression whose matches are replaced: options may hold g
  kContains,  ///< a string anywhere
  kPrefix,    ///< a string at the beginning
  kSuffix,    ///< a string at the end
};

constexpr bool is_regex(Syntax syntax) { return syntax >= Syntax::kSearch && syntax <= Syntax::kReplace; }
constexpr bool is_text(Syntax syntax) { return syntax >= Syntax::kContains; }

/// A regular expression's options without g. Throws UserError.
text::RegexOptions regex_options(Syntax syntax, std::optional<std::string_view> letters);

/// A compiled pattern.
struct Compiled {
  text::Pattern pattern;
  /// If not empty: what is wrong. A matching text raises it: DuckDB rejects a LIKE pattern that ends in its
  /// escape only if a text matches up to there.
  std::string fault;
  /// With a fault: the pattern for strings that do not raise it; absent if no string matches.
  std::optional<text::Pattern> otherwise = {};
};

/// Compiles `pattern`. `detail` is ESCAPE's argument or a regular expression's options. Throws UserError.
Compiled compile(Syntax syntax, std::string_view pattern, std::optional<std::string_view> detail);

}  // namespace lanewise::expr
