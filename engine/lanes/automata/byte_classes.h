#pragma once

#include "lanes/tables/packed_table.h"

namespace lanewise::lanes {

/// Lookup tables of byte classes for 32-byte registers, from the map `class_of` of all 256 bytes.

/// As runs of bytes in signed order; table.runs is 0 if there are too many.
void find_runs(const u8* class_of, PackedTable& table);

/// As codes of their nibbles; table.code_layers is 0 if three codes of four bits do not distinguish
/// classes.
void find_codes(const u8* class_of, PackedTable& table);

}  // namespace lanewise::lanes
