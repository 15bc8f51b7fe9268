#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/distances.h"

namespace lanewise::graph {

/// The vertices of a shortest path from `from` to `to`, both among them; none where there is no path.
/// `distances` are the graph's. Of several the one with the fewest edges; sums of reals are rounded, so that
/// paths count as equally short whose lengths differ by a billionth. Takes O(edges).
std::optional<std::vector<int64_t>> shortest_path(const Graph& graph, const Distances& distances,
                                                  int64_t from, int64_t to);

}  // namespace lanewise::graph
