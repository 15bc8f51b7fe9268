#include "text/syntax/regex_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "text/syntax/char_class_parser.h"
#include "text/unicode/case.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::syntax {
namespace {

constexpr int kMaxNesting = 1000;
constexpr int kMaxRepeat = 1000;
constexpr int kMaxRustRepeat = 100'000;  // the size of the whole is limited anyway

/// A parsed piece, and the number of copies of its innermost part made by counted repetitions.
struct Piece {
  NodePtr node;
  int copies = 1;
};

/// A concatenation under construction. Plain characters are collected in one text until something else
/// follows.
class Sequence {
 public:
  void add_text(std::string_view bytes) {
    if (text_open_) {
      pieces_.back().node->text += bytes;
    } else {
      pieces_.push_back({make_text(std::string(bytes))});
      text_open_ = true;
    }
  }
  void add(Piece piece) {
    text_open_ = false;
    pieces_.push_back(std::move(piece));
  }
  /// Removes the operand of a repetition operator: the last piece, or the last character of a text.
  std::optional<Piece> take_operand() {
    if (pieces_.empty()) return std::nullopt;
    std::string& text = pieces_.back().node->text;
    if (text_open_) {
      size_t first = text.size() - 1;
      while (unicode::is_continuation(text[first])) --first;
      if (first > 0) {
        Piece last{make_text(text.substr(first))};
        text.resize(first);
        return last;
      }
    }
    text_open_ = false;
    Piece last = std::move(pieces_.back());
    pieces_.pop_back();
    return last;
  }
  Piece finish() {
    Piece all;
    std::vector<NodePtr> nodes;
    for (Piece& piece : pieces_) {
      all.copies = std::max(all.copies, piece.copies);
      nodes.push_back(std::move(piece.node));
    }
    all.node = make_concat(std::move(nodes));
    return all;
  }

 private:
  std::vector<Piece> pieces_;
  bool text_open_ = false;
};

class RegexParser {
 public:
  RegexParser(std::string_view pattern, RegexFlags flags)
      : pattern_(pattern), flags_(flags), characters_(pattern, at_) {}

  Ast parse() {
    Ast ast;
    ast.root = alternation(0).node;
    if (!done()) characters_.fail("unmatched closing ')'", at_, at_ + 1);
    ast.group_names = std::move(group_names_);
    take_over(ast);
    return ast;
  }

  Ast parse_as_text() {
    Sequence sequence;
    while (!done()) literal(characters_.character(), sequence);
    Ast ast{sequence.finish().node, {}};
    take_over(ast);
    return ast;
  }

 private:
  void take_over(Ast& ast) const {
    ast.beyond_ascii = beyond_ascii_;
    ast.has_literal = characters_.has_literal;
    ast.has_capital = characters_.has_capital;
  }

  bool done() const { return at_ >= pattern_.size(); }
  bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool accept(std::string_view text) {
    if (!looking_at(text)) return false;
    at_ += text.size();
    return true;
  }

  Piece alternation(int depth) {
    std::vector<NodePtr> branches;
    int copies = 1;
    do {
      Piece branch = sequence(depth);
      copies = std::max(copies, branch.copies);
      branches.push_back(std::move(branch.node));
    } while (accept("|"));
    return {make_alternate(std::move(branches)), copies};
  }

  /// Up to '|', ')' or the end.
  Piece sequence(int depth) {
    Sequence out;
    std::optional<size_t> repetition;  // where the previous token starts, if it is a repetition operator
    while (skip_blanks(), !done() && !looking_at("|") && !looking_at(")")) {
      const size_t begin = at_;
      int min = 0, max = 0;
      if (accept_repetition(min, max)) {
        repeat(repetition.value_or(begin), begin, min, max, repetition.has_value(), out);
        repetition = begin;
        continue;
      }
      repetition.reset();
      atom(depth, out);
    }
    return out.finish();
  }

