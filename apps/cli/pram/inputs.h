#pragma once

#include <string>
#include <vector>

#include "base/memory.h"
#include "pram/inputs/graph.h"
#include "pram/program.h"
#include "pram/value.h"

namespace lanewise::cli::pram_command {

/// Inputs as the command line gives them: NAME=VALUES, where VALUES are numbers ("1,2,3", rows after ';'),
/// @FILE, or a generator: random:1000, shuffle:8, ascending:8, descending:8, constant:8:5; for matrices with
/// both sizes, random:8:8. `graph` is as below; it gives the inputs that have the name of a part of a graph
/// (pram/inputs/graph.h). Throws UserError, also of an input that is given twice.
pram::Arrays read_inputs(const pram::Program& program, const std::vector<std::string>& given,
                         const std::string& graph, uint64_t seed, MemoryBudget& budget);

/// The generators of graphs, as help and errors name them.
inline constexpr const char* kGraphGenerators =
    "random:N:M, bipartite:L:R:M, grid:R:C, kronecker:SCALE, tree:N";

/// A generator, or a file: .parquet and .csv are read by `read_edge_table`, all others by `read_graph`.
/// Throws UserError.
graph::Graph read_graph_input(const std::string& given, uint64_t seed, MemoryBudget& budget);

}  // namespace lanewise::cli::pram_command
