#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/value.h"
#include "plan/node.h"

namespace lanewise::exec {

/// States of one aggregate call as kernels leave them: one for each block, `stride` bytes apart.
struct StateArray {
  const uint8_t* first;
  size_t count;
  size_t stride;
};

/// One aggregate call as a kernel computes it. Those of strings are only there for groups; those that
/// pick_of() knows, and averages of intervals, are none.
struct DeviceAggregate {
  enum class Takes : uint8_t { kRows, kPresent, kTrue, kValue };
  enum class Keeps : uint8_t { kCount, kSum, kExactSum, kLeast, kMost, kAnd, kOr, kXor, kProduct, kMoments };

  plan::AggregateCall call;
  Takes takes;
  Keeps keeps;
  std::string state;  ///< its type in states-inl.h or folds-inl.h: "WholeSum<i32>"
  size_t bytes;       ///< of a state
  /// What all of them come to; null: only for groups. Throws UserError where a sum overflows.
  Value (*finish)(const plan::AggregateCall& call, StateArray states);
};

/// Whether it is in folds-inl.h.
bool is_fold(DeviceAggregate::Keeps keeps);

/// What kernel::Count states come to.
int64_t count_rows(StateArray counts);

/// Whether a sum and a count make its result.
bool is_average(const plan::AggregateCall& call);
/// Whether the call needs values of all its rows together, in their order: string_agg, mode.
bool needs_rows(const plan::AggregateCall& call);
/// Whether another call takes each value once, where that matters.
bool is_distinct(const plan::AggregateCall& call);

/// Whether the call's result is one value or two of all, by their ranks: median, quantile_disc.
bool is_ranked(const plan::AggregateCall& call);

/// Whether the result is of one row of each group, and which one that is: that of the least or greatest value
/// of `by`, then of the call's ORDER BY, then the first or last one of the input.
struct Pick {
  bool skips_null = false;  ///< rows whose value is NULL do not take part
  bool last = false;
  ExprPtr by = nullptr;  ///< rows where it is NULL do not take part
  bool greatest = false;
};
std::optional<Pick> pick_of(const plan::AggregateCall& call);

/// Whether the call is of the moments: standard deviations and variances.
bool is_spread(const plan::AggregateCall& call);

/// Throws expr::NotOnDevice that names the call.
DeviceAggregate device_aggregate(const plan::AggregateCall& call);

}  // namespace lanewise::exec
