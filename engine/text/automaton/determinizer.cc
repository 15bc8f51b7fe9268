#include "text/automaton/determinizer.h"

#include <algorithm>

namespace lanewise::text::automaton {

using namespace syntax;  // the assertions

namespace {
constexpr uint16_t kLookAhead = kEndText | kEndLine | kWordBoundary | kNoWordBoundary | kCharBoundary |
                                kNoWordAfter | kUnicodeWordBoundary | kNoUnicodeWordBoundary |
                                kNoUnicodeWordAfter;

/// The word boundaries at a position; next to a non-ASCII byte, those of Unicode always hold.
uint16_t boundaries(bool boundary, bool high) {
  const uint16_t ascii = boundary ? kWordBoundary : kNoWordBoundary;
  if (high) return ascii | kUnicodeWordBoundary | kNoUnicodeWordBoundary;
  return ascii | (boundary ? kUnicodeWordBoundary : kNoUnicodeWordBoundary);
}

}  // namespace

Determinizer::Determinizer(const Program& program, Question question)
    : program_(program),
      question_(question),
      current_(program.instructions.size()),
      next_(program.instructions.size()) {
  reset();
}

void Determinizer::reset() {
  states_.assign(2, StateInfo{0, 0, 0, false, false});  // kDead and kMatch have no instructions
  pool_.clear();
  known_.clear();
}

size_t Determinizer::memory() const {
  constexpr size_t kPerState = sizeof(StateInfo) + 56;  // 56: an entry of known_
  return pool_.size() * sizeof(uint32_t) + states_.size() * kPerState;
}

/// Adds to *target_ all instructions reachable from `from` without reading, through conditions in `holds`
/// only.
void Determinizer::expand(uint32_t from, uint16_t holds) {
  stack_.push_back(from);
  while (!stack_.empty()) {
    const uint32_t id = stack_.back();
    stack_.pop_back();
    if (!target_->insert(id)) continue;
    ++work_;
    const Instruction& instruction = program_.instructions[id];
    switch (instruction.op) {
      case Instruction::kSplit:
        stack_.push_back(instruction.other);
        stack_.push_back(instruction.next);
        break;
      case Instruction::kSave:
        stack_.push_back(instruction.next);
        break;
      case Instruction::kAssert:
        if (instruction.mask & holds) stack_.push_back(instruction.next);
        break;
      case Instruction::kBytes:
      case Instruction::kMatch:
        break;
    }
  }
}

Determinizer::State Determinizer::start() {
  target_ = &next_;
  next_.clear();
  const uint16_t behind = kBeginText | kBeginLine | kNoWordBefore | kNoUnicodeWordBefore;
  expand(program_.start, behind);
  return finish_step(behind, false);
}

/// Fills current_ with the state's instructions and, for conditions in `holds` that now pass, their
/// successors.
void Determinizer::load(State state, uint16_t holds) {
  const StateInfo info = states_[state];
  target_ = &current_;
  current_.clear();
  for (uint32_t id : instructions(info)) expand(id, holds);
}

Determinizer::State Determinizer::step(State state, uint8_t byte) {
  if (state <= kMatch) return state;
  const StateInfo info = states_[state];
  const bool word = is_word_byte(byte);
  std::span<const uint32_t> from = instructions(info);
  if (info.unresolved) {
    const bool boundary = word == ((info.behind & kNoWordBefore) != 0);
    uint16_t holds = info.behind | boundaries(boundary, byte >= 0x80 || (info.behind & kHighByteBefore));
    if (!word) holds |= kNoWordAfter | kNoUnicodeWordAfter;
    if (byte == '\n') holds |= kEndLine;
    if ((byte & 0xC0) != 0x80) holds |= kCharBoundary;
    load(state, holds);
    from = current_.members();
  }
  const bool marks_high = byte >= 0x80 && (program_.assertions & kUnicodeAssertions) != 0;
  const uint16_t behind = (byte == '\n' ? kBeginLine : 0) |
                          (word ? 0 : kNoWordBefore | kNoUnicodeWordBefore) |
                          (marks_high ? kHighByteBefore : 0);
  target_ = &next_;
  next_.clear();
  work_ += from.size();
  bool ended = false;
  for (uint32_t id : from) {
    const Instruction& instruction = program_.instructions[id];
    if (instruction.op == Instruction::kMatch) {
      if (question_ == Question::kSearch) return kMatch;
      ended = question_ == Question::kEnds;
    }
    if (instruction.op != Instruction::kBytes) continue;
    const uint32_t to = program_.step(instruction, byte);
    if (to != Program::kNone) expand(to, behind);
  }
  if (question_ != Question::kWhole) expand(program_.start, behind);
  return finish_step(behind, ended);
}

/// Turns next_ into a state.
Determinizer::State Determinizer::finish_step(uint16_t behind, bool ended) {
  kept_.clear();
  bool unresolved = false;
  uint16_t level = 0;
  for (uint32_t id : next_.members()) {
    const Instruction& instruction = program_.instructions[id];
    if (instruction.op == Instruction::kMatch && question_ == Question::kSearch) return kMatch;
    const bool waits = instruction.op == Instruction::kAssert && (instruction.mask & kLookAhead);
    if (!waits && instruction.op != Instruction::kBytes && instruction.op != Instruction::kMatch) continue;
    unresolved = unresolved || waits;
    level = std::max(level, instruction.level);
    kept_.push_back(id);
  }
  if (program_.has_levels) {
    std::erase_if(kept_, [&](uint32_t id) { return program_.instructions[id].level < level; });
  }
  std::sort(kept_.begin(), kept_.end());
  // A search that waits for the next line or word has no instruction but is not dead.
  const bool waits = question_ != Question::kWhole &&
                     (program_.assertions & (kBeginLine | kNoWordBefore | kNoUnicodeWordBefore));
  if (kept_.empty() && !waits && !ended) return kDead;
  return intern(unresolved ? behind : 0, unresolved, ended);
}

Determinizer::State Determinizer::intern(uint16_t behind, bool unresolved, bool ended) {
  uint64_t hash = behind | uint64_t{ended} << 16;
  for (uint32_t id : kept_) {
    hash = (hash ^ id) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const StateInfo& info = states_[it->second];
    if (info.behind == behind && info.ended == ended && std::ranges::equal(instructions(info), kept_))
      return it->second;
  }
  const auto state = static_cast<State>(states_.size());
  states_.push_back(
      {static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(kept_.size()), behind, unresolved, ended});
  pool_.insert(pool_.end(), kept_.begin(), kept_.end());
  known_.emplace(hash, state);
  return state;
}

bool Determinizer::accepts_at_end(State state) {
  if (state <= kMatch) return state == kMatch;
  const StateInfo info = states_[state];
  const uint16_t boundary =
      boundaries((info.behind & kNoWordBefore) == 0, (info.behind & kHighByteBefore) != 0);
  load(state,
       info.behind | kEndText | kEndLine | kCharBoundary | kNoWordAfter | kNoUnicodeWordAfter | boundary);
  for (uint32_t id : current_.members()) {
    if (program_.instructions[id].op == Instruction::kMatch) return true;
  }
  return false;
}

Determinizer::State Determinizer::forget_all_but(State keep) {
  if (keep <= kMatch) {
    reset();
    return keep;
  }
  const StateInfo info = states_[keep];
  kept_.assign(pool_.begin() + info.first, pool_.begin() + info.first + info.count);
  reset();
  return intern(info.behind, info.unresolved, info.ended);
}

}  // namespace lanewise::text::automaton
