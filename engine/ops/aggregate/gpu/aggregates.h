#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/value.h"
#include "ops/aggregate/functions/functions.h"
#include "plan/node.h"

namespace lanewise::ops {

/// How groups compute a call, except pick_of() calls and averages of intervals. Throws expr::NotOnDevice with
/// the call's name if devices do not support it.
Reduction device_reduction(const plan::AggregateCall& call);

bool is_count(Reduction reduction);
/// Whether the state's type is in folds-inl.h.
bool is_fold(Reduction reduction);

/// States as kernels write them: one for each block, `stride` bytes apart.
struct StateArray {
  const uint8_t* first;
  size_t count;
  size_t stride;
};

/// The states of all blocks, merged.
struct MergedState {
  int64_t count = 0;  ///< number of values
  Value value = {};   ///< of the values, NULL if there are none; the mean, if the state has moments
  double squares = 0;
};

/// A state of values that each block keeps in registers.
struct BlockState {
  std::string type;  ///< in states-inl.h or folds-inl.h: "WholeSum<i32>"
  size_t bytes;
  /// In the order of blocks. Throws UserError if a sum overflows.
  MergedState (*merge)(Type result, StateArray states);
};
/// Empty if there are no such states of the argument's values. Counts are of any values.
std::optional<BlockState> block_state(Reduction reduction, Type arg);

/// Whether the result is computed from a sum and a count.
bool is_average(const plan::AggregateCall& call);
/// Whether the call needs the values of all its rows at once, in order: string_agg, mode.
bool needs_rows(const plan::AggregateCall& call);
/// Whether the call is DISTINCT and this can change its result.
bool is_distinct(const plan::AggregateCall& call);

/// Whether the result depends on one or two values at given ranks: median, quantile_disc.
bool is_ranked(const plan::AggregateCall& call);

/// How a call picks one row of each group: the row with the least or greatest `by`, then the first by the
/// call's ORDER BY, then the first or last one of the input.
struct Pick {
  bool skips_null = false;  ///< ignores rows whose value is NULL
  bool last = false;
  ExprPtr by = nullptr;  ///< rows where it is NULL are ignored
  bool greatest = false;
};
/// Empty if the result is not a value of one row.
std::optional<Pick> pick_of(const plan::AggregateCall& call);

/// Whether the result is computed from moments: standard deviations and variances.
bool is_spread(const plan::AggregateCall& call);

}  // namespace lanewise::ops
