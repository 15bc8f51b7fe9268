#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/function.h"
#include "expr/patterns/prepared_pattern.h"
#include "text/captures/tagged_automaton.h"

namespace lanewise::expr {

/// What searches for these groups of a pattern on a device (captures-inl.h); nothing where the pattern is not
/// constant or its automaton too large.
std::optional<text::captures::TaggedAutomaton> device_search(const PreparedPattern& pattern,
                                                             std::span<const int> groups);
/// Its arrays, as the device's functions take them.
std::vector<DeviceTable> device_tables(const text::captures::TaggedAutomaton& search);

}  // namespace lanewise::expr
