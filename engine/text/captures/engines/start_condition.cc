#include "text/captures/engines/start_condition.h"

#include <vector>

#include "text/automaton/sparse_set.h"
#include "text/syntax/char_set.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::captures {

using automaton::Instruction;
using automaton::Program;

StartCondition::StartCondition(const Program& program) {
  automaton::SparseSet seen(program.instructions.size());
  std::vector<uint32_t> stack{program.start};
  bool blocked_by_begin = false;
  while (!stack.empty()) {
    const uint32_t id = stack.back();
    stack.pop_back();
    if (!seen.insert(id)) continue;
    const Instruction& instruction = program.instructions[id];
    switch (instruction.op) {
      case Instruction::kBytes:
        for (uint32_t i = 0; i < instruction.other; ++i) {
          const automaton::Transition& t = program.transitions[instruction.next + i];
          for (unsigned b = t.lo; b <= t.hi; ++b) first_bytes.set(b);
        }
        break;
      case Instruction::kSplit:
        stack.push_back(instruction.other);
        stack.push_back(instruction.next);
        break;
      case Instruction::kAssert:
        if (instruction.mask == syntax::kBeginText) {
          blocked_by_begin = true;
        } else {
          stack.push_back(instruction.next);
        }
        break;
      case Instruction::kSave:
        stack.push_back(instruction.next);
        break;
      case Instruction::kMatch:
        may_be_empty = true;
        break;
    }
  }
  only_at_begin = blocked_by_begin && !may_be_empty && first_bytes.none();
  if (blocked_by_begin && !only_at_begin) may_be_empty = true;  // the byte alone does not decide
}

size_t StartCondition::next(std::string_view text, size_t from) const {
  if (only_at_begin) return from == 0 ? 0 : std::string_view::npos;
  if (may_be_empty) return from <= text.size() ? from : std::string_view::npos;
  while (from < text.size() && !first_bytes[static_cast<uint8_t>(text[from])]) ++from;
  return from < text.size() ? from : std::string_view::npos;
}

namespace {

/// Whether well-formed characters are on both sides of a position.
bool in_character(std::string_view text, size_t position) {
  if (position == 0 || position >= text.size() || !unicode::is_continuation(text[position])) return false;
  size_t begin = position - 1;
  while (begin > 0 && position - begin < 4 && unicode::is_continuation(text[begin])) --begin;
  return begin + static_cast<size_t>(unicode::decode(text.substr(begin)).bytes) > position;
}

/// Whether the character that ends before, or starts at, a position is a word character.
bool unicode_word_before(std::string_view text, size_t position) {
  size_t begin = position - 1;
  while (begin > 0 && position - begin < 4 && unicode::is_continuation(text[begin])) --begin;
  const unicode::Decoded c = unicode::decode(text.substr(begin, position - begin));
  return c.bytes == static_cast<int>(position - begin) && syntax::is_word_character(c.code_point);
}

bool unicode_word_after(std::string_view text, size_t position) {
  const unicode::Decoded c = unicode::decode(text.substr(position));
  return c.bytes > 0 && syntax::is_word_character(c.code_point);
}

/// Whether a position is next to a malformed byte, which is neither a word character nor not one.
bool malformed_before(std::string_view text, size_t position) {
  if (position == 0 || static_cast<uint8_t>(text[position - 1]) < 0x80) return false;
  size_t begin = position - 1;
  while (begin > 0 && position - begin < 4 && unicode::is_continuation(text[begin])) --begin;
  return unicode::decode(text.substr(begin, position - begin)).bytes != static_cast<int>(position - begin);
}

bool malformed_after(std::string_view text, size_t position) {
  return position < text.size() && unicode::decode(text.substr(position)).bytes == 0;
}

uint16_t unicode_assertions(std::string_view text, size_t position, bool word_before, bool word_after) {
  uint16_t holds = word_before != word_after ? syntax::kUnicodeWordBoundary : syntax::kNoUnicodeWordBoundary;
  if (!word_before && !malformed_before(text, position)) holds |= syntax::kNoUnicodeWordBefore;
  if (!word_after && !malformed_after(text, position)) holds |= syntax::kNoUnicodeWordAfter;
  return holds;
}

}  // namespace

uint16_t assertions_at(std::string_view text, size_t position, uint16_t wanted) {
  const bool begin = position == 0, end = position == text.size();
  const auto before = begin ? uint8_t{0} : static_cast<uint8_t>(text[position - 1]);
  const auto after = end ? uint8_t{0} : static_cast<uint8_t>(text[position]);
  const bool word_before = !begin && automaton::is_word_byte(before);
  const bool word_after = !end && automaton::is_word_byte(after);
  uint16_t holds = word_before != word_after ? syntax::kWordBoundary : syntax::kNoWordBoundary;
  if (!word_before) holds |= syntax::kNoWordBefore;
  if (!word_after) holds |= syntax::kNoWordAfter;
  if ((wanted & syntax::kUnicodeAssertions) && !in_character(text, position)) {
    holds |=
        unicode_assertions(text, position, before < 0x80 ? word_before : unicode_word_before(text, position),
                           after < 0x80 ? word_after : unicode_word_after(text, position));
  }
  if (begin) holds |= syntax::kBeginText;
  if (end) holds |= syntax::kEndText;
  if (begin || before == '\n') holds |= syntax::kBeginLine;
  if (end || after == '\n') holds |= syntax::kEndLine;
  if (end || !unicode::is_continuation(static_cast<char>(after))) holds |= syntax::kCharBoundary;
  return holds;
}

}  // namespace lanewise::text::captures
