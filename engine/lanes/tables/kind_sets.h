#pragma once

#include <bitset>

#include "lanes/tables/kind_table.h"

namespace lanewise::lanes {

/// Bytes in `set` get kinds (buckets), others none: high nibbles with the same low nibbles share a kind. With
/// more than eight kinds, a nibble look-up may report false positives.
KindTable kinds_of_set(const std::bitset<256>& set);

/// Whether kinds_of_set is exact with nibble look-ups.
bool has_exact_kinds(const std::bitset<256>& set);

}  // namespace lanewise::lanes
