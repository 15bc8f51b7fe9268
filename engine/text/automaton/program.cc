#include "text/automaton/program.h"

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>

#include "text/automaton/utf8_ranges.h"
#include "text/syntax/pattern_error.h"

namespace lanewise::text::automaton {

uint32_t Program::step(const Instruction& instruction, uint8_t byte) const {
  const Transition* first = transitions.data() + instruction.next;
  const Transition* last = first + instruction.other;
  if (instruction.other > 8) {
    first = std::partition_point(first, last, [byte](const Transition& t) { return t.hi < byte; });
  } else {
    while (first != last && first->hi < byte) ++first;
  }
  return first != last && first->lo <= byte ? first->next : kNone;
}

namespace {

using syntax::Node;
using syntax::Op;

/// Builds from the end: each piece receives its successor, so only loops need patching.
class Compiler {
 public:
  Compiler(const Limits& limits, Direction direction)
      : limits_(limits), backward_(direction == Direction::kBackward) {}

  Program compile(const syntax::Ast& ast) {
    program_.groups = static_cast<int>(ast.group_names.size());
    const uint32_t match = emit({Instruction::kMatch});
    program_.start = compile(*ast.root, match);
    for (Instruction& instruction : program_.instructions) instruction.level = level_ - instruction.level;
    program_.has_levels = level_ > 0;
    return std::move(program_);
  }

 private:
  uint32_t emit(Instruction instruction) {
    if (program_.instructions.size() + program_.transitions.size() >= limits_.program_size) {
      throw PatternError("pattern too large: written out it has more than " +
                         std::to_string(limits_.program_size) +
                         " steps; use smaller repetition counts or character classes");
    }
    instruction.level = level_;
    program_.instructions.push_back(instruction);
    return static_cast<uint32_t>(program_.instructions.size() - 1);
  }

  uint32_t compile(const Node& node, uint32_t next) {
    switch (node.op) {
      case Op::kEmpty:
        return next;
      case Op::kNothing:
        return bytes({});
      case Op::kText:
        return text(node.text, next);
      case Op::kChars:
        return chars(*node.chars, next);
      case Op::kBytes:
        return byte_set(*node.bytes, next);
      case Op::kConcat:
        return concat(node, next);
      case Op::kAlternate:
        return alternate(node, next);
      case Op::kRepeat:
        return repeat(node, next);
      case Op::kCapture:
        return capture(node, next);
      case Op::kAssert:
        return assertion(node.assertion, next);
      case Op::kAnything:
        return anything(next);
    }
    return next;
  }

  uint32_t concat(const Node& node, uint32_t next) {
    const auto& children = node.children;
    if (backward_) {
      for (auto it = children.begin(); it != children.end(); ++it) next = compile(**it, next);
    } else {
      for (auto it = children.rbegin(); it != children.rend(); ++it) next = compile(**it, next);
    }
    return next;
  }

  uint32_t capture(const Node& node, uint32_t next) {
    if (backward_) return compile(*node.children[0], next);
    const uint32_t slot = 2 * node.capture;
    const uint32_t end = emit({Instruction::kSave, 0, 0, next, slot + 1});
    return emit({Instruction::kSave, 0, 0, compile(*node.children[0], end), slot});
  }

  uint32_t assertion(uint16_t mask, uint32_t next) {
    if (backward_) mask = mirrored(mask);
    program_.assertions |= mask;
    return emit({Instruction::kAssert, mask, 0, next});
  }

  /// The assertion at a position of the reversed text that corresponds to `mask`.
  static uint16_t mirrored(uint16_t mask) {
    switch (mask) {
      case syntax::kBeginText:
        return syntax::kEndText;
      case syntax::kEndText:
        return syntax::kBeginText;
      case syntax::kBeginLine:
        return syntax::kEndLine;
      case syntax::kEndLine:
        return syntax::kBeginLine;
      case syntax::kNoWordBefore:
        return syntax::kNoWordAfter;
      case syntax::kNoWordAfter:
        return syntax::kNoWordBefore;
      case syntax::kNoUnicodeWordBefore:
        return syntax::kNoUnicodeWordAfter;
      case syntax::kNoUnicodeWordAfter:
        return syntax::kNoUnicodeWordBefore;
      default:
        return mask;
    }
  }

