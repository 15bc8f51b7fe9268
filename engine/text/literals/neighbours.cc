#include "text/literals/neighbours.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "text/automaton/program.h"
#include "text/automaton/utf8_ranges.h"

namespace lanewise::text::literals {
namespace {

using syntax::ByteSet;
using syntax::Node;
using syntax::Op;

/// The possible bytes on one side of a text, including the line end.
struct Side {
  ByteSet sure;   // with these the rest of the pattern matches in any case
  ByteSet maybe;  // with these it may match
};

const Side kAnything{.sure = syntax::any_byte(), .maybe = syntax::any_byte()};

/// Examines the pattern outwards from one end of a text.
class Outwards {
 public:
  Outwards(bool forward, uint8_t edge) : forward_(forward), edge_(edge) {}

  /// The side if `node` is followed by `next`.
  Side look(const Node& node, const Side& next) const {
    switch (node.op) {
      case Op::kEmpty:
        return next;
      case Op::kNothing:
        return {};
      case Op::kText: {
        const char byte = forward_ ? node.text.front() : node.text.back();
        return consuming(ByteSet().set(static_cast<uint8_t>(byte)), {}, node.text.size() == 1, next);
      }
      case Op::kBytes:
        return consuming(*node.bytes, {}, true, next);
      case Op::kChars:
        return characters(*node.chars, next);
      case Op::kCapture:
        return look(*node.children[0], next);
      case Op::kConcat:
        return concat(node, next);
      case Op::kAlternate: {
        Side all;
        for (const auto& child : node.children) all = either(all, look(*child, next));
        return all;
      }
      case Op::kRepeat: {
        const Side one = look(*node.children[0], node.min <= 1 ? next : Side{{}, syntax::any_byte()});
        return node.min == 0 ? either(one, next) : one;
      }
      case Op::kAssert: {
        const Side here = asserted(node.assertion);
        return {here.sure & next.sure, here.maybe & next.maybe};
      }
      case Op::kAnything:
        return {next.sure, syntax::any_byte()};
    }
    return {{}, syntax::any_byte()};
  }

 private:
  static Side either(const Side& a, const Side& b) { return {a.sure | b.sure, a.maybe | b.maybe}; }

  /// Exactly one byte of `whole`, or the outermost byte, one of `parts`, of a longer part.
  static Side consuming(const ByteSet& whole, const ByteSet& parts, bool only, const Side& next) {
    Side side{only && next.sure.all() ? whole : ByteSet(), whole | parts};
    side.sure.reset('\n');  // no match contains the line end
    side.maybe.reset('\n');
    return side;
  }

  Side characters(const syntax::CharSet& chars, const Side& next) const {
    ByteSet whole, parts;
    for (const automaton::ByteSequence& bytes : automaton::utf8_sequences(chars)) {
      const auto& range = bytes.range[forward_ ? 0 : bytes.size - 1];
      (bytes.size == 1 ? whole : parts) |= syntax::byte_range(range.lo, range.hi);
    }
    return consuming(whole, parts, true, next);
  }

  Side concat(const Node& node, Side next) const {
    const auto add = [&](const auto& child) { next = look(*child, next); };
    if (forward_) {
      std::ranges::for_each(std::views::reverse(node.children), add);
    } else {
      std::ranges::for_each(node.children, add);
    }
    return next;
  }

  /// The bytes next to the text's edge that satisfy a condition.
  Side asserted(uint16_t assertion) const {
    const ByteSet high = syntax::byte_range(0x80, 0xFF), low = ~high;
    ByteSet words;
    for (unsigned byte = 0; byte < 256; ++byte)
      words[byte] = automaton::is_word_byte(static_cast<uint8_t>(byte));
    const ByteSet boundary = automaton::is_word_byte(edge_) ? ~words : words;
    const auto bytes = [](const ByteSet& set) { return Side{set, set}; };
    // With Unicode's words, a non-ASCII byte on either side leaves the result undecided.
    const auto characters = [&](const ByteSet& set) {
      return edge_ < 0x80 ? Side{set & low, set | high} : Side{{}, syntax::any_byte()};
    };
    const ByteSet line_end = ByteSet().set('\n');
    switch (assertion) {
      case syntax::kBeginText:
      case syntax::kBeginLine:
        return forward_ ? Side{} : bytes(line_end);
      case syntax::kEndText:
      case syntax::kEndLine:
        return forward_ ? bytes(line_end) : Side{};
      case syntax::kWordBoundary:
        return bytes(boundary);
      case syntax::kNoWordBoundary:
        return bytes(~boundary);
      case syntax::kUnicodeWordBoundary:
        return characters(boundary);
      case syntax::kNoUnicodeWordBoundary:
        return characters(~boundary);
      case syntax::kNoWordBefore:
      case syntax::kNoWordAfter:
        return outside(assertion == syntax::kNoWordAfter) ? bytes(~words) : Side{{}, syntax::any_byte()};
      case syntax::kNoUnicodeWordBefore:
      case syntax::kNoUnicodeWordAfter:
        return outside(assertion == syntax::kNoUnicodeWordAfter) ? characters(~words)
                                                                 : Side{{}, syntax::any_byte()};
      default:
        return {{}, syntax::any_byte()};
    }
  }

  /// Whether a condition on the previous or next byte concerns the outside of the text.
  bool outside(bool after) const { return after == forward_; }

  const bool forward_;
  const uint8_t edge_;  // the text's byte at this end
};

/// The parts of nested concatenations and groups, in order.
void parts_of(const Node& node, std::vector<const Node*>& parts) {
  if (node.op == Op::kConcat || node.op == Op::kCapture) {
    for (const auto& child : node.children) parts_of(*child, parts);
  } else if (node.op != Op::kEmpty) {
    parts.push_back(&node);
  }
}

void fill(lanes::u8 (&verdicts)[256], const Side& side) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    verdicts[byte] = side.sure[byte]    ? lanes::Neighbours::kMatch
                     : side.maybe[byte] ? lanes::Neighbours::kMaybe
                                        : lanes::Neighbours::kNone;
  }
}

}  // namespace

std::optional<lanes::Neighbours> find_neighbours(const syntax::Ast& ast, std::string_view text) {
  std::vector<const Node*> parts;
  parts_of(*ast.root, parts);
  // Parts [first, end) are strings; together they are the one that is searched for.
  for (size_t first = 0, end; first < parts.size(); first = end) {
    end = first + 1;
    if (parts[first]->op != Op::kText) continue;
    std::string run = parts[first]->text;
    for (; end < parts.size() && parts[end]->op == Op::kText; ++end) run += parts[end]->text;
    if (run != text) continue;
    Side before = kAnything, after = kAnything;
    for (size_t i = 0; i < first; ++i)
      before = Outwards(false, static_cast<uint8_t>(text.front())).look(*parts[i], before);
    for (size_t i = parts.size(); i-- > end;)
      after = Outwards(true, static_cast<uint8_t>(text.back())).look(*parts[i], after);
    if (before.maybe.all() && after.maybe.all() && before.sure.none() && after.sure.none())
      return std::nullopt;
    lanes::Neighbours neighbours;
    fill(neighbours.before, before);
    fill(neighbours.after, after);
    return neighbours;
  }
  return std::nullopt;
}

}  // namespace lanewise::text::literals
