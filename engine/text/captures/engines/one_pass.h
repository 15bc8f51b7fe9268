#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/automaton/program.h"
#include "text/captures/engines/capture.h"

namespace lanewise::text::captures {

/// Finds captures of a program whose threads never compete: from a known start each byte leaves at most one
/// of them alive, so that one step per byte of the match suffices. A thread that has matched
/// waits while threads of higher preference continue.
class OnePass {
 public:
  /// nullopt if threads may compete, if there are more groups or states than a table holds, and above
  /// limits.automaton_work.
  static std::optional<OnePass> make(const automaton::Program& program, const automaton::ByteClasses& classes,
                                     const Limits& limits);

  /// Like find_captures, for a match that starts at `at`.
  bool match_at(std::string_view text, size_t at, std::span<Capture> groups) const;

 private:
  static constexpr size_t kMaxGroups = 12;
  static constexpr size_t kMaxSteps = size_t{1} << 16;  // 512 KiB
  static constexpr uint32_t kNowhere = (uint32_t{1} << 24) - 1;

  /// Actions without reading a byte: set slot 2 + i to the position if bit i of `saves` is set and all
  /// `assertions` hold.
  struct Path {
    uint16_t assertions = 0;
    uint32_t saves = 0;
  };
  /// To the state that starts at `next` in steps_, or kNowhere.
  struct Step {
    uint64_t next : 24 = kNowhere;
    uint64_t saves : 2 * kMaxGroups = 0;
    uint64_t assertions : 15 = 0;
    uint64_t behind_match : 1 = 0;  ///< of lower preference than the state's match
  };
  struct Match {
    bool possible = false;
    Path path;
  };

  class Builder;
  OnePass() = default;

  std::array<uint8_t, 256> class_of_;
  size_t classes_ = 0;
  std::vector<Step> steps_;     // states x classes
  std::vector<Match> matches_;  // of each state
};

}  // namespace lanewise::text::captures
