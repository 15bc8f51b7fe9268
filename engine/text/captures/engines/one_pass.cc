#include "text/captures/engines/one_pass.h"

#include <algorithm>
#include <bit>

#include "text/automaton/sparse_set.h"
#include "text/captures/engines/start_condition.h"

namespace lanewise::text::captures {

using automaton::Instruction;
using automaton::Program;

/// Builds states from the start. A state is an instruction reached by a byte, with all instructions reachable
/// from there without reading.
class OnePass::Builder {
 public:
  Builder(const Program& program, const automaton::ByteClasses& classes, size_t work)
      : program_(program),
        classes_(classes),
        work_left_(work),
        state_of_(program.instructions.size(), kNowhere),
        seen_(program.instructions.size()),
        assertions_(program.instructions.size()) {}

  std::optional<OnePass> make() {
    made_.class_of_ = classes_.class_of;
    made_.classes_ = classes_.size();
    state(program_.start);
    for (size_t s = 0; s < states_.size(); ++s) {
      if (!add(states_[s])) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  struct Thread {
    uint32_t instruction;
    Path path;
  };

  /// The number of the state that begins at the instruction.
  uint32_t state(uint32_t instruction) {
    uint32_t& number = state_of_[instruction];
    if (number == kNowhere) {
      number = static_cast<uint32_t>(states_.size());
      states_.push_back(instruction);
    }
    return number;
  }

  /// Follows the threads from `instruction` in order of preference up to their next bytes. False if two of
  /// them compete.
  bool add(uint32_t instruction) {
    const size_t row = made_.steps_.size();
    if (row + classes_.size() > kMaxSteps) return false;
    made_.steps_.resize(row + classes_.size());
    Match& match = made_.matches_.emplace_back();
    seen_.clear();
    stack_.assign(1, {instruction, {}});
    while (!stack_.empty()) {
      auto [id, path] = stack_.back();
      stack_.pop_back();
      if (work_left_-- == 0) return false;
      if (!seen_.insert(id)) {
        if (assertions_[id] & ~path.assertions) return false;
        continue;  // the first thread that came here reaches everything that this one would
      }
      assertions_[id] = path.assertions;
      const Instruction& here = program_.instructions[id];
      switch (here.op) {
        case Instruction::kSplit:
          stack_.push_back({here.other, path});
          break;
        case Instruction::kAssert:
          path.assertions |= here.mask;
          break;
        case Instruction::kSave:
          path.saves |= uint32_t{1} << (here.other - 2);
          break;
        case Instruction::kMatch:
          match = {true, path};
          if (path.assertions == 0) return true;  // all others have lower preference
          continue;
        case Instruction::kBytes:
          if (!read(here, path, match.possible, made_.steps_.data() + row)) return false;
          continue;
      }
      stack_.push_back({here.next, path});
    }
    return true;
  }

  bool read(const Instruction& bytes, const Path& path, bool behind_match, Step* steps) {
    for (size_t c = 0; c < classes_.size(); ++c) {
      const uint32_t to = program_.step(bytes, classes_.member[c]);
      if (to == Program::kNone) continue;
      if (steps[c].next != kNowhere) return false;
      steps[c].next = state(to) * static_cast<uint32_t>(classes_.size());
      steps[c].saves = path.saves;
      steps[c].assertions = path.assertions;
      steps[c].behind_match = behind_match;
    }
    return true;
  }

  const Program& program_;
  const automaton::ByteClasses& classes_;
  size_t work_left_;
  OnePass made_;
  std::vector<uint32_t> states_;    // their instructions
  std::vector<uint32_t> state_of_;  // by instruction
  automaton::SparseSet seen_;
  std::vector<uint16_t> assertions_;  // by instruction seen: of the thread that came first
  std::vector<Thread> stack_;
};

std::optional<OnePass> OnePass::make(const Program& program, const automaton::ByteClasses& classes,
                                     const Limits& limits) {
  if (program.groups > static_cast<int>(kMaxGroups)) return std::nullopt;
  return Builder(program, classes, limits.automaton_work).make();
}

bool OnePass::match_at(std::string_view text, size_t at, std::span<Capture> groups) const {
  std::array<size_t, 2 * (kMaxGroups + 1)> slots, best;
  const size_t width = std::min(2 * std::max<size_t>(groups.size(), 1), slots.size());
  std::fill_n(slots.begin(), width, Capture::kNowhere);
  const auto holds = [&](uint16_t assertions, size_t place) {
    return assertions == 0 || (assertions_at(text, place, assertions) & assertions) == assertions;
  };
  const auto save = [&](uint32_t saves, size_t place, auto& to) {
    for (; saves != 0; saves &= saves - 1) to[2 + static_cast<size_t>(std::countr_zero(saves))] = place;
  };
  bool found = false;
  for (size_t place = at, state = 0;; ++place) {
    const bool more = place < text.size();
    const Step step = more ? steps_[state + class_of_[static_cast<uint8_t>(text[place])]] : Step();
    const Match& match = matches_[state / classes_];
    if (match.possible && holds(match.path.assertions, place)) {
      std::copy_n(slots.begin(), width, best.begin());
      save(match.path.saves, place, best);
      best[1] = place;
      found = true;
      if (step.behind_match) break;
    }
    if (step.next == kNowhere || !holds(step.assertions, place)) break;
    save(step.saves, place, slots);
    state = step.next;
  }
  if (!found) return false;
  best[0] = at;
  for (size_t g = 0; g < groups.size(); ++g) {
    groups[g] = 2 * g < width ? Capture{best[2 * g], best[2 * g + 1]} : Capture();
  }
  return true;
}

}  // namespace lanewise::text::captures
