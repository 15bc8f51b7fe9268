#pragma once

#include <bitset>

#include "lanes/search/kind_table.h"

namespace lanewise::lanes {

/// The bytes of `set` have kinds, all others none: high halves with the same low halves share a kind. With
/// more than eight of those, where halves are looked up, other bytes seem to have kinds too.
KindTable kinds_of_set(const std::bitset<256>& set);

/// Whether kinds_of_set is right wherever halves are looked up.
bool has_exact_kinds(const std::bitset<256>& set);

}  // namespace lanewise::lanes
