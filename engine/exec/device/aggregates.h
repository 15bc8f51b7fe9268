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

/// One aggregate call as a kernel computes it.
struct DeviceAggregate {
  enum class Takes : uint8_t { kRows, kPresent, kTrue, kValue };

  plan::AggregateCall call;
  Takes takes;
  std::string state;  ///< its type in states-inl.h: "WholeSum<i32>"
  size_t bytes;       ///< of a state
  /// What all of them come to. Throws UserError where a sum overflows.
  Value (*finish)(const plan::AggregateCall& call, StateArray states);
};

/// What kernel::Count states come to.
int64_t count_rows(StateArray counts);

/// Throws expr::NotOnDevice that names the call.
DeviceAggregate device_aggregate(const plan::AggregateCall& call);

}  // namespace lanewise::exec
