#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/automaton/limits.h"

namespace lanewise::text {

enum class Dialect : uint8_t { kRe2, kRust };

/// How a regular expression is parsed and matched.
struct RegexOptions {
  Dialect dialect = Dialect::kRe2;
  // Of Rust's dialect:
  bool unicode = true;      ///< \w, \d, \s, \b are Unicode's, . is a character; else of ASCII, and a byte
  bool multi_line = false;  ///< ^ and $ match at the ends of lines
  bool crlf = false;        ///< $ also matches before \r\n
  bool ascii_text = false;  ///< match only ASCII strings, which is cheaper

  bool case_sensitive = true;
  bool literal = false;      ///< the pattern is text, without syntax
  bool dot_newline = false;  ///< '.' matches \n as well
  bool full_match = false;   ///< must span the whole string; otherwise a match anywhere counts
  bool whole_words = false;  ///< a match must not be preceded or followed by a word byte (\w)
  Limits limits = {};
};

/// Reads the option letters of DuckDB's regexp functions: c i l m n p s, and g if `global` is set.
/// Letters apply in order, white space is skipped. Throws UserError for any other letter.
RegexOptions parse_regex_options(std::string_view letters, bool* global = nullptr);

struct LikeOptions {
  std::optional<char> escape;  ///< the byte that makes the next one literal
  bool ignore_case = false;    ///< ILIKE: both sides are lowercased, as DuckDB's lower() does
  Limits limits = {};
};

/// The argument of ESCAPE: one byte, or empty, which means NUL. UserError for anything else.
char parse_escape(std::string_view escape);

namespace detail {
struct CompiledPattern;
}

/// A compiled pattern: immutable, cheap to copy, shared freely between threads.
class Pattern {
 public:
  /// The pattern as given by the user.
  const std::string& source() const;
  /// True if the pattern must match the whole string.
  bool full_match() const;
  /// The prefix of every matching row; may be empty.
  const std::string& prefix() const;
  /// Number of capturing groups, without group 0, the whole match. 0 for LIKE and GLOB.
  int groups() const;
  /// Names of groups 1..groups(); empty if a group has no name.
  const std::vector<std::string>& group_names() const;
  /// Whether non-ASCII strings can match differently than with ascii_text.
  bool beyond_ascii() const;
  /// Whether automata report false matches for non-ASCII strings; find_captures does not.
  bool approximate() const;
  /// Whether the pattern has this byte as a literal.
  bool has_literal_byte(uint8_t byte) const;
  /// Whether a match may contain this byte, or test it as a line end.
  bool may_match_byte(uint8_t byte) const;
  /// Whether it is a list of many words, which is searched without an automaton.
  bool is_word_list() const;
  /// A short description: literal kind, required literal, size of the program and of the automaton.
  std::string describe() const;

  const detail::CompiledPattern& compiled() const { return *compiled_; }
  explicit Pattern(std::shared_ptr<const detail::CompiledPattern> compiled)
      : compiled_(std::move(compiled)) {}

 private:
  std::shared_ptr<const detail::CompiledPattern> compiled_;
};

/// Compiles RE2's dialect over UTF-8. Throws UserError with the pattern and a caret under the error.
Pattern compile_regex(std::string_view pattern, const RegexOptions& options = {});

/// Whether smart case ignores the case of this pattern: it has a literal character, and no upper-case one.
bool is_lower_case(std::string_view pattern, const RegexOptions& options = {});

/// Compiles several patterns as one that matches if any of them does; of matches with the same start, that of
/// the earlier pattern is used. Without patterns nothing matches. Groups are numbered consecutively.
Pattern compile_any(std::span<const std::string> patterns, const RegexOptions& options = {});

/// Compiles patterns of any kind as one that matches a row if any of them does; without groups. Throws
/// UserError if together they exceed the limits.
Pattern unite(std::span<const Pattern> patterns, const Limits& limits = {});

/// Compiles LIKE or ILIKE: '%' any sequence, '_' one character. Throws UserError if the pattern ends in the
/// escape.
Pattern compile_like(std::string_view pattern, const LikeOptions& options = {});

/// Compiles GLOB over bytes: '*' any sequence, '?' one byte, [a-c] and [!a-c] classes, '\' escapes.
Pattern compile_glob(std::string_view pattern, const Limits& limits = {});

}  // namespace lanewise::text
