#pragma once

#include "lanes/automata/rows_targets.h"

namespace lanewise::lanes {

/// Stores the result of a row that matches: its bit, and the code of its final state if requested.
struct BookRow {
  const RowJob& job;

  LANES_FN void operator()(u64 row, u32 state) const {
    set(row);
    if (job.codes) job.codes[row] = job.code_of[state / job.scale];
  }
  template <class Group>
  LANES_FN void operator()(const Group& group, u32 k) const {
    const u64 row = group.row(k);
    set(row);
    if (job.codes) job.codes[row] = job.code_of[group.state(k) / job.scale];
  }

 private:
  LANES_FN void set(u64 row) const { job.hits[row / 64] |= u64(1) << row % 64; }
};

}  // namespace lanewise::lanes
