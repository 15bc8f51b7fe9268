#pragma once

#include "lanes/automata/rows.h"
#include "lanes/tables/packed_table.h"
#include "lanes/tables/tables-inl.h"

// One entry per target, each in its own file, compiled for its instructions. `hits` is cleared by the caller.

namespace lanewise::lanes {

struct RowJob {
  const StringRows& rows;
  const u64* active;
  u64* hits;
  u8* codes;          ///< for rows that match: the code of the final state; null: not needed
  const u8* code_of;  ///< code of a state, which is divided by `scale`
  u32 scale;
  Stats* stats;
  u32 refill_below;  ///< 0: the group's width
};

/// The number of busy lanes below which a group of `width` lanes is refilled.
LANES_FN u32 threshold(const RowJob& job, u32 width) {
  return job.refill_below && job.refill_below < width ? job.refill_below : width;
}

/// An automaton for lanes that index a table, one of three: with at most 256 states `row_next` for 8 lanes,
/// `column_next` for other numbers of lanes; else `class_next`.
struct CoreTable {
  const u16* row_next;
  const u8* column_next;
  const u32* class_next;
  const u8* class_of;
  Verdicts verdicts;
};

Target match_branching(const CoreTable& table, const RowJob& job);
Target match_scalar(const CoreTable& table, const RowJob& job);
Target match_interleaved(const CoreTable& table, const RowJob& job, u32 width);
Target match_emulated(const CoreTable& table, const RowJob& job);
Target match_emulated(const PackedTable& table, const RowJob& job);
#if defined(__x86_64__)
Target match_avx2(const PackedTable& table, const RowJob& job);
Target match_avx512(const PackedTable& table, const RowJob& job);
#elif defined(__aarch64__)
Target match_neon(const PackedTable& table, const RowJob& job);
#endif

}  // namespace lanewise::lanes
