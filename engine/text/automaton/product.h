#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/automaton/complete_automaton.h"

namespace lanewise::text::automaton {

/// Which of several automata match a text.
enum class Which : uint8_t {
  kFirst,  ///< the first one that does
  kAll,
};

/// Several automata run as one; its labels are codes.
struct Product {
  CompleteAutomaton automaton;
  std::vector<uint64_t> sets;  ///< by code: bit i is automaton i; none for code 0
};

/// The product of at most 64 automata. nullopt where it would have more than `most_states`, or sets than a
/// label can name.
std::optional<Product> product(std::span<const CompleteAutomaton* const> automata, Which which,
                               size_t most_states);

}  // namespace lanewise::text::automaton
