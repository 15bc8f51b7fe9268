#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/distances.h"

namespace lanewise::graph {

/// The vertices of a shortest path, including `from` and `to`; nothing if there is no path.
/// `distances` are the graph's. Of several, the one with the fewest edges; as sums of reals are rounded,
/// paths count as equally short if their lengths differ by a billionth. O(edges).
std::optional<std::vector<int64_t>> shortest_path(const Graph& graph, const Distances& distances,
                                                  int64_t from, int64_t to);

}  // namespace lanewise::graph
