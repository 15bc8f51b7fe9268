#pragma once

#include "lanes/lane.h"
#include "primitives/pair_kernels.h"

namespace lanewise::kernels::plain {

using lanes::u32;

/// One lane, which is busy in every form.
template <class Level>
u32 write_pairs(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  u32 written = 0;
  while (runs.at < runs.end && written < most) {
    u32& left = runs.count[runs.at];
    u32& first = runs.first[runs.at];
    const u32 row = runs.row[runs.at], count = left < most - written ? left : most - written;
    for (u32 i = 0; i < count; i++) {
      rows[written + i] = row;
      matches[written + i] = runs.order == nullptr ? first + i : runs.order[first + i];
    }
    written += count;
    first += count;
    left -= count;
    runs.at += left == 0;
  }
  runs.vectors += written;
  return written;
}

template <class Level>
constexpr PairKernels pair_kernels() {
  constexpr auto write = write_pairs<Level>;
  return {Level::kTarget, 1, write, write, write, write, write};
}

}  // namespace lanewise::kernels::plain
