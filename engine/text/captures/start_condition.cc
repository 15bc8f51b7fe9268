#include "text/captures/start_condition.h"

#include <vector>

#include "text/automaton/sparse_set.h"
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
  if (blocked_by_begin && !only_at_begin) may_be_empty = true;  // no telling from the byte alone
}

size_t StartCondition::next(std::string_view text, size_t from) const {
  if (only_at_begin) return from == 0 ? 0 : std::string_view::npos;
  if (may_be_empty) return from <= text.size() ? from : std::string_view::npos;
  while (from < text.size() && !first_bytes[static_cast<uint8_t>(text[from])]) ++from;
  return from < text.size() ? from : std::string_view::npos;
}

uint16_t assertions_at(std::string_view text, size_t position) {
  const bool begin = position == 0, end = position == text.size();
  const auto before = begin ? uint8_t{0} : static_cast<uint8_t>(text[position - 1]);
  const auto after = end ? uint8_t{0} : static_cast<uint8_t>(text[position]);
  const bool word_before = !begin && automaton::is_word_byte(before);
  const bool word_after = !end && automaton::is_word_byte(after);
  uint16_t holds = word_before != word_after ? syntax::kWordBoundary : syntax::kNoWordBoundary;
  if (!word_before) holds |= syntax::kNoWordBefore;
  if (!word_after) holds |= syntax::kNoWordAfter;
  if (begin) holds |= syntax::kBeginText;
  if (end) holds |= syntax::kEndText;
  if (begin || before == '\n') holds |= syntax::kBeginLine;
  if (end || after == '\n') holds |= syntax::kEndLine;
  if (end || !unicode::is_continuation(static_cast<char>(after))) holds |= syntax::kCharBoundary;
  return holds;
}

}  // namespace lanewise::text::captures
