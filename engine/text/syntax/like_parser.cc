#include "text/syntax/like_parser.h"

#include <string>
#include <utility>

#include "text/syntax/pattern_error.h"
#include "text/unicode/case.h"
#include "text/unicode/tables.h"

namespace lanewise::text::syntax {
namespace {

/// '_': a byte and all bytes that continue its character, whether or not the text is well-formed UTF-8.
NodePtr one_character() {
  std::vector<NodePtr> parts;
  parts.push_back(make_bytes(any_byte()));
  parts.push_back(make_repeat(make_bytes(byte_range(0x80, 0xBF)), 0, kUnbounded, true));
  parts.push_back(make_assert(kCharBoundary));
  return make_concat(std::move(parts));
}

/// All characters that to_lower() maps to c.
CharSet lowercased_to(char32_t c) {
  CharSet set;
  if (unicode::to_lower(c) == c) set.add(c, c);
  for (const unicode::CaseRun& run : unicode::kToLower) {
    const char32_t from = c - run.delta;
    if (from >= run.lo && from <= run.hi && unicode::to_lower(from) == c) set.add(from, from);
  }
  return set;
}

std::string to_lower(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const unicode::Decoded c = unicode::decode(text);
    out += c.bytes == 0 ? std::string(1, text[0]) : unicode::encode(unicode::to_lower(c.code_point));
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

/// Literal bytes of an ILIKE, already in lower case, as sets of characters.
void add_folded(std::string_view text, std::vector<NodePtr>& out) {
  while (!text.empty()) {
    const unicode::Decoded c = unicode::decode(text);
    out.push_back(c.bytes == 0 ? make_text(std::string(1, text[0]))
                               : make_chars(lowercased_to(c.code_point)));
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
}

}  // namespace

Ast parse_like(std::string_view pattern, std::optional<char> escape, bool ignore_case) {
  std::string lowered = ignore_case ? to_lower(pattern) : std::string(pattern);
  // DuckDB allows a text to end before the '%' at the pattern's end, even if '%' is the escape: %% is then no
  // '%' or one.
  int optional_percents = 0;
  for (; escape == '%' && lowered.ends_with("%%"); lowered.resize(lowered.size() - 2)) ++optional_percents;
  std::vector<NodePtr> parts;
  std::string literal;
  auto flush = [&] {
    if (literal.empty()) return;
    if (ignore_case) {
      add_folded(literal, parts);
    } else {
      parts.push_back(make_text(literal));
    }
    literal.clear();
  };
  for (size_t at = 0; at < lowered.size(); ++at) {
    const char c = lowered[at];
    if (escape && c == *escape) {
      if (++at == lowered.size()) {
        throw pattern_error("LIKE pattern", "it must not end with the escape character", lowered, at - 1, at);
      }
      literal += lowered[at];
    } else if (c == '%') {
      flush();
      if (parts.empty() || parts.back()->op != Op::kAnything) parts.push_back(make_anything());
    } else if (c == '_') {
      flush();
      parts.push_back(one_character());
    } else {
      literal += c;
    }
  }
  flush();
  if (optional_percents > 0) parts.push_back(make_repeat(make_text("%"), 0, optional_percents, true));
  return {make_concat(std::move(parts)), {}};
}

namespace {

/// Reads a bracket after its '['. Bytes compare as signed, as in DuckDB. False if the closing ']' is
/// missing.
bool glob_bracket(std::string_view pattern, size_t& at, ByteSet& set) {
  const bool negated = at < pattern.size() && pattern[at] == '!';
  if (negated) ++at;
  for (const size_t first = at; at < pattern.size();) {
    if (pattern[at] == ']' && at > first) {
      ++at;
      if (negated) set.flip();
      return true;
    }
    if (at + 1 == pattern.size()) return false;
    const auto lo = static_cast<signed char>(pattern[at]);
    const bool is_range = pattern[at + 1] == '-';
    if (is_range && at + 2 == pattern.size()) return false;
    const auto hi = static_cast<signed char>(is_range ? pattern[at + 2] : pattern[at]);
    const auto last = static_cast<uint8_t>(hi);
    for (auto b = static_cast<uint8_t>(lo); lo <= hi; ++b) {
      set.set(b);
      if (b == last) break;
    }
    at += is_range ? 3 : 1;
  }
  return false;
}

}  // namespace

Ast parse_glob(std::string_view pattern) {
  std::vector<NodePtr> parts;
  Ast nothing{make_nothing(), {}};
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    if (c == '*') {
      if (parts.empty() || parts.back()->op != Op::kAnything) parts.push_back(make_anything());
    } else if (c == '?') {
      parts.push_back(make_bytes(any_byte()));
    } else if (c == '[') {
      ByteSet set;
      if (!glob_bracket(pattern, at, set)) return nothing;
      parts.push_back(make_bytes(set));
    } else if (c == '\\') {
      if (at == pattern.size()) return nothing;
      parts.push_back(make_text(std::string(1, pattern[at++])));
    } else {
      parts.push_back(make_text(std::string(1, c)));
    }
  }
  return {make_concat(std::move(parts)), {}};
}

}  // namespace lanewise::text::syntax
