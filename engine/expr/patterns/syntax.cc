#include "expr/patterns/syntax.h"

#include <string>

#include "base/error.h"
#include "expr/strings/case.h"

namespace lanewise::expr {

namespace {

constexpr char kEscape = '\\';

/// A LIKE pattern for `text` itself.
std::string literally(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == kEscape) result += kEscape;
    result += c;
  }
  return result;
}

/// The same LIKE pattern with kEscape in place of `escape`; it does not end in it.
std::string with_own_escape(std::string_view pattern, std::optional<char> escape) {
  std::string result;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const bool escaped = escape && pattern[at] == *escape;
    if (escaped) ++at;
    const std::string_view byte = pattern.substr(at, 1);
    result += escaped                      ? kEscape + std::string(byte)
              : byte == "%" || byte == "_" ? std::string(byte)
                                           : literally(byte);
  }
  return result;
}

/// LIKE and ILIKE. A pattern with a fault becomes one for the strings that meet it.
Compiled compile_like(Syntax syntax, std::string_view pattern, std::optional<std::string_view> escape) {
  text::LikeOptions options;
  options.ignore_case = syntax == Syntax::kILike;
  try {
    if (escape) options.escape = text::parse_escape(*escape);
  } catch (const UserError& error) {
    return {text::compile_like("%"), error.what()};
  }
  try {
    return {text::compile_like(pattern, options), {}};
  } catch (const UserError& error) {
    if (!options.escape || pattern.empty()) throw;
    std::optional<text::Pattern>
        otherwise;  // a text may end before a '%' at the pattern's end, even an escape
    if (options.escape == '%') otherwise = text::compile_like(pattern.substr(0, pattern.size() - 1), options);
    std::string before = options.ignore_case ? lower_case(pattern) : std::string(pattern);
    before.pop_back();
    before = with_own_escape(before, options.escape) + "_%";
    options.escape = kEscape;
    return {text::compile_like(before, options), error.what(), std::move(otherwise)};
  }
}

text::Pattern compile_text(Syntax syntax, std::string_view text) {
  std::string pattern = literally(text);
  if (syntax != Syntax::kPrefix) pattern.insert(pattern.begin(), '%');
  if (syntax != Syntax::kSuffix) pattern.push_back('%');
  text::LikeOptions options;
  options.escape = kEscape;
  return text::compile_like(pattern, options);
}

}  // namespace

text::RegexOptions regex_options(Syntax syntax, std::optional<std::string_view> letters) {
  bool global;
  text::RegexOptions options;
  if (letters) options = text::parse_regex_options(*letters, syntax == Syntax::kReplace ? &global : nullptr);
  options.full_match = syntax == Syntax::kFull;
  return options;
}

Compiled compile(Syntax syntax, std::string_view pattern, std::optional<std::string_view> detail) {
  switch (syntax) {
    case Syntax::kLike:
    case Syntax::kILike:
      return compile_like(syntax, pattern, detail);
    case Syntax::kGlob:
      return {text::compile_glob(pattern), {}};
    case Syntax::kSearch:
    case Syntax::kFull:
    case Syntax::kReplace:
      return {text::compile_regex(pattern, regex_options(syntax, detail)), {}};
    case Syntax::kContains:
    case Syntax::kPrefix:
    case Syntax::kSuffix:
      return {compile_text(syntax, pattern), {}};
  }
  throw InternalError("unknown pattern syntax");
}

}  // namespace lanewise::expr