  uint32_t text(std::string text, uint32_t next) {
    if (backward_) std::ranges::reverse(text);
    for (auto it = text.rbegin(); it != text.rend(); ++it) {
      const auto byte = static_cast<uint8_t>(*it);
      const Transition one[] = {{byte, byte, next}};
      next = bytes(one);
    }
    return next;
  }

  uint32_t chars(const syntax::CharSet& set, uint32_t next) {
    std::vector<ByteSequence> all = utf8_sequences(set);
    return backward_ ? backward_sequences(all, next) : sequences(all, 0, next);
  }

  /// Read from the end, sequences overlap, so each gets its own thread; common beginnings, which
  /// are read last, are shared.
  uint32_t backward_sequences(std::span<const ByteSequence> all, uint32_t next) {
    uint32_t any = bytes({});
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      uint32_t one = next;
      for (int i = 0; i < it->size; ++i) {
        const Transition range[] = {{it->range[i].lo, it->range[i].hi, one}};
        one = bytes(range);
      }
      any = it == all.rbegin() ? one : emit({Instruction::kSplit, 0, 0, one, any});
    }
    return any;
  }

  uint32_t byte_set(const syntax::ByteSet& set, uint32_t next) {
    std::vector<Transition> transitions;
    for (unsigned b = 0; b < 256; ++b) {
      if (!set[b]) continue;
      if (!transitions.empty() && transitions.back().hi + 1u == b) {
        transitions.back().hi = static_cast<uint8_t>(b);
      } else {
        transitions.push_back({static_cast<uint8_t>(b), static_cast<uint8_t>(b), next});
      }
    }
    return bytes(transitions);
  }

  /// A tree over the sequences from their byte `at` on; equal subtrees are shared.
  uint32_t sequences(std::span<const ByteSequence> all, int at, uint32_t next) {
    std::vector<Transition> transitions;
    for (size_t i = 0; i < all.size();) {
      size_t end = i + 1;
      while (end < all.size() && all[end].range[at] == all[i].range[at]) ++end;
      const bool last = at == 3 || all[i].size == at + 1;  // No character has a fifth byte.
      const uint32_t target = last ? next : sequences(all.subspan(i, end - i), at + 1, next);
      const ByteSequence::Range range = all[i].range[at];
      if (!transitions.empty() && transitions.back().next == target &&
          transitions.back().hi + 1 == range.lo) {
        transitions.back().hi = range.hi;
      } else {
        transitions.push_back({range.lo, range.hi, target});
      }
      i = end;
    }
    return bytes(transitions);
  }

