#pragma once

#include "lanes/automata/book-inl.h"
#include "lanes/automata/row_source-inl.h"
#include "lanes/automata/rows-inl.h"
#include "lanes/automata/rows_targets.h"
#include "lanes/automata/tally-inl.h"
#include "lanes/groups/core_group-inl.h"

namespace lanewise::lanes {

template <u32 W, class Table>
void run_core(const Table& table, const Verdicts& verdicts, const RowJob& job) {
  CoreGroup<W, Table> group(table, verdicts, job.rows.bytes);
  RowSource<0> source(job.rows, 0, job.rows.count, job.active);
  const u32 refill_below = threshold(job, W);
  if (job.stats) {
    StatsTally tally{*job.stats};
    run_rows(group, source, refill_below, BookRow{job}, tally);
  } else {
    NoTally tally;
    run_rows(group, source, refill_below, BookRow{job}, tally);
  }
}

/// Runs W lanes over the suitable table.
template <u32 W>
void run_core(const CoreTable& table, const RowJob& job) {
  if (table.row_next) {
    run_core<W>(RowTable{table.row_next}, table.verdicts, job);
  } else if (table.column_next) {
    run_core<W>(ColumnTable{table.column_next}, table.verdicts, job);
  } else {
    run_core<W>(ClassTable{table.class_of, table.class_next}, table.verdicts, job);
  }
}

}  // namespace lanewise::lanes
