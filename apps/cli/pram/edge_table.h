#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory.h"
#include "graph/graph.h"

namespace lanewise::cli::pram_command {

/// The graph of a CSV or Parquet file with columns src, dst and perhaps weight. Throws UserError that names
/// the file and the line or row.
graph::Graph read_edge_table(const std::string& file, MemoryBudget& budget);

/// A whole number, possibly written as a double: 1, 1.0, 2.5e1. Nothing for 1.5, and for numbers that do not
/// fit.
std::optional<int64_t> whole_number(std::string_view word);

}  // namespace lanewise::cli::pram_command