  /// A kBytes instruction with these transitions, an earlier one if there is an equal one on this level.
  uint32_t bytes(std::span<const Transition> transitions) {
    uint64_t hash = level_;
    for (const Transition& t : transitions) {
      hash = (hash ^ (uint64_t{t.next} << 16 | t.lo << 8 | t.hi)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    auto [begin, end] = shared_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      const Instruction& known = program_.instructions[it->second];
      const std::span<const Transition> its(program_.transitions.data() + known.next, known.other);
      if (known.level == level_ && std::ranges::equal(its, transitions)) return it->second;
    }
    const auto first = static_cast<uint32_t>(program_.transitions.size());
    const uint32_t id = emit({Instruction::kBytes, 0, 0, first, static_cast<uint32_t>(transitions.size())});
    program_.transitions.insert(program_.transitions.end(), transitions.begin(), transitions.end());
    shared_.emplace(hash, id);
    return id;
  }

  uint32_t alternate(const Node& node, uint32_t next) {
    uint32_t all = compile(*node.children.back(), next);
    for (size_t i = node.children.size() - 1; i-- > 0;) {
      const uint32_t one = compile(*node.children[i], next);
      all = emit({Instruction::kSplit, 0, 0, one, all});
    }
    return all;
  }

  uint32_t split(bool greedy, uint32_t body, uint32_t next) {
    return emit({Instruction::kSplit, 0, 0, greedy ? body : next, greedy ? next : body});
  }

  uint32_t repeat(const Node& node, uint32_t next) {
    const Node& child = *node.children[0];
    int copies = node.min;
    if (node.max == syntax::kUnbounded) {
      // x* of an x that may be empty is (x+)?: one split alone would not keep the order of preferences.
      if (node.min == 0 && !child.nullable) return star(node, next);
      const uint32_t behind = next;
      next = plus(node, next);
      if (node.min == 0) return split(node.greedy, next, behind);
      --copies;
    } else {
      const uint32_t behind = next;
      for (int i = node.min; i < node.max; ++i) next = split(node.greedy, compile(child, next), behind);
    }
    for (; copies > 0; --copies) next = compile(child, next);
    return next;
  }

  uint32_t star(const Node& node, uint32_t next) {
    const uint32_t loop = split(node.greedy, 0, next);
    close(loop, node, compile(*node.children[0], loop));
    return loop;
  }

  uint32_t plus(const Node& node, uint32_t next) {
    const uint32_t loop = split(node.greedy, 0, next);
    const uint32_t body = compile(*node.children[0], loop);
    close(loop, node, body);
    return body;
  }

  void close(uint32_t loop, const Node& node, uint32_t body) {
    Instruction& instruction = program_.instructions[loop];
    (node.greedy ? instruction.next : instruction.other) = body;
  }

  uint32_t anything(uint32_t next) {
    const uint32_t loop = emit({Instruction::kSplit, 0, 0, next, 0});
    const Transition any[] = {{0, 255, loop}};
    const uint32_t body = bytes(any);
    program_.instructions[loop].other = body;
    if (level_ < UINT16_MAX) ++level_;
    return loop;
  }

  const Limits& limits_;
  const bool backward_;
  Program program_;
  std::unordered_multimap<uint64_t, uint32_t> shared_;
  uint16_t level_ = 0;  // number of '%' so far, from the end; reversed at the end
};

}  // namespace

Program compile_program(const syntax::Ast& ast, const Limits& limits, Direction direction) {
  return Compiler(limits, direction).compile(ast);
}

ByteClasses byte_classes(const Program& program) {
  std::array<bool, 257> starts{};
  starts[0] = true;
  for (const Transition& t : program.transitions) starts[t.lo] = starts[t.hi + 1] = true;
  if (program.assertions & (syntax::kBeginLine | syntax::kEndLine)) starts['\n'] = starts['\n' + 1] = true;
  if (program.assertions & syntax::kCharBoundary) starts[0x80] = starts[0xC0] = true;
  if (program.assertions & syntax::kUnicodeAssertions) starts[0x80] = true;
  constexpr uint16_t kOfWords = syntax::kWordBoundary | syntax::kNoWordBoundary | syntax::kNoWordBefore |
                                syntax::kNoWordAfter | syntax::kUnicodeAssertions;
  if (program.assertions & kOfWords) {
    for (unsigned b = 1; b < 256; ++b) starts[b] = starts[b] || is_word_byte(b) != is_word_byte(b - 1);
  }
  ByteClasses classes;
  for (unsigned b = 0; b < 256; ++b) {
    if (starts[b]) classes.member.push_back(static_cast<uint8_t>(b));
    classes.class_of[b] = static_cast<uint8_t>(classes.member.size() - 1);
  }
  return classes;
}

}  // namespace lanewise::text::automaton
