#include "text/captures/engines/pike_vm.h"

#include <algorithm>
#include <utility>

namespace lanewise::text::captures {

using automaton::Instruction;
using automaton::Program;

void PikeVm::prepare(const Program& program, size_t groups) {
  width_ = std::max<size_t>(groups, 1) * 2;
  slots_.assign(width_, Capture::kNowhere);
  best_.clear();
  for (Threads* threads : {&current_, &next_}) {
    threads->instructions.resize(program.instructions.size());
    threads->slots.resize(program.instructions.size() * width_);
  }
}

bool PikeVm::match_at(const Program& program, std::string_view text, size_t at, std::span<Capture> groups) {
  prepare(program, groups.size());
  start_at(program, text, at);
  for (; at <= text.size() && !current_.instructions.members().empty(); ++at) step(program, text, at);
  return report(groups);
}

bool PikeVm::find(const Program& program, const StartCondition& start, std::string_view text, size_t from,
                  std::span<Capture> groups) {
  prepare(program, groups.size());
  for (size_t at = from; at <= text.size(); ++at) {
    if (current_.instructions.members().empty()) {
      if (!best_.empty()) break;
      at = start.next(text, at);
      if (at == std::string_view::npos) break;
    }
    if (best_.empty()) start_at(program, text, at);  // lower preference than all current threads
    step(program, text, at);
  }
  return report(groups);
}

void PikeVm::start_at(const Program& program, std::string_view text, size_t at) {
  std::fill(slots_.begin(), slots_.end(), Capture::kNowhere);
  slots_[0] = at;
  add(program, text, at, program.start, current_);
}

/// Steps all threads over the byte at `at`, or records that one has matched.
void PikeVm::step(const Program& program, std::string_view text, size_t at) {
  for (uint32_t id : current_.instructions.members()) {
    const Instruction& instruction = program.instructions[id];
    if (instruction.op == Instruction::kMatch) {
      best_.assign(row(current_, id), row(current_, id) + width_);
      best_[1] = at;
      break;  // the remaining threads have lower preference
    }
    if (instruction.op != Instruction::kBytes || at == text.size()) continue;
    const uint32_t to = program.step(instruction, static_cast<uint8_t>(text[at]));
    if (to == Program::kNone) continue;
    std::copy_n(row(current_, id), width_, slots_.begin());
    add(program, text, at + 1, to, next_);
  }
  std::swap(current_, next_);
  next_.instructions.clear();
}

bool PikeVm::report(std::span<Capture> groups) const {
  if (best_.empty()) return false;
  for (size_t g = 0; g < groups.size(); ++g) groups[g] = {best_[2 * g], best_[2 * g + 1]};
  return true;
}

/// Adds the threads reachable from `id` without reading, with the current slots_.
void PikeVm::add(const Program& program, std::string_view text, size_t position, uint32_t id, Threads& to) {
  stack_.assign(1, {id, kNoSlot, 0});
  while (!stack_.empty()) {
    const Job job = stack_.back();
    stack_.pop_back();
    if (job.slot != kNoSlot) {
      slots_[job.slot] = job.old;
      continue;
    }
    if (!to.instructions.insert(job.instruction)) continue;
    const Instruction& instruction = program.instructions[job.instruction];
    switch (instruction.op) {
      case Instruction::kSplit:
        stack_.push_back({instruction.other, kNoSlot, 0});
        stack_.push_back({instruction.next, kNoSlot, 0});
        break;
      case Instruction::kAssert:
        if (assertions_at(text, position, instruction.mask) & instruction.mask)
          stack_.push_back({instruction.next, kNoSlot, 0});
        break;
      case Instruction::kSave:
        if (instruction.other < width_) {
          stack_.push_back({0, instruction.other, std::exchange(slots_[instruction.other], position)});
        }
        stack_.push_back({instruction.next, kNoSlot, 0});
        break;
      case Instruction::kBytes:
      case Instruction::kMatch:
        std::copy(slots_.begin(), slots_.end(), row(to, job.instruction));
        break;
    }
  }
}

}  // namespace lanewise::text::captures
