#include "expr/strings/graphemes.h"

#include <algorithm>

#include "expr/strings/characters.h"
#include "expr/strings/grapheme_table.h"
#include "expr/strings/reference.h"
#include "text/unicode/utf8.h"

namespace lanewise::expr {

namespace {

using enum GraphemeClass;

GraphemeClass class_of(char32_t c) {
  if (c >= 0x20 && c < 0x7F) return kOther;
  if (c >= 0xAC00 && c <= 0xD7A3) return (c - 0xAC00) % 28 == 0 ? kLV : kLVT;
  const GraphemeRun* end = kGraphemeRuns + kGraphemeRunsCount;
  return std::upper_bound(kGraphemeRuns, end, c,
                          [](char32_t x, const GraphemeRun& run) { return x < run.start; })[-1]
      .type;
}

GraphemeClass class_at(std::string_view text, size_t at) {
  const auto decoded = text::unicode::decode(text.substr(at));
  return decoded.bytes == 0 ? kControl : class_of(decoded.code_point);
}

bool extends(GraphemeClass type) {
  return type == kExtend || type == kExtendAlone || type == kLinker || type == kZwj;
}

bool is_break(GraphemeClass type) { return type == kCr || type == kLf || type == kControl; }

/// Whether two neighbours belong together whatever stands before them: rules GB3 to GB9b.
bool joined(GraphemeClass a, GraphemeClass b) {
  if (a == kCr && b == kLf) return true;
  if (is_break(a) || is_break(b)) return false;
  if (extends(b) || b == kSpacingMark || a == kPrepend) return true;
  if (a == kL) return b == kL || b == kV || b == kLV || b == kLVT;
  if (a == kLV || a == kV) return b == kV || b == kT;
  return (a == kLVT || a == kT) && b == kT;
}

}  // namespace

size_t next_grapheme(std::string_view text, size_t at) {
  enum class Conjunct { kNone, kConsonant, kLinked };
  GraphemeClass last = class_at(text, at);
  bool pictograph = last == kPictograph;  // a pictograph, then only kExtend
  bool pictograph_zwj = false;            // and one ZWJ
  bool odd_regionals = last == kRegional;
  Conjunct conjunct = last == kConsonant ? Conjunct::kConsonant : Conjunct::kNone;
  while ((at = next_character(text, at)) < text.size()) {
    const GraphemeClass type = class_at(text, at);
    const bool together = joined(last, type) || (pictograph_zwj && type == kPictograph) ||
                          (odd_regionals && type == kRegional) ||
                          (conjunct == Conjunct::kLinked && type == kConsonant);
    if (!together) return at;
    pictograph_zwj = pictograph && type == kZwj;
    pictograph = type == kPictograph || (pictograph && extends(type) && type != kZwj);
    odd_regionals = type == kRegional && !odd_regionals;
    if (type == kConsonant) {
      conjunct = Conjunct::kConsonant;
    } else if (type == kLinker && conjunct != Conjunct::kNone) {
      conjunct = Conjunct::kLinked;
    } else if (type != kExtend && type != kZwj) {
      conjunct = Conjunct::kNone;
    }
    last = type;
  }
  return text.size();
}

std::vector<std::string> graphemes_of(const std::string& text) {
  const std::vector<std::string> characters = characters_of(text);
  std::vector<std::string> result;
  std::vector<GraphemeClass> seen;
  for (const std::string& character : characters) {
    const GraphemeClass type = class_at(character, 0);
    const auto back = [&](size_t n) { return n < seen.size() ? seen[seen.size() - 1 - n] : kControl; };
    bool together = !seen.empty() && joined(back(0), type);
    if (type == kPictograph && back(0) == kZwj) {
      size_t n = 1;
      while (extends(back(n)) && back(n) != kZwj) ++n;
      together |= back(n) == kPictograph;
    }
    if (type == kRegional) {
      size_t n = 0;
      while (back(n) == kRegional) ++n;
      together |= n % 2 == 1;
    }
    if (type == kConsonant) {
      size_t n = 0;
      size_t linkers = 0;
      for (; back(n) == kExtend || back(n) == kZwj || back(n) == kLinker; ++n) linkers += back(n) == kLinker;
      together |= linkers > 0 && back(n) == kConsonant;
    }
    if (!together) result.emplace_back();
    result.back() += character;
    seen.push_back(type);
  }
  return result;
}

}  // namespace lanewise::expr
