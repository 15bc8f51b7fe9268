#pragma once

#include <string>
#include <vector>

#include "base/memory.h"
#include "pram/inputs/graph.h"
#include "pram/language/program.h"
#include "pram/tree/value.h"

namespace lanewise::cli::pram_command {

/// Inputs of the command line: NAME=VALUES, where VALUES are numbers ("1,2,3", rows after ';'), @FILE, or a
/// generator: random:1000, shuffle:8, ascending:8, descending:8, constant:8:5; for matrices with both sizes,
/// random:8:8. `graph` (see below) fills the inputs named after the parts of a graph (pram/inputs/graph.h).
/// Throws UserError, also for an input that is given twice.
pram::Arrays read_inputs(const pram::Program& program, const std::vector<std::string>& given,
                         const std::string& graph, uint64_t seed, MemoryBudget& budget);

/// The generators of graphs, for help and errors.
inline constexpr const char* kGraphGenerators =
    "random:N:M, bipartite:L:R:M, grid:R:C, kronecker:SCALE, tree:N";

/// A generator or a file: `read_edge_table` reads .parquet and .csv, `read_graph` all others. Throws
/// UserError.
graph::Graph read_graph_input(const std::string& given, uint64_t seed, MemoryBudget& budget);

}  // namespace lanewise::cli::pram_command
