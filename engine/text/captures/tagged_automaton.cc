#include "text/captures/tagged_automaton.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "text/automaton/sparse_set.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text::captures {

using automaton::Instruction;
using automaton::Program;
using lanes::TaggedView;
using namespace syntax;  // the assertions

/// Makes states from the starts on. What is reached without reading is followed when the next byte is known,
/// as only then the assertions are decided.
class TaggedAutomaton::Builder {
 public:
  Builder(const detail::CompiledPattern& pattern, std::span<const int> groups, size_t most_steps)
      : program_(pattern.program()),
        classes_(pattern.byte_classes()),
        only_at_begin_(pattern.start_condition().only_at_begin),
        most_steps_(most_steps),
        work_left_(pattern.limits.automaton_work),
        width_(2 * groups.size()),
        seen_(program_.instructions.size()),
        entered_(program_.instructions.size()) {
    made_.class_of_ = classes_.class_of;
    made_.classes_ = classes_.size() + 1;
    made_.moves_ = {0};  // an empty list
    for (size_t i = 0; i < groups.size(); ++i) {
      const size_t begin = 2 * static_cast<size_t>(groups[i]);
      bit_of_slot_[begin] = 1U << 2 * i;
      bit_of_slot_[begin + 1] = 2U << 2 * i;
    }
    looked_back_ = program_.assertions & (kBeginText | kBeginLine | kNoWordBefore);
    if (program_.assertions & (kWordBoundary | kNoWordBoundary)) looked_back_ |= kNoWordBefore;
  }

  std::optional<TaggedAutomaton> make() {
    state({});  // TaggedView::kDead
    made_.starts_.nothing = start(kBeginText | kBeginLine | kNoWordBefore, true);
    made_.starts_.line_end = start(kBeginLine | kNoWordBefore, !only_at_begin_);
    made_.starts_.word_byte = start(0, !only_at_begin_);
    made_.starts_.other_byte = start(kNoWordBefore, !only_at_begin_);
    for (size_t s = 0; s < states_.size(); ++s) {
      if ((s + 1) * made_.classes_ > most_steps_) return std::nullopt;
      for (size_t c = 0; c < made_.classes_; ++c) {
        if (!add(*states_[s], c)) return std::nullopt;
      }
    }
    made_.finds_all_ = finds_all();
    return std::move(made_);
  }

 private:
  /// `filled` has a bit for each requested slot that it has filled.
  struct Thread {
    uint32_t instruction;
    uint32_t filled;
    auto operator<=>(const Thread&) const = default;
  };
  struct State {
    std::vector<Thread> threads;
    uint16_t behind = 0;     // assertions that hold because of the bytes read
    bool searching = false;  // a match may still start: lower preference than all other threads
    auto operator<=>(const State&) const = default;
  };
  /// A thread on its way to the next byte, from the state's thread `rank`; it fills `saves` here.
  struct Path {
    uint32_t instruction;
    size_t rank;
    uint32_t filled;
    uint32_t saves;
  };

  uint32_t start(uint16_t behind, bool searching) {
    return state({{}, static_cast<uint16_t>(searching ? behind & looked_back_ : 0), searching});
  }

  uint32_t state(const State& wanted) {
    const auto [it, is_new] = numbers_.emplace(wanted, static_cast<uint32_t>(states_.size()));
    if (is_new) states_.push_back(&it->first);
    return it->second;
  }

  /// Adds the step of a state over class `c`. False above the limits.
  bool add(const State& from, size_t c) {
    const bool at_end = c + 1 == made_.classes_;
    const uint8_t byte = at_end ? 0 : classes_.member[c];
    const uint16_t holds = from.behind | (at_end ? ahead_of_end(from) : ahead_of_byte(from, byte));
    seen_.clear();
    entered_.clear();
    entering_.clear();
    match_.reset();
    for (size_t rank = 0; rank < from.threads.size() && !match_; ++rank) {
      const Thread& thread = from.threads[rank];
      if (!follow({thread.instruction, rank, thread.filled, 0}, holds, at_end, byte)) return false;
    }
    if (from.searching && !match_) {
      if (!follow({program_.start, kFresh, 0, bit_of_slot_[0]}, holds, at_end, byte)) return false;
    }

    State next;
    for (const Path& path : entering_) next.threads.push_back({path.instruction, path.filled | path.saves});
    next.searching = from.searching && !match_ && !only_at_begin_ && !at_end;
    if (next.searching || !next.threads.empty()) next.behind = behind(byte) & looked_back_;
    const uint32_t to = state(next);
    made_.registers_ = std::max(made_.registers_, width_ * (next.threads.size() + 1));
    if (made_.registers_ > TaggedView::kUnset || states_.size() > kMostStates) return false;
    const std::optional<uint32_t> moves = encoded(moves_of());
    if (moves) made_.steps_.push_back(to | *moves);
    matches_.push_back(match_.has_value());
    return moves.has_value();
  }

