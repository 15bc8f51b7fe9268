#pragma once

#include <cstdint>
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

/// One aggregate call as a kernel computes it. Those of strings are only there for groups.
struct DeviceAggregate {
  enum class Takes : uint8_t { kRows, kPresent, kTrue, kValue };
  enum class Keeps : uint8_t { kCount, kSum, kLeast, kMost };

  plan::AggregateCall call;
  Takes takes;
  Keeps keeps;
  std::string state;  ///< its type in states-inl.h: "WholeSum<i32>"
  size_t bytes;       ///< of a state
  /// What all of them come to; null: only for groups. Throws UserError where a sum overflows.
  Value (*finish)(const plan::AggregateCall& call, StateArray states);
};

/// What kernel::Count states come to.
int64_t count_rows(StateArray counts);

bool is_average(const plan::AggregateCall& call);
/// Whether the call asks for each value once, where that matters.
bool is_distinct(const plan::AggregateCall& call);

/// Whether the call's result is one value or two of all, by their ranks: median, quantile_disc.
bool is_ranked(const plan::AggregateCall& call);

/// Throws expr::NotOnDevice that names the call.
DeviceAggregate device_aggregate(const plan::AggregateCall& call);

}  // namespace lanewise::exec
