#pragma once

#include "graph/graph.h"
#include "pram/value.h"

namespace lanewise::pram {

/// What programs call a graph: n, source, target, weight (int where all are whole, else real).
Arrays graph_inputs(const graph::Graph& graph);

}  // namespace lanewise::pram
