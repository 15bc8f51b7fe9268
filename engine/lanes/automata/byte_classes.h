#pragma once

#include "lanes/automata/packed_table.h"

namespace lanewise::lanes {

/// The classes of bytes as registers of 32 bytes look them up, from the map `class_of` of all 256.

/// As runs of bytes in signed order; table.runs is 0 where there are too many.
void find_runs(const u8* class_of, PackedTable& table);

/// As codes of their halves; table.code_layers is 0 where three codes of four bits do not distinguish
/// classes.
void find_codes(const u8* class_of, PackedTable& table);

}  // namespace lanewise::lanes
