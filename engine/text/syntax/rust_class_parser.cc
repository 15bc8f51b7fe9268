#include <algorithm>
#include <cctype>
#include <string>

#include "text/syntax/char_class_parser.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::syntax {

namespace {

constexpr int kDeepestClass = 100;

/// Characters that a \ makes literal.
constexpr std::string_view kMeta = "\\.+*?()|[]{}^$#&-~";

const CharSet& ascii_class(char letter) {
  static const CharSet kDigits('0', '9');
  static const CharSet kSpaces = [] {
    CharSet set('\t', '\r');
    set.add(' ', ' ');
    return set;
  }();
  static const CharSet kWords = [] {
    CharSet set('0', '9');
    set.add('A', 'Z');
    set.add('_', '_');
    set.add('a', 'z');
    return set;
  }();
  return letter == 'd' ? kDigits : letter == 's' ? kSpaces : kWords;
}

const CharSet& unicode_class_of(char letter) {
  return letter == 'd' ? unicode_digits() : letter == 's' ? unicode_spaces() : unicode_words();
}

/// Negates among all characters, or among all bytes.
void negate(const RegexFlags& flags, CharSet& set) {
  set.negate();
  if (!flags.unicode) set.intersect(CharSet(0, 0xFF));
}

void fold(const RegexFlags& flags, CharSet& set) {
  if (!flags.fold_case) return;
  CharSet folded;
  for (const CharRange& range : set.ranges()) {
    flags.unicode ? folded.add_folded(range.lo, range.hi) : add_folded_ascii(range.lo, range.hi, folded);
  }
  set = std::move(folded);
}

/// Whether the character is upper case, by general category and the case folding that we have.
bool is_capital(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  static const CharSet kCapitals = [] {
    CharSet set;
    find_unicode_class("Lu", set);
    set.ranges();
    return set;
  }();
  return kCapitals.contains(c);
}

}  // namespace

void add_folded_ascii(char32_t lo, char32_t hi, CharSet& out) {
  out.add(lo, hi);
  for (char32_t c = 'a'; c <= 'z'; ++c) {
    if (lo <= c && c <= hi) out.add(c - 32, c - 32);
    if (lo <= c - 32 && c - 32 <= hi) out.add(c, c);
  }
}

void CharClassParser::note(char32_t c) {
  has_literal = true;
  has_capital = has_capital || is_capital(c);
}

char32_t CharClassParser::rust_escape() {
  const size_t begin = at_;
  if (at_ + 1 >= pattern_.size()) fail("backslash at the end", begin, begin + 1);
  const char c = pattern_[at_ + 1];
  if (std::isdigit(static_cast<unsigned char>(c)))
    fail("back references are not supported: they take more than linear time", begin, begin + 2);
  if (c == '<' || c == '>')
    fail("\\< and \\> are not known here; a word's edge is \\b, or use -w", begin, begin + 2);
  if (kMeta.find(c) != std::string_view::npos) {
    at_ += 2;
    return static_cast<unsigned char>(c);
  }
  if (c == 'u' || c == 'U') {
    at_ += 2;
    size_t digits = c == 'u' ? 4 : 8;
    const bool braces = looking_at("{");
    const size_t end = braces ? pattern_.find('}', at_) : at_ + digits;
    if (end == std::string_view::npos || end > pattern_.size())
      fail("unfinished escape of a character", begin, pattern_.size());
    const std::string text(pattern_.substr(at_ + braces, end - at_ - braces));
    size_t read = 0;
    const unsigned long value =
        text.empty() || text.size() > 8 ? ~0UL : std::strtoul(text.c_str(), nullptr, 16);
    while (read < text.size() && std::isxdigit(static_cast<unsigned char>(text[read]))) ++read;
    at_ = end + braces;
    if (read != text.size() || value > unicode::kMaxCodePoint)
      fail("not the number of a character", begin, at_);
    return static_cast<char32_t>(value);
  }
  if (std::string_view("nrtafvx").find(c) == std::string_view::npos) {
    character();
    fail("unknown escape sequence", begin, std::min(begin + 2, pattern_.size()));
  }
  return escape();
}

bool CharClassParser::rust_class(const RegexFlags& flags, CharSet& out) {
  if (at_ + 1 >= pattern_.size() || pattern_[at_] != '\\') return false;
  const char c = pattern_[at_ + 1];
  if (c == 'p' || c == 'P') {
    if (!flags.unicode) fail("\\p needs Unicode; leave out (?-u)", at_, at_ + 2);
    unicode_class(flags.fold_case, out);
    return true;
  }
  const char lower = static_cast<char>(c | 0x20);
  if (lower != 'd' && lower != 's' && lower != 'w') return false;
  at_ += 2;
  CharSet set = flags.unicode ? unicode_class_of(lower) : ascii_class(lower);
  if (c != lower) negate(flags, set);
  out.add(set);
  return true;
}

void CharClassParser::rust_range(const RegexFlags& flags, size_t open, CharSet& out) {
  const size_t begin = at_;
  const auto one = [&] {
    if (done()) fail("missing closing ']'", open, open + 1);
    const bool escaped = looking_at("\\");
    const char32_t c = escaped ? rust_escape() : character();
    note(c);
    if (!flags.unicode && c > 0x7F && !escaped)
      fail("without Unicode only bytes are allowed, such as \\xC3", begin, at_);
    return c;
  };
  const char32_t lo = one();
  char32_t hi = lo;
  const bool ranges =
      looking_at("-") && !looking_at("--") && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
  if (ranges) {
    ++at_;
    hi = one();
    if (hi < lo) fail("the range runs backwards", begin, at_);
  }
  out.add(lo, hi);
}

/// The items between the operators of a class.
CharSet CharClassParser::rust_items(const RegexFlags& flags, size_t open, int depth) {
  CharSet set;
  while (!looking_at("]") && !looking_at("&&") && !looking_at("--") && !looking_at("~~")) {
    if (done()) fail("missing closing ']'", open, open + 1);
    if (flags.verbose && std::isspace(static_cast<unsigned char>(pattern_[at_]))) {
      ++at_;
    } else if (looking_at("[:") && posix_class(false, set)) {
      continue;
    } else if (looking_at("[")) {
      set.add(rust_bracket(flags, depth + 1));
    } else if (!rust_class(flags, set)) {
      rust_range(flags, open, set);
    }
  }
  fold(flags, set);
  return set;
}

CharSet CharClassParser::rust_bracket(const RegexFlags& flags, int depth) {
  const size_t open = at_++;
  if (depth > kDeepestClass) fail("classes nested more than 100 deep", open, at_);
  const bool negated = looking_at("^");
  if (negated) ++at_;
  CharSet set;
  while (looking_at("-")) {  // at the beginning they stand for themselves
    set.add('-', '-');
    note('-');
    ++at_;
  }
  if (set.empty() && looking_at("]")) {
    set.add(']', ']');
    note(']');
    ++at_;
  }
  set.add(rust_items(flags, open, depth));
  while (!looking_at("]")) {
    const std::string_view op = pattern_.substr(at_, 2);
    at_ += 2;
    CharSet other = rust_items(flags, open, depth);
    CharSet both = set;
    both.intersect(other);
    if (op == "~~") set.add(other);
    if (op == "&&") {
      set = std::move(both);
      continue;
    }
    both.negate();
    set.intersect(op == "~~" ? both : (other.negate(), other));
  }
  ++at_;
  if (negated) negate(flags, set);
  return set;
}

}  // namespace lanewise::text::syntax
