#pragma once

#include "lanes/automata/book-inl.h"
#include "lanes/automata/row_source-inl.h"
#include "lanes/automata/rows-inl.h"
#include "lanes/automata/rows_targets.h"
#include "lanes/automata/tally-inl.h"
#include "lanes/groups/packed_group-inl.h"

namespace lanewise::lanes {

/// The end of the longest run of rows from `first` whose bytes a 32-bit offset reaches; `first` if that row
/// is too long.
static inline u64 segment_end(const StringRows& rows, u64 first) {
  const u64 limit = rows.offset(first) + 0xffffffffu;
  u64 low = first, high = rows.count - first < 0xffffffffu ? rows.count : first + 0xffffffffu;
  while (low < high) {
    const u64 middle = high - (high - low) / 2;
    rows.offset(middle) <= limit ? low = middle : high = middle - 1;
  }
  return low;
}

/// The final state of one row of any length.
static inline u8 last_state(const PackedTable& table, const u8* at, const u8* end) {
  u8 state = table.start;
  if (table.last_bytes && u64(end - at) > table.last_bytes) at = end - table.last_bytes;
  while (at != end && u8(state - table.decided_bias) <= table.last_undecided) {
    state = table.step(state, *at++);
  }
  return state;
}

/// Prefetch distance for text: lanes read at many positions, which a core does not recognise as a
/// stream.
constexpr u64 kAhead = 8192;

template <class Group, class Tally>
void run_packed(const PackedTable& table, const RowJob& job, Tally tally) {
  const StringRows& rows = job.rows;
  const BookRow book{job};
  constexpr u64 kBlocks = u64(Group::width) * Group::kBlock;  // what a walk may read
  for (u64 first = 0; first < rows.count;) {
    const u64 last = segment_end(rows, first);
    const u64 base = rows.offset(first);
    if (last == first) {
      const bool active = !job.active || (job.active[first / 64] >> first % 64 & 1);
      if (active) {
        const u8 state = last_state(table, rows.bytes + base, rows.bytes + rows.end(first));
        if (state > table.last_rejecting) book(first, state);
      }
      first++;
      continue;
    }
    Group group(table, rows.bytes + base, base, first), other = group;
    RowSource<kAhead, kBlocks> source(rows, first, last, job.active);
    run_rows(group, other, source, threshold(job, Group::width), book, tally);
    first = last;
  }
}

template <class Group>
void run_packed(const PackedTable& table, const RowJob& job) {
  if (job.stats) {
    run_packed<Group>(table, job, StatsTally{*job.stats});
  } else {
    run_packed<Group>(table, job, NoTally{});
  }
}

/// With the smallest Next that holds the table, of 64 to 512 entries.
template <class Register, class Classes, template <u32> class Next>
void run_by_entries(const PackedTable& table, const RowJob& job) {
  if (table.has_halves) {
    run_packed<PackedGroup<Register, Classes, Next<512>>>(table, job);
  } else if (table.entries <= 64) {
    run_packed<PackedGroup<Register, Classes, Next<64>>>(table, job);
  } else if (table.entries <= 128) {
    run_packed<PackedGroup<Register, Classes, Next<128>>>(table, job);
  } else {
    run_packed<PackedGroup<Register, Classes, Next<256>>>(table, job);
  }
}

}  // namespace lanewise::lanes
