#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/function.h"
#include "expr/patterns/prepared_pattern.h"
#include "text/captures/tagged_automaton.h"

namespace lanewise::expr {

/// Searches for these groups of a pattern on a device (captures-inl.h); nothing if the pattern is not
/// constant or its automaton is too large.
std::optional<text::captures::TaggedAutomaton> device_search(const PreparedPattern& pattern,
                                                             std::span<const int> groups);
/// The automaton's arrays, as the device functions take them.
std::vector<DeviceTable> device_tables(const text::captures::TaggedAutomaton& search);

}  // namespace lanewise::expr
