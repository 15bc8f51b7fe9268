#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/automaton/complete_automaton.h"

namespace lanewise::text::automaton {

/// Which of several automata matches a text.
enum class Which : uint8_t {
  kFirst,  ///< the first matching one
  kAll,
};

/// Several automata combined into one; its labels are codes.
struct Product {
  CompleteAutomaton automaton;
  std::vector<uint64_t> sets;  ///< by code: bit i is automaton i; empty for code 0
};

/// The product of at most 64 automata. nullopt if it would have more than `most_states`, or more sets than a
/// label can name.
std::optional<Product> product(std::span<const CompleteAutomaton* const> automata, Which which,
                               size_t most_states);

}  // namespace lanewise::text::automaton