  static uint16_t behind(uint8_t byte) {
    return (byte == '\n' ? kBeginLine : 0) | (automaton::is_word_byte(byte) ? 0 : kNoWordBefore);
  }
  static uint16_t ahead_of_end(const State& from) {
    return kEndText | kEndLine | kCharBoundary | kNoWordAfter |
           (from.behind & kNoWordBefore ? kNoWordBoundary : kWordBoundary);
  }
  static uint16_t ahead_of_byte(const State& from, uint8_t byte) {
    const bool word = automaton::is_word_byte(byte);
    uint16_t holds = word == ((from.behind & kNoWordBefore) != 0) ? kWordBoundary : kNoWordBoundary;
    if (!word) holds |= kNoWordAfter;
    if (byte == '\n') holds |= kEndLine;
    if ((byte & 0xC0) != 0x80) holds |= kCharBoundary;
    return holds;
  }

  /// Follows a thread, its branches in order of preference, up to a match or over the byte. False above
  /// the limit.
  bool follow(const Path& thread, uint16_t holds, bool at_end, uint8_t byte) {
    stack_.assign(1, thread);
    while (!stack_.empty()) {
      Path path = stack_.back();
      stack_.pop_back();
      if (work_left_-- == 0) return false;
      if (!seen_.insert(path.instruction)) continue;  // a thread of higher preference was here
      const Instruction& here = program_.instructions[path.instruction];
      path.instruction = here.next;
      switch (here.op) {
        case Instruction::kSplit:
          stack_.push_back({here.other, path.rank, path.filled, path.saves});
          break;
        case Instruction::kAssert:
          if ((here.mask & holds) == 0) continue;
          break;
        case Instruction::kSave:
          path.saves |= here.other < bit_of_slot_.size() ? bit_of_slot_[here.other] : 0;
          break;
        case Instruction::kMatch:
          path.saves |= bit_of_slot_[1];
          match_ = path;  // all others have lower preference
          return true;
        case Instruction::kBytes:
          if (at_end) continue;
          path.instruction = program_.step(here, byte);
          if (path.instruction != Program::kNone && entered_.insert(path.instruction))
            entering_.push_back(path);
          continue;
      }
      stack_.push_back(path);
    }
    return true;
  }

  /// The registers of the thread `rank`; the match's registers are the first.
  uint16_t register_of(size_t rank, size_t slot) const {
    return static_cast<uint16_t>(width_ * (rank + 1) + slot);
  }

  /// The copies and records of the last step. Its threads come from ascending ranks: copies
  /// upwards, last first, then copies downwards, first first, never read an overwritten register.
  std::vector<uint16_t> moves_of() const {
    std::vector<uint16_t> moves;
    const auto add = [&](size_t to, size_t from) { moves.push_back(static_cast<uint16_t>(to << 8 | from)); };
    const auto copy = [&](const Path& path, size_t rank) {
      for (size_t slot = 0; slot < width_; ++slot) {
        if (path.filled & ~path.saves & 1U << slot)
          add(register_of(rank, slot), register_of(path.rank, slot));
      }
    };
    for (size_t slot = 0; match_ && slot < width_; ++slot) {
      const bool filled = match_->filled & 1U << slot;
      add(slot, match_->saves & 1U << slot ? TaggedView::kHere
                : filled                   ? register_of(match_->rank, slot)
                                           : TaggedView::kUnset);
    }
    for (size_t rank = entering_.size(); rank-- > 0;) {
      if (entering_[rank].rank < rank) copy(entering_[rank], rank);
    }
    for (size_t rank = 0; rank < entering_.size(); ++rank) {
      if (entering_[rank].rank > rank) copy(entering_[rank], rank);
    }
    for (size_t rank = 0; rank < entering_.size(); ++rank) {
      for (size_t slot = 0; slot < width_; ++slot) {
        if (entering_[rank].saves & 1U << slot) add(register_of(rank, slot), TaggedView::kHere);
      }
    }
    return moves;
  }

  /// The bits above bit 16 of the step with these moves; nothing if their list is full.
  std::optional<uint32_t> encoded(const std::vector<uint16_t>& moves) {
    if (moves.empty()) return 0;
    if (moves.size() == 1 && (moves[0] & 0xFF) == TaggedView::kHere)
      return TaggedView::kNote | uint32_t{moves[0]} >> 8 << 16;
    const auto [it, is_new] = lists_.emplace(moves, static_cast<uint32_t>(made_.moves_.size()) << 16);
    if (!is_new) return it->second;
    if (it->second >= TaggedView::kNote) return std::nullopt;
    made_.moves_.push_back(static_cast<uint16_t>(moves.size()));
    made_.moves_.insert(made_.moves_.end(), moves.begin(), moves.end());
    return it->second;
  }

  /// Calls visit(class, next state) for each step of a state without a match, and not into the dead state.
  template <class Visit>
  void for_each_unmatched(uint32_t s, Visit&& visit) const {
    for (size_t c = 0; c < made_.classes_; ++c) {
      const size_t step = s * made_.classes_ + c;
      const uint32_t to = made_.steps_[step] & 0xFFFF;
      if (!matches_[step] && to != TaggedView::kDead) visit(c, to);
    }
  }

