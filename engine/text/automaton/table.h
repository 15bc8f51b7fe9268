#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/automaton/determinizer.h"

namespace lanewise::text::automaton {

/// A minimal deterministic automaton with all its states, in no particular order.
struct Table {
  enum Label : uint8_t {
    kAcceptsAtEnd = 1,  ///< Determinizer::accepts_at_end
    kEndedBefore = 2,   ///< Determinizer::ended_before
  };
  std::array<uint8_t, 256> class_of;
  std::vector<uint32_t> next;   ///< states x classes
  std::vector<uint8_t> labels;  ///< by state; in a product codes, where 0 does not match
  size_t classes = 0;
  uint32_t start = 0;

  size_t states() const { return labels.size(); }
  /// Whether all bytes lead from the state back to itself.
  bool absorbs(uint32_t state) const;
};

/// Determinises and minimises; bytes that no state distinguishes share a class. nullopt if that exceeds
/// limits.automaton_states, automaton_bytes or automaton_work.
std::optional<Table> make_table(const Program& program, Question question, const Limits& limits);

/// Merges indistinguishable states, and then bytes; removes unreachable states.
void minimise(Table& table);

}  // namespace lanewise::text::automaton
