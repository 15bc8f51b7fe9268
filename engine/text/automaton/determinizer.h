#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "text/automaton/program.h"
#include "text/automaton/sparse_set.h"

namespace lanewise::text::automaton {

/// The question that an automaton decides for a text.
enum class Question : uint8_t {
  kWhole,   ///< whether the whole text matches
  kSearch,  ///< whether there is a match anywhere
  kEnds,    ///< where a match ends: reported by the state after the next byte
};

/// Makes deterministic states of a program on demand: the subset construction, without order of preference. A
/// state is a set of instructions; lookahead assertions (\b, $) stay in the set, unresolved, until the
/// next byte or the end of the text decides them. Used for complete and for lazy automata.
class Determinizer {
 public:
  using State = uint32_t;
  static constexpr State kDead = 0;   ///< never matches again
  static constexpr State kMatch = 1;  ///< matches whatever follows

  Determinizer(const Program& program, Question question);

  State start();
  State step(State state, uint8_t byte);
  /// Question::kEnds: whether a match ends before the byte that led here.
  bool ended_before(State state) const { return states_[state].ended; }
  /// Whether the text matches, or a match ends with it, if it ends in this state.
  bool accepts_at_end(State state);

  size_t states() const { return states_.size(); }
  /// Memory of the states in bytes.
  size_t memory() const;
  /// Number of instructions visited, a measure of time.
  size_t work() const { return work_; }
  /// Removes all states but `keep`; returns its new number.
  State forget_all_but(State keep);

 private:
  struct StateInfo {
    uint32_t first;  // index of its first instruction in pool_
    uint32_t count;
    uint16_t behind;  // assertions that hold because of the bytes read; only set if something is unresolved
    bool unresolved;  // contains a kAssert
    bool ended;       // a match ended before the last byte
  };

  void reset();
  void expand(uint32_t from, uint16_t holds);
  State finish_step(uint16_t behind, bool ended);
  State intern(uint16_t behind, bool unresolved, bool ended);
  void load(State state, uint16_t holds);
  std::span<const uint32_t> instructions(const StateInfo& s) const {
    return {pool_.data() + s.first, s.count};
  }

  const Program& program_;
  const Question question_;
  std::vector<StateInfo> states_;
  std::vector<uint32_t> pool_;
  std::unordered_multimap<uint64_t, State> known_;
  SparseSet current_;  // expanded instructions of the old state
  SparseSet next_;     // instructions of the new state
  SparseSet* target_ = nullptr;
  std::vector<uint32_t> stack_;
  std::vector<uint32_t> kept_;
  size_t work_ = 0;
};

}  // namespace lanewise::text::automaton