  /// For each state, whether a search that has matched may read on from it forever without another match.
  std::vector<bool> endless_states() const {
    std::vector<std::vector<uint32_t>> sources(states_.size());  // of such steps
    std::vector<size_t> left(states_.size(), 0);                 // number of such steps from each state
    std::vector<uint32_t> ends;
    std::vector<bool> endless(states_.size(), true);
    for (uint32_t s = 0; s < states_.size(); ++s) {
      if (!states_[s]->searching) {
        for_each_unmatched(s, [&](size_t, uint32_t to) {
          sources[to].push_back(s);
          ++left[s];
        });
      }
      if (left[s] == 0) ends.push_back(s);
    }
    while (!ends.empty()) {
      const uint32_t s = ends.back();
      ends.pop_back();
      endless[s] = false;
      for (const uint32_t source : sources[s]) {
        if (--left[source] == 0) ends.push_back(source);
      }
    }
    return endless;
  }

  /// Whether no two searches, each starting at the end of the previous match, read the same bytes without
  /// bound. This holds if no search after a match finds another one while the search that found it still
  /// reads on.
  bool finds_all() const {
    if (only_at_begin_) return true;
    const std::vector<bool> endless = endless_states();
    std::set<std::pair<uint32_t, uint32_t>> pairs;  // both after the same byte
    std::vector<std::pair<uint32_t, uint32_t>> to_follow;
    const auto meet = [&](uint32_t first, uint32_t second) {
      if (endless[first] && pairs.emplace(first, second).second) to_follow.emplace_back(first, second);
    };
    for (uint32_t s = 0; s < states_.size(); ++s) {
      const uint32_t second = numbers_.at({{}, states_[s]->behind, true});  // a start
      for (size_t c = 0; c < made_.classes_; ++c) {
        const size_t step = s * made_.classes_ + c;
        const uint32_t to = made_.steps_[step] & 0xFFFF;
        if (!matches_[step] || !endless[to]) continue;
        if (matches_[second * made_.classes_ + c]) return false;
        meet(to, made_.steps_[second * made_.classes_ + c] & 0xFFFF);
      }
    }
    bool apart = true;
    while (apart && !to_follow.empty()) {
      if (pairs.size() * made_.classes_ > most_steps_) return false;
      const auto [first, second] = to_follow.back();
      to_follow.pop_back();
      for_each_unmatched(first, [&, second = second](size_t c, uint32_t to) {
        const size_t step = second * made_.classes_ + c;
        apart &= !endless[to] || !matches_[step];
        meet(to, made_.steps_[step] & 0xFFFF);
      });
    }
    return apart;
  }

  static constexpr size_t kFresh = SIZE_MAX;  // the rank of a new thread, which has filled nothing
  static constexpr size_t kMostStates = UINT16_MAX;

  const Program& program_;
  const automaton::ByteClasses& classes_;
  const bool only_at_begin_;
  const size_t most_steps_;
  size_t work_left_;
  const size_t width_;  // registers per thread
  std::array<uint32_t, 2 * kMostGroups> bit_of_slot_{};
  uint16_t looked_back_ = 0;
  TaggedAutomaton made_;
  std::map<State, uint32_t> numbers_;
  std::vector<const State*> states_;
  std::map<std::vector<uint16_t>, uint32_t> lists_;
  std::vector<bool> matches_;  // of each step
  automaton::SparseSet seen_;
  automaton::SparseSet entered_;  // instructions after the byte
  std::vector<Path> entering_;
  std::optional<Path> match_;
  std::vector<Path> stack_;
};

std::optional<TaggedAutomaton> TaggedAutomaton::make(const Pattern& pattern, std::span<const int> groups,
                                                     size_t most_steps) {
  for (const int group : groups)
    invariant(group >= 0 && group < kMostGroups && group <= pattern.groups(), "a group that patterns have");
  return Builder(pattern.compiled(), groups, most_steps).make();
}

TaggedView TaggedAutomaton::view() const {
  return {class_of_.data(), steps_.data(), moves_.data(), static_cast<lanes::u32>(classes_)};
}

bool TaggedAutomaton::find(std::string_view text, size_t from, std::span<Capture> groups) const {
  lanes::TaggedRegisters<TaggedView::kUnset> registers;
  const lanes::u64* const places = registers.places;
  std::fill_n(registers.places, 2 * groups.size(), TaggedView::kNoPlace);
  const TaggedView automaton = view();
  uint32_t state = starts_.at(reinterpret_cast<const lanes::u8*>(text.data()), from);
  for (size_t at = from; state != TaggedView::kDead; ++at) {
    const size_t c = at < text.size() ? class_of_[static_cast<uint8_t>(text[at])] : classes_ - 1;
    state = automaton.step(state, static_cast<lanes::u32>(c), at, registers);
  }
  if (places[0] == TaggedView::kNoPlace) return false;
  for (size_t g = 0; g < groups.size(); ++g) groups[g] = {places[2 * g], places[2 * g + 1]};
  return true;
}

}  // namespace lanewise::text::captures
