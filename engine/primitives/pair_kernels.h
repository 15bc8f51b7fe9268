#pragma once

#include <cstdint>

#include "lanes/targets/pair_form.h"
#include "lanes/targets/target.h"

/// From rows and their runs of matches to pairs, in the forms of lanes/targets/pair_form.h.
namespace lanewise::kernels {

/// The runs whose pairs are to be written, a block at a time. Kernels advance it.
struct PairRuns {
  static constexpr uint32_t kRuns = 256;
  static constexpr uint32_t kLanes = 16;  ///< the most of any target

  uint32_t row[kRuns + kLanes];
  uint32_t first[kRuns + kLanes];   ///< place of the first match that is not yet written
  uint32_t count[kRuns + kLanes];   ///< matches from there on, at least one; kLanes zeros follow the last run
  uint32_t at = 0, end = 0;         ///< the block's runs that are left
  bool last = false;                ///< no block follows
  const uint32_t* order = nullptr;  ///< the match at a place; null: the place itself

  // Of naive and refill: the runs that lanes are in the middle of.
  uint32_t lane_row[kLanes] = {}, lane_first[kLanes] = {}, lane_count[kLanes] = {};

  uint64_t vectors = 0;  ///< written so far, each by all lanes
};

/// Writes pairs until `most` are there, or the block has ended and, if it is the last one, all lanes. Returns
/// how many; rows and matches have room for PairRuns::kLanes more. `order` has readable padding of as many
/// numbers.
using WritePairs = uint32_t(PairRuns& runs, uint32_t most, uint32_t* rows, uint32_t* matches);

struct PairKernels {
  lanes::Target target;
  uint32_t lanes;  ///< that write at a time
  WritePairs *naive, *refill, *balanced, *whole, *mixed;

  WritePairs* of(lanes::PairForm form) const;
};

/// The kernels on `target`, which must be supported here. Targets without vectors have one lane, and one
/// form.
const PairKernels& pairs_of(lanes::Target target);

}  // namespace lanewise::kernels
