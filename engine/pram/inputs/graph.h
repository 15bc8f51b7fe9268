#pragma once

#include <optional>
#include <string_view>

#include "graph/graph.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// The inputs of a list of edges: n, source, target, weight (int if all are whole, else real).
Arrays graph_inputs(const graph::Graph& graph);

/// The inputs of a graph, by name and number of dimensions; nothing for other names. In addition to those
/// above: `offset`, `neighbour`, `right`: the neighbours of v are neighbour[offset[v]] to neighbour[offset[v
/// + 1] - 1],
///   `right` is the number of vertices;
/// `parent`: of a tree, whose root is its own (UserError if a vertex has several);
/// `edge` and `weight` of two dimensions: whether two different vertices have an edge, in either direction,
/// and
///   the weight of the lightest;
/// `W`: the weight of the lightest edge in this direction, infinity if there is none.
/// Throws UserError for the matrices of a graph of more than 16,384 vertices.
std::optional<Array> graph_input(const graph::Graph& graph, std::string_view name, size_t dimensions);

}  // namespace lanewise::pram
