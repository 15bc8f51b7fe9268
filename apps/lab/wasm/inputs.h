#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pram/program.h"
#include "pram/value.h"

namespace lanewise::lab {

/// What a program takes from outside.
struct Input {
  std::string name;
  pram::Type type;
  std::vector<std::string> extents;  ///< as the program writes them
  bool from_graph;                   ///< a part of a graph has this name
};

std::vector<Input> inputs_of(const pram::Program& program);

struct Inputs {
  pram::Arrays arrays;
  std::vector<int64_t> labels;  ///< of a graph's vertices; empty: their numbers
};

/// Reads the page's Input. A line "NAME = values" begins an input, which ends where the next one begins; the
/// name `graph` stands for a graph. Text without a name belongs to the graph or to the only array. Throws
/// UserError, with the line counted from the top of `text`.
Inputs read_inputs(const pram::Program& program, std::string_view text);

}  // namespace lanewise::lab
