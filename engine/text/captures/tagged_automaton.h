#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lanes/automata/tagged-inl.h"
#include "text/captures.h"

namespace lanewise::text::captures {

/// Finds captures in one pass, from left to right and from any place on: a deterministic automaton whose
/// steps note places (Laurikari, "NFAs with tagged transitions, their conversion to deterministic automata
/// and application to regular expressions", 2000). A state is a list of threads in the order of their worth,
/// and the thread at each place of the list has registers of its own, so that equal lists are one state.
class TaggedAutomaton {
 public:
  static constexpr int kMostGroups = 10;

  /// For these groups of the pattern, each below kMostGroups, 0 the match itself. nullopt where it would have
  /// more than `most_steps` steps (states x classes), more registers than a move can name, or exceed
  /// limits.automaton_work.
  static std::optional<TaggedAutomaton> make(const Pattern& pattern, std::span<const int> groups,
                                             size_t most_steps = size_t{1} << 20);

  lanes::TaggedView view() const;
  const lanes::TaggedStarts& starts() const { return starts_; }
  size_t classes() const { return classes_; }
  size_t steps() const { return steps_.size(); }
  /// For a search: 2i and 2i + 1 hold where group groups[i] begins and ends once its state is dead, where
  /// they held kNoPlace when it began.
  size_t registers() const { return registers_; }
  size_t moves() const { return moves_.size(); }
  /// Whether all matches of any text are found in linear time, each by a search from the last one's end. Not
  /// so of `a.*b|a`, which reads on to the end after each a.
  bool finds_all() const { return finds_all_; }

  /// As find_captures, for the groups that were requested, the match itself first.
  bool find(std::string_view text, size_t from, std::span<Capture> groups) const;

 private:
  class Builder;
  TaggedAutomaton() = default;

  std::array<uint8_t, 256> class_of_;
  size_t classes_ = 0;  // with the end's
  std::vector<uint32_t> steps_;
  std::vector<uint16_t> moves_;
  lanes::TaggedStarts starts_{};
  size_t registers_ = 0;
  bool finds_all_ = false;
};

}  // namespace lanewise::text::captures
