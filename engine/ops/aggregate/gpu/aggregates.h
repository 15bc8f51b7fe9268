#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/value.h"
#include "plan/node.h"

namespace lanewise::ops {

/// States of one aggregate call as kernels write them: one for each block, `stride` bytes apart.
struct StateArray {
  const uint8_t* first;
  size_t count;
  size_t stride;
};

/// One aggregate call as a kernel computes it. Calls of strings are supported only in groups. Excludes
/// pick_of() calls and averages of intervals.
struct DeviceAggregate {
  enum class Takes : uint8_t { kRows, kPresent, kTrue, kValue };
  enum class Keeps : uint8_t { kCount, kSum, kExactSum, kLeast, kMost, kAnd, kOr, kXor, kProduct, kMoments };

  plan::AggregateCall call;
  Takes takes;
  Keeps keeps;
  std::string state;  ///< the state's type in states-inl.h or folds-inl.h: "WholeSum<i32>"
  size_t bytes;       ///< size of a state
  /// Merges all states into the result; null: supported only in groups. Throws UserError if a sum overflows.
  Value (*finish)(const plan::AggregateCall& call, StateArray states);
};

/// Whether the state's type is in folds-inl.h.
bool is_fold(DeviceAggregate::Keeps keeps);

/// Adds up kernel::Count states.
int64_t count_rows(StateArray counts);

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

/// Throws expr::NotOnDevice with the call's name if devices do not support it.
DeviceAggregate device_aggregate(const plan::AggregateCall& call);

}  // namespace lanewise::ops