  /// With (?x): white space and comments.
  void skip_blanks() {
    while (flags_.verbose && !done()) {
      if (pattern_[at_] == '#') {
        at_ = std::min(pattern_.find('\n', at_), pattern_.size());
      } else if (!unicode_spaces().contains(static_cast<unsigned char>(pattern_[at_]))) {
        return;
      } else {
        ++at_;
      }
    }
  }

  bool accept_repetition(int& min, int& max) {
    if (accept("*")) {
      min = 0, max = kUnbounded;
    } else if (accept("+")) {
      min = 1, max = kUnbounded;
    } else if (accept("?")) {
      min = 0, max = 1;
    } else {
      return looking_at("{") && accept_counts(min, max);
    }
    return true;
  }

  /// {n}, {n,} or {n,m}; anything else leaves '{' to be an ordinary character.
  bool accept_counts(int& min, int& max) {
    const size_t begin = at_++;
    bool good = accept_number(min);
    max = min;
    if (good && accept(",")) {
      max = kUnbounded;
      good = looking_at("}") || accept_number(max);
    }
    if (good && accept("}")) return true;
    if (flags_.rust)
      characters_.fail("not a repetition count such as {2,5}; a brace is \\{", begin, begin + 1);
    at_ = begin;
    return false;
  }

  bool accept_number(int& value) {
    const size_t begin = at_;
    value = 0;
    while (!done() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
      value = std::min(value * 10 + (pattern_[at_++] - '0'), 100'000'000);
    }
    const bool leading_zero = at_ - begin > 1 && pattern_[begin] == '0';
    return at_ > begin && (flags_.rust || !leading_zero);
  }

  void repeat(size_t shown_from, size_t begin, int min, int max, bool stacked, Sequence& out) {
    const bool lazy = accept("?");
    if (stacked && !flags_.rust)
      characters_.fail("repetition of a repetition needs a group: (?:...)", shown_from, at_);
    const int most = flags_.rust ? kMaxRustRepeat : kMaxRepeat;
    if (min > most || max > most) characters_.fail("repetition count above 1000", begin, at_);
    if (max != kUnbounded && max < min) characters_.fail("the repetition counts run backwards", begin, at_);
    std::optional<Piece> operand = out.take_operand();
    if (!operand) characters_.fail("nothing to repeat", begin, at_);
    const int count = max == kUnbounded ? min : max;
    const int copies = operand->copies * std::max(count, 1);
    if (count >= 2 && copies > most) {
      characters_.fail("nested repetitions make more than 1000 copies", begin, at_);
    }
    out.add({make_repeat(std::move(operand->node), min, max, lazy == flags_.ungreedy), copies});
  }

  void atom(int depth, Sequence& out) {
    switch (pattern_[at_]) {
      case '(':
        return group(depth, out);
      case '[':
        if (flags_.rust) return add_set(characters_.rust_bracket(flags_), out);
        return out.add({make_chars(characters_.bracket(flags_.fold_case))});
      case '.':
        return dot(out);
      case '^':
        ++at_;
        return add_assert(flags_.multi_line ? kBeginLine : kBeginText, out);
      case '$':
        ++at_;
        return end_anchor(out);
      case '\\':
        return backslash(out);
      default:
        return literal(characters_.character(), out);
    }
  }

  void add_assert(Assertion assertion, Sequence& out) { out.add({make_assert(assertion)}); }

  /// $: with crlf (?:\r??$), as ripgrep has it.
  void end_anchor(Sequence& out) {
    const Assertion end = flags_.multi_line ? kEndLine : kEndText;
    if (!flags_.crlf) return add_assert(end, out);
    std::vector<NodePtr> parts;
    parts.push_back(make_repeat(make_text("\r"), 0, 1, false));
    parts.push_back(make_assert(end));
    out.add({make_concat(std::move(parts))});
  }

