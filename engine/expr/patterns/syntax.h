#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/pattern.h"

namespace lanewise::expr {

/// What a pattern function takes its pattern for.
enum class Syntax {
  kLike,      ///< LIKE, by characters
  kILike,     ///< the same, letters of either case
  kGlob,      ///< GLOB, by bytes
  kSearch,    ///< a regular expression that matches somewhere
  kFull,      ///< a regular expression that matches the whole string
  kReplace,   ///< a regular expression whose matches are replaced: options may hold g
  kContains,  ///< a text somewhere
  kPrefix,    ///< a text at the beginning
  kSuffix,    ///< a text at the end
};

constexpr bool is_regex(Syntax syntax) { return syntax >= Syntax::kSearch && syntax <= Syntax::kReplace; }
constexpr bool is_text(Syntax syntax) { return syntax >= Syntax::kContains; }

/// A regular expression's options without g. Throws UserError.
text::RegexOptions regex_options(Syntax syntax, std::optional<std::string_view> letters);

/// A pattern that can be matched.
struct Compiled {
  text::Pattern pattern;
  /// Not empty: what is wrong. A text that matches raises it: DuckDB minds a LIKE pattern that ends in its
  /// escape only where a text gets that far.
  std::string fault;
  /// With a fault: what matches strings that do not raise it; none does where there is nothing.
  std::optional<text::Pattern> otherwise = {};
};

/// Compiles `pattern`. `detail` is ESCAPE's argument or a regular expression's options. Throws UserError.
Compiled compile(Syntax syntax, std::string_view pattern, std::optional<std::string_view> detail);

}  // namespace lanewise::expr
