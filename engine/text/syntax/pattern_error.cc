#include "text/syntax/pattern_error.h"

#include <algorithm>

#include "text/unicode/utf8.h"

namespace lanewise::text::syntax {
namespace {

constexpr size_t kShownBytes = 60;  // on each side of the error

/// One character as displayed; its width is assumed to be 1, or the length of its escape.
struct Shown {
  std::string text;
  size_t width;
  size_t bytes;
};

Shown show(std::string_view rest) {
  const unicode::Decoded c = unicode::decode(rest);
  if (c.bytes > 1 && c.code_point > 0x9F) return {std::string(rest.substr(0, c.bytes)), 1, size_t(c.bytes)};
  if (c.bytes == 1 && c.code_point >= 0x20 && c.code_point != 0x7F)
    return {std::string(rest.substr(0, 1)), 1, 1};
  if (rest[0] == '\n') return {"\\n", 2, 1};
  if (rest[0] == '\t') return {"\\t", 2, 1};
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(rest[0]);
  return {std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15], 4, 1};
}

}  // namespace

PatternError pattern_error(std::string_view what, std::string_view message, std::string_view pattern,
                           size_t begin, size_t end) {
  size_t first = begin > kShownBytes ? begin - kShownBytes : 0;
  while (first > 0 && unicode::is_continuation(pattern[first])) --first;
  size_t last = std::min(pattern.size(), std::max(begin, std::min(end, begin + kShownBytes)) + kShownBytes);
  while (last < pattern.size() && unicode::is_continuation(pattern[last])) ++last;

  std::string line = first > 0 ? "..." : "";
  std::string marks(line.size(), ' ');
  for (size_t at = first; at < last;) {
    const Shown shown = show(pattern.substr(at));
    line += shown.text;
    marks.append(shown.width, at >= begin && at < std::max(end, begin + 1) ? '^' : ' ');
    at += shown.bytes;
  }
  if (begin >= pattern.size()) marks += '^';
  if (last < pattern.size()) line += "...";
  marks.erase(marks.find_last_not_of(' ') + 1);

  std::string text = "invalid ";
  text.append(what).append(": ").append(message).append("\n  ").append(line).append("\n  ").append(marks);
  return PatternError(text);
}

}  // namespace lanewise::text::syntax
