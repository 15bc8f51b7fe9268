#include "text/syntax/char_class_parser.h"

#include <algorithm>
#include <string>

#include "text/syntax/pattern_error.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::syntax {
namespace {

using unicode::kMaxCodePoint;

struct NamedClass {
  std::string_view name;
  std::string_view ranges;  // pairs of first and last character
};

constexpr NamedClass kPerlClasses[] = {{"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZ__az"}};

constexpr NamedClass kPosixClasses[] = {{"alnum", "09AZaz"},
                                        {"alpha", "AZaz"},
                                        {"ascii", std::string_view("\0\x7F", 2)},
                                        {"blank", "\t\t  "},
                                        {"cntrl", std::string_view("\0\x1F\x7F\x7F", 4)},
                                        {"digit", "09"},
                                        {"graph", "!~"},
                                        {"lower", "az"},
                                        {"print", " ~"},
                                        {"punct", "!/:@[`{~"},
                                        {"space", "\t\r  "},
                                        {"upper", "AZ"},
                                        {"word", "09AZ__az"},
                                        {"xdigit", "09AFaf"}};

template <size_t N>
const NamedClass* find(const NamedClass (&classes)[N], std::string_view name) {
  auto it = std::find_if(classes, classes + N, [name](const NamedClass& c) { return c.name == name; });
  return it == classes + N ? nullptr : it;
}

CharSet to_set(const NamedClass& named) {
  CharSet set;
  for (size_t i = 0; i < named.ranges.size(); i += 2) set.add(named.ranges[i], named.ranges[i + 1]);
  return set;
}

/// Adds `set`, or all that is not in it. Folding comes first, so that (?i)\W and (?i)\w stay complements.
void add(const CharSet& set, bool negated, bool fold_case, CharSet& out) {
  CharSet full;
  for (const CharRange& r : set.ranges()) fold_case ? full.add_folded(r.lo, r.hi) : full.add(r.lo, r.hi);
  if (negated) full.negate();
  out.add(full);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

void CharClassParser::fail(std::string_view message, size_t begin, size_t end) const {
  throw pattern_error("regular expression", message, pattern_, begin, end);
}

char32_t CharClassParser::character() {
  const unicode::Decoded c = unicode::decode(pattern_.substr(at_));
  if (c.bytes == 0) fail("not UTF-8", at_, at_ + 1);
  at_ += c.bytes;
  return c.code_point;
}

char32_t CharClassParser::escape() {
  const size_t begin = at_++;
  if (done()) fail("backslash at the end", begin, begin + 1);
  const char c = pattern_[at_];
  switch (c) {
    case 'n':
      ++at_;
      return '\n';
    case 'r':
      ++at_;
      return '\r';
    case 't':
      ++at_;
      return '\t';
    case 'a':
      ++at_;
      return '\a';
    case 'f':
      ++at_;
      return '\f';
    case 'v':
      ++at_;
      return '\v';
    case 'x':
      return hex_escape(begin);
    default:
      break;
  }
  if (is_octal(c)) return octal_escape(begin);
  character();
  // Letters and digits without a meaning are reserved; all other ASCII characters stand for themselves.
  if (static_cast<unsigned char>(c) >= 0x80 || is_alphanumeric(c))
    fail("unknown escape sequence", begin, at_);
  return static_cast<unsigned char>(c);
}

char32_t CharClassParser::hex_escape(size_t begin) {
  ++at_;
  if (looking_at("{")) {
    ++at_;
    char32_t value = 0;
    const size_t digits = at_;
    while (!done() && hex_value(pattern_[at_]) >= 0) {
      value = value * 16 + hex_value(pattern_[at_++]);
      if (value > kMaxCodePoint) fail("character above \\x{10FFFF}", begin, at_);
    }
    if (at_ == digits || !looking_at("}"))
      fail("unfinished \\x{...}", begin, std::min(at_ + 1, pattern_.size()));
    ++at_;
    return value;
  }
  const size_t end = std::min(at_ + 2, pattern_.size());
  if (end - at_ < 2 || hex_value(pattern_[at_]) < 0 || hex_value(pattern_[at_ + 1]) < 0) {
    fail("\\x needs two hexadecimal digits", begin, end);
  }
  const char32_t value = hex_value(pattern_[at_]) * 16 + hex_value(pattern_[at_ + 1]);
  at_ = end;
  return value;
}

char32_t CharClassParser::octal_escape(size_t begin) {
  char32_t value = pattern_[at_++] - '0';
  // A single digit other than 0 would be a back reference, which an automaton cannot match.
  if (value != 0 && (done() || !is_octal(pattern_[at_])))
    fail("back references are not supported", begin, at_);
  for (int digits = 1; digits < 3 && !done() && is_octal(pattern_[at_]); ++digits) {
    value = value * 8 + (pattern_[at_++] - '0');
  }
  return value;
}

bool CharClassParser::escaped_class(bool fold_case, CharSet& out) {
  if (at_ + 1 >= pattern_.size() || pattern_[at_] != '\\') return false;
  const char c = pattern_[at_ + 1];
  if (c == 'p' || c == 'P') {
    unicode_class(fold_case, out);
    return true;
  }
  const char lower = static_cast<char>(c | 0x20);
  const NamedClass* named = find(kPerlClasses, {&lower, 1});
  if (named == nullptr) return false;
  at_ += 2;
  add(to_set(*named), c != lower, fold_case, out);
  return true;
}

void CharClassParser::unicode_class(bool fold_case, CharSet& out) {
  const size_t begin = at_;
  bool negated = pattern_[at_ + 1] == 'P';
  at_ += 2;
  if (done()) fail("\\p needs the name of a class", begin, at_);
  std::string_view name;
  if (pattern_[at_] == '{') {
    const size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos) fail("unfinished \\p{...}", begin, pattern_.size());
    name = pattern_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
  } else {
    const size_t first = at_;
    character();
    name = pattern_.substr(first, at_ - first);
  }
  if (name.starts_with('^')) {
    negated = !negated;
    name.remove_prefix(1);
  }
  CharSet set;
  if (!find_unicode_class(name, set)) fail("unknown Unicode category or script", begin, at_);
  add(set, negated, fold_case, out);
}

bool CharClassParser::posix_class(bool fold_case, CharSet& out) {
  const size_t close = pattern_.find(":]", at_ + 2);
  if (close == std::string_view::npos) return false;
  const size_t begin = at_;
  std::string_view name = pattern_.substr(at_ + 2, close - at_ - 2);
  at_ = close + 2;
  const bool negated = name.starts_with('^');
  if (negated) name.remove_prefix(1);
  const NamedClass* named = find(kPosixClasses, name);
  if (named == nullptr) fail("unknown class name", begin, at_);
  add(to_set(*named), negated, fold_case, out);
  return true;
}

CharSet CharClassParser::bracket(bool fold_case) {
  const size_t open = at_++;
  CharSet set;
  const bool negated = looking_at("^");
  if (negated) ++at_;
  for (bool first = true; first || !looking_at("]"); first = false) {
    if (done()) fail("missing closing ']'", open, open + 1);
    if (looking_at("[:") && posix_class(fold_case, set)) continue;
    if (escaped_class(fold_case, set)) continue;
    range(open, fold_case, set);
  }
  ++at_;
  if (negated) set.negate();
  return set;
}

void CharClassParser::range(size_t open, bool fold_case, CharSet& out) {
  const size_t begin = at_;
  const char32_t lo = range_end(open);
  char32_t hi = lo;
  // In [a-] the hyphen stands for itself.
  if (looking_at("-") && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
    ++at_;
    hi = range_end(open);
    if (hi < lo) fail("the range runs backwards", begin, at_);
  }
  fold_case ? out.add_folded(lo, hi) : out.add(lo, hi);
}

char32_t CharClassParser::range_end(size_t open) {
  if (done()) fail("missing closing ']'", open, open + 1);
  return looking_at("\\") ? escape() : character();
}

}  // namespace lanewise::text::syntax
