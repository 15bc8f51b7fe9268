#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lanes/automata/automaton.h"
#include "text/automaton/determinizer.h"

namespace lanewise::text::automaton {

/// A minimal deterministic automaton with all its states, numbered as lanes::AutomatonView
/// requires.
struct CompleteAutomaton {
  std::array<uint8_t, 256> class_of;
  std::vector<uint16_t> next;  ///< states x classes
  unsigned states = 0;
  unsigned classes = 0;
  unsigned start = 0;
  unsigned dead = 0;            ///< `states` if there is none
  unsigned end_accept = 0;      ///< states from here on match if the text ends
  unsigned match = 0;           ///< `states` if there is none
  std::vector<uint8_t> labels;  ///< by state: 0 below end_accept, the table's label from there on

  lanes::AutomatonView view() const {
    return {class_of.data(), next.data(), states, classes, start, dead, end_accept, match};
  }
  /// The state after the text, or the state that decides it before its end.
  unsigned last_state(std::string_view text) const;
  bool matches(std::string_view text) const { return last_state(text) >= end_accept; }
};

struct Table;

/// The same automaton with its states numbered as CompleteAutomaton requires.
CompleteAutomaton numbered(const Table& table);

/// For Question::kWhole or kSearch. nullopt if it would exceed the limits (see make_table).
std::optional<CompleteAutomaton> complete(const Program& program, Question question, const Limits& limits);

}  // namespace lanewise::text::automaton
