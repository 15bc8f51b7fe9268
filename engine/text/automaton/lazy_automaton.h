#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/automaton/determinizer.h"

namespace lanewise::text::automaton {

/// A deterministic automaton whose states are built on demand, in a cache that is emptied when
/// full. Time is linear in the text for every pattern. For one thread; the program is shared.
class LazyAutomaton {
 public:
  LazyAutomaton(const Program& program, const ByteClasses& classes, Question question, size_t cache_bytes);

  bool matches(std::string_view text);
  /// How often the cache was emptied.
  size_t flushes() const { return flushes_; }

 private:
  using State = Determinizer::State;

  State make_step(State state, uint8_t byte);
  void add_rows();
  bool accepts_at_end(State state);

  static constexpr State kUnknown = UINT32_MAX;

  const ByteClasses& classes_;
  const size_t cache_bytes_;
  Determinizer determinizer_;
  std::vector<State> next_;      // states x classes
  std::vector<uint8_t> at_end_;  // per state: 0 no, 1 yes, 2 not yet known
  State start_;
  size_t flushes_ = 0;
};

}  // namespace lanewise::text::automaton
