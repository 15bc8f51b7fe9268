#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

/// Rows (sources) matched with columns (targets), and a proof that the matching is maximum: as many vertices
/// that cover all edges.
struct Matching {
  std::vector<int64_t> column;  ///< for each row; -1: unmatched
  int64_t size = 0;
  std::vector<int64_t> cover_rows, cover_columns;  ///< ascending
};

/// A maximum matching of the bipartite graph whose edges lead from row `source` to column `target`; both are
/// below graph.vertices (Hopcroft and Karp, SIAM J. Comput. 1973, starting with Karp and Sipser's matching).
/// Throws UserError for 2^32 vertices or more.
Matching maximum_matching(const Graph& graph);

}  // namespace lanewise::graph