  /// A literal character of the pattern.
  void literal(char32_t c, Sequence& out) {
    characters_.note(c);
    if (flags_.rust && !flags_.unicode && c > 0x7F)
      characters_.fail("without Unicode only bytes are allowed, such as \\xC3", at_ - 1, at_);
    add_character(c, out);
  }

  /// A set of characters, or of bytes without (?u).
  void add_set(CharSet set, Sequence& out) {
    if (flags_.unicode) {
      static const CharSet kScalar = [] {
        CharSet all(0, 0xD7FF);
        all.add(0xE000, unicode::kMaxCodePoint);
        return all;
      }();
      set.intersect(kScalar);
    }
    if (flags_.crlf && !flags_.multi_line) {
      CharSet others('\r', '\r');
      others.negate();
      set.intersect(others);
    }
    beyond_ascii_ = beyond_ascii_ || (!set.ranges().empty() && set.ranges().back().hi > 0x7F);
    if (flags_.ascii_text) set.intersect(CharSet(0, 0x7F));
    if (set.ranges().empty()) return out.add({make_nothing()});
    if (flags_.unicode) return out.add({make_chars(std::move(set))});
    ByteSet bytes;
    for (const CharRange& range : set.ranges()) {
      for (char32_t c = range.lo; c <= range.hi && c < 256; ++c) bytes.set(c);
    }
    out.add({make_bytes(bytes)});
  }

  void add_character(char32_t c, Sequence& out) {
    if (!flags_.fold_case || unicode::next_fold(c) == c) {
      if (flags_.ascii_text && c > 0x7F) return out.add({make_nothing()});
      return out.add_text(unicode::encode(c));
    }
    CharSet set;
    if (flags_.rust && !flags_.unicode) {
      add_folded_ascii(c, c, set);
    } else {
      set.add_folded(c, c);
    }
    if (flags_.rust) return add_set(std::move(set), out);
    out.add({make_chars(std::move(set))});
  }

  void dot(Sequence& out) {
    ++at_;
    CharSet set(0, unicode::kMaxCodePoint);
    if (!flags_.dot_newline) {
      set = CharSet('\n', '\n');
      set.negate();
    }
    if (flags_.rust) return add_set(std::move(set), out);
    out.add({make_chars(std::move(set))});
  }

  void rust_backslash(Sequence& out) {
    const bool words = flags_.unicode && !flags_.ascii_text;
    const bool boundary = accept("\\b");
    if (boundary || accept("\\B")) {
      beyond_ascii_ = true;
      if (boundary) return add_assert(words ? kUnicodeWordBoundary : kWordBoundary, out);
      return add_assert(words ? kNoUnicodeWordBoundary : kNoWordBoundary, out);
    }
    if (accept("\\A")) return add_assert(kBeginText, out);
    if (accept("\\z")) return add_assert(kEndText, out);
    CharSet set;
    if (characters_.rust_class(flags_, set)) return add_set(std::move(set), out);
    const bool hex = looking_at("\\x") && !looking_at("\\x{");
    const char32_t c = characters_.rust_escape();
    if (hex && !flags_.unicode && c > 0x7F) return add_set(CharSet(c, c), out);
    literal(c, out);
  }

  void backslash(Sequence& out) {
    if (flags_.rust) return rust_backslash(out);
    if (accept("\\b")) return add_assert(kWordBoundary, out);
    if (accept("\\B")) return add_assert(kNoWordBoundary, out);
    if (accept("\\A")) return add_assert(kBeginText, out);
    if (accept("\\z")) return add_assert(kEndText, out);
    if (accept("\\C")) return out.add({make_bytes(any_byte())});
    if (accept("\\Q")) {
      while (!done() && !accept("\\E")) add_character(characters_.character(), out);
      return;
    }
    CharSet set;
    if (characters_.escaped_class(flags_.fold_case, set)) return out.add({make_chars(std::move(set))});
    add_character(characters_.escape(), out);
  }

