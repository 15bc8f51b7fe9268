#include "lanes/automata/book-inl.h"
#include "lanes/automata/rows_targets.h"
#include "lanes/automata/tally-inl.h"

namespace lanewise::lanes {
namespace {

/// A loop for each row, which exits at the byte that decides it.
template <class Table>
void run(const Table& table, const Verdicts& verdicts, const RowJob& job) {
  const StringRows& rows = job.rows;
  const BookRow book{job};
  for (u64 row = 0; row < rows.count; row++) {
    if (job.active && !(job.active[row / 64] >> row % 64 & 1)) continue;
    const u8* const begin = rows.bytes + rows.offset(row);
    const u8* const end = rows.bytes + rows.end(row);
    const u8* at = begin;
    u32 state = verdicts.start;
    while (at != end && !verdicts.is_decided(state)) state = table.step(state, *at++);
    if (verdicts.accepts(state)) book(row, state);
    if (job.stats) StatsTally{*job.stats}.walk(u64(at - begin), u64(at - begin), u64(at - begin));
  }
}

}  // namespace

Target match_branching(const CoreTable& table, const RowJob& job) {
  if (table.column_next) {
    run(ColumnTable{table.column_next}, table.verdicts, job);
  } else {
    run(ClassTable{table.class_of, table.class_next}, table.verdicts, job);
  }
  return Target::branching;
}

}  // namespace lanewise::lanes
