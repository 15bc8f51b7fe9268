#pragma once

#include <optional>
#include <string>

#include "graph/breadth_first_search.h"
#include "graph/components.h"
#include "graph/distances.h"
#include "graph/matching.h"
#include "graph/spanning_forest.h"

/// Independent checkers: other algorithms, as simple as possible, on one thread. Each describes the first
/// error, if any.
namespace lanewise::graph {

/// By breadth-first search: all vertices of a component, and no others, have the label of its smallest
/// vertex.
std::optional<std::string> check_components(const Graph& graph, const std::vector<uint32_t>& label);
/// By its certificate: no edge skips a level, and each vertex but the root has an edge from the level before.
std::optional<std::string> check_levels(const Graph& graph, int64_t root, const Levels& levels);
/// By Kruskal's algorithm on all edges in order; the result is unique.
std::optional<std::string> check_spanning_forest(const Graph& graph, const SpanningForest& forest);
/// By its certificate: no vertex is matched twice, and as many vertices cover all edges.
std::optional<std::string> check_matching(const Graph& graph, const Matching& matching);
/// By Bellman and Ford's algorithm from each vertex; reals may differ by rounding.
std::optional<std::string> check_distances(const Graph& graph, const Distances& distances);

}  // namespace lanewise::graph