  void group(int depth, Sequence& out) {
    const size_t begin = at_++;
    if (depth >= kMaxNesting) characters_.fail("groups nested more than 1000 deep", begin, at_);
    const RegexFlags outside = flags_;
    int capture = 0;
    if (accept("?P<")) {
      std::string name = group_name(begin);
      if (flags_.rust && std::ranges::find(group_names_, name) != group_names_.end())
        characters_.fail("a second group with this name", begin, at_);
      group_names_.push_back(std::move(name));
      capture = static_cast<int>(group_names_.size());
    } else if (flags_.rust && (looking_at("?=") || looking_at("?!") || looking_at("?<"))) {
      characters_.fail("look-around is not supported: it takes more than linear time", begin,
                       std::min(at_ + 3, pattern_.size()));
    } else if (accept("?")) {
      if (flags(begin)) return;  // (?i) lasts until the enclosing group ends
    } else {
      group_names_.emplace_back();
      capture = static_cast<int>(group_names_.size());
    }
    Piece inside = alternation(depth + 1);
    if (!accept(")")) characters_.fail("missing closing ')'", begin, begin + 1);
    flags_ = outside;
    if (capture > 0) {
      inside.node = make_capture(std::move(inside.node), capture);
    }
    out.add(std::move(inside));
  }

  /// Reads i, m, s, U and '-' up to ')' (true) or ':' (false, a group follows).
  bool flags(size_t begin) {
    bool value = true;
    bool any = false;
    RegexFlags changed = flags_;
    for (;;) {
      if (done()) characters_.fail("unfinished (?", begin, at_);
      const size_t letter = at_;
      switch (characters_.character()) {
        case 'i':
          changed.fold_case = value;
          break;
        case 'm':
          changed.multi_line = value;
          break;
        case 's':
          changed.dot_newline = value;
          break;
        case 'U':
          changed.ungreedy = value;
          break;
        case 'u':
        case 'x':
          if (!flags_.rust) {
            characters_.fail("unknown flag or group; known are i, m, s, U, (?:...), (?P<name>...)", begin,
                             at_);
          }
          (pattern_[letter] == 'u' ? changed.unicode : changed.verbose) = value;
          break;
        case '-':
          if (!value) characters_.fail("second '-' in the flags", letter, at_);
          value = any = false;
          continue;
        case ':':
        case ')':
          if (!value && !any) characters_.fail("no flag after '-'", letter, at_);
          flags_ = changed;
          return pattern_[letter] == ')';
        default:
          characters_.fail("unknown flag or group; known are i, m, s, U, (?:...), (?P<name>...)", begin, at_);
      }
      any = true;
    }
  }

  std::string group_name(size_t begin) {
    const size_t close = pattern_.find('>', at_);
    if (close == std::string_view::npos) characters_.fail("unfinished (?P<name>", begin, pattern_.size());
    const size_t first = at_;
    while (at_ < close) {
      if (!in_name(characters_.character()))
        characters_.fail("a group's name may contain letters, digits and _ only", first, close);
    }
    if (first == close) characters_.fail("a group's name is empty", begin, close + 1);
    ++at_;
    return std::string(pattern_.substr(first, close - first));
  }

  static bool in_name(char32_t c) {
    static const CharSet kAllowed = [] {
      CharSet all;
      for (const char* name : {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"}) {
        CharSet one;
        find_unicode_class(name, one);
        all.add(one);
      }
      all.ranges();
      return all;
    }();
    return kAllowed.contains(c);
  }

  std::string_view pattern_;
  size_t at_ = 0;
  RegexFlags flags_;
  CharClassParser characters_;
  std::vector<std::string> group_names_;
  bool beyond_ascii_ = false;
};

}  // namespace

Ast parse_regex(std::string_view pattern, RegexFlags flags) { return RegexParser(pattern, flags).parse(); }

Ast parse_literal(std::string_view pattern, RegexFlags flags) {
  return RegexParser(pattern, flags).parse_as_text();
}

}  // namespace lanewise::text::syntax
