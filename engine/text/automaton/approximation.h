#pragma once

#include <functional>
#include <optional>

#include "text/automaton/complete_automaton.h"

namespace lanewise::text::automaton {

/// A smaller automaton that matches all that `exact` matches, and more. It keeps the states that are
/// reached by the fewest bytes, as many as `fits` allows, and accepts at all others. Nothing if
/// hardly any can be kept.
std::optional<CompleteAutomaton> approximate(const CompleteAutomaton& exact,
                                             const std::function<bool(const CompleteAutomaton&)>& fits);

}  // namespace lanewise::text::automaton
