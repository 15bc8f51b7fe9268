#include "text/captures/engines/backtracker.h"

#include <utility>

#include "base/bits.h"

namespace lanewise::text::captures {

using automaton::Instruction;
using automaton::Program;

void Backtracker::prepare(const Program& program, size_t text_bytes, size_t groups) {
  visited_.assign(bits::words(program.instructions.size() * (text_bytes + 1)), 0);
  slots_.assign(groups * 2, Capture::kNowhere);
}

bool Backtracker::match_at(const Program& program, std::string_view text, size_t at,
                           std::span<Capture> groups) {
  prepare(program, text.size() - at, groups.size());
  return try_at(program, text, at, at) && report(at, groups);
}

bool Backtracker::find(const Program& program, const StartCondition& start, std::string_view text,
                       size_t from, std::span<Capture> groups) {
  prepare(program, text.size() - from, groups.size());
  for (size_t at = start.next(text, from); at != std::string_view::npos; at = start.next(text, at + 1)) {
    if (try_at(program, text, from, at)) return report(at, groups);
  }
  return false;
}

bool Backtracker::report(size_t at, std::span<Capture> groups) {
  if (!groups.empty()) slots_[0] = at;
  for (size_t g = 0; g < groups.size(); ++g) groups[g] = {slots_[2 * g], slots_[2 * g + 1]};
  return true;
}

bool Backtracker::try_at(const Program& program, std::string_view text, size_t from, size_t position) {
  stack_.assign(1, {program.start, kNoSlot, position});
  while (!stack_.empty()) {
    const Job job = stack_.back();
    stack_.pop_back();
    if (job.slot != kNoSlot) {
      slots_[job.slot] = job.position;
    } else if (run(program, text, from, job.instruction, job.position)) {
      return true;
    }
  }
  return false;
}

/// Follows one thread to its end; alternatives go on the stack.
bool Backtracker::run(const Program& program, std::string_view text, size_t from, uint32_t id,
                      size_t position) {
  for (;;) {
    const size_t bit = (position - from) * program.instructions.size() + id;
    if (bits::test(visited_.data(), bit)) return false;
    bits::set(visited_.data(), bit);
    const Instruction& instruction = program.instructions[id];
    switch (instruction.op) {
      case Instruction::kBytes:
        if (position == text.size()) return false;
        id = program.step(instruction, static_cast<uint8_t>(text[position++]));
        if (id == Program::kNone) return false;
        continue;
      case Instruction::kSplit:
        stack_.push_back({instruction.other, kNoSlot, position});
        break;
      case Instruction::kAssert:
        if (!(assertions_at(text, position, instruction.mask) & instruction.mask)) return false;
        break;
      case Instruction::kSave:
        if (instruction.other < slots_.size()) {
          stack_.push_back({0, instruction.other, std::exchange(slots_[instruction.other], position)});
        }
        break;
      case Instruction::kMatch:
        if (!slots_.empty()) slots_[1] = position;
        return true;
    }
    id = instruction.next;
  }
}

}  // namespace lanewise::text::captures
