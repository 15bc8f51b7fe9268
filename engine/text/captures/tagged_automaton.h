#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lanes/automata/tagged-inl.h"
#include "text/captures/captures.h"

namespace lanewise::text::captures {

/// Finds captures in one pass from left to right, from any position: a deterministic automaton whose
/// transitions record positions (Laurikari, "NFAs with tagged transitions, their conversion to deterministic
/// automata and application to regular expressions", 2000). A state is a list of threads in order of
/// preference, and the thread at each place of the list has its own registers, so that equal lists are one
/// state.
class TaggedAutomaton {
 public:
  static constexpr int kMostGroups = 10;

  /// For these groups of the pattern, each below kMostGroups, 0 the match itself. nullopt if it would have
  /// more than `most_steps` steps (states x classes), more registers than an operation can name, or exceed
  /// limits.automaton_work.
  static std::optional<TaggedAutomaton> make(const Pattern& pattern, std::span<const int> groups,
                                             size_t most_steps = size_t{1} << 20);

  lanes::TaggedView view() const;
  const lanes::TaggedStarts& starts() const { return starts_; }
  size_t classes() const { return classes_; }
  size_t steps() const { return steps_.size(); }
  /// For a search: 2i and 2i + 1 hold the begin and end of group groups[i] once its state is dead; they must
  /// hold kNoPlace when it starts.
  size_t registers() const { return registers_; }
  size_t moves() const { return moves_.size(); }
  /// Whether all matches of any text are found in linear time, each by a search from the last one's end.
  /// False for `a.*b|a`, which reads to the end of the text after each a.
  bool finds_all() const { return finds_all_; }

  /// Like find_captures, for the requested groups, the match itself first.
  bool find(std::string_view text, size_t from, std::span<Capture> groups) const;

 private:
  class Builder;
  TaggedAutomaton() = default;

  std::array<uint8_t, 256> class_of_;
  size_t classes_ = 0;  // including that of the end
  std::vector<uint32_t> steps_;
  std::vector<uint16_t> moves_;
  lanes::TaggedStarts starts_{};
  size_t registers_ = 0;
  bool finds_all_ = false;
};

}  // namespace lanewise::text::captures
