#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::text::automaton {

/// Groups states that no text distinguishes (Hopcroft, "An n log n algorithm for minimizing states in a
/// finite automaton", 1971). `next` is states x classes, row-major; states of different labels differ from
/// the start. Returns the group of each state; groups are numbered from 0 without gaps.
std::vector<uint32_t> group_equivalent(const std::vector<uint32_t>& next, size_t classes,
                                       const std::vector<uint8_t>& labels);

}  // namespace lanewise::text::automaton
