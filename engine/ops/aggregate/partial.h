#pragma once

#include <optional>
#include <vector>

#include "plan/node.h"

namespace lanewise::ops {

/// An aggregate that can be computed from aggregates of parts of its rows. (Distributive and algebraic
/// functions: Gray et al., "Data cube", Data Mining and Knowledge Discovery 1, 1997.)
struct Partial {
  std::vector<plan::AggregateCall> states;  ///< over the rows
  plan::AggregateCall result;               ///< over the rows: the call itself

  /// Over states of parts, in columns `first`, `first` + 1, ...: the states of all their rows.
  std::vector<plan::AggregateCall> merged_states(size_t first) const;
  /// Likewise: the result.
  plan::AggregateCall merged_result(size_t first) const;
  bool state_is_result() const { return states.size() == 1; }
};

/// Nothing if the result needs all rows at once, or their order.
std::optional<Partial> partial(const plan::AggregateCall& call);

/// Whether the function takes results of parts: count_of_parts, avg_of_parts.
bool merges_parts(const plan::AggregateCall& call);

}  // namespace lanewise::ops
