#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "pram/language/program.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// An input of a program.
struct Input {
  std::string name;
  Type type;
  std::vector<std::string> extents;  ///< as the program writes them
  bool from_graph;                   ///< the name belongs to a graph's inputs
};

std::vector<Input> inputs_of(const Program& program);

struct TextInputs {
  Arrays arrays;
  std::vector<int64_t> labels;  ///< of a graph's vertices; empty: their numbers
};

/// Reads all inputs from one text, as in the lab's page. A line "NAME = values" starts an input, which
/// ends where the next one starts; the name `graph` stands for a graph. Text without a name belongs to the
/// graph or to the only array. Throws UserError, with the line counted from the top of `text`, and
/// MemoryError.
TextInputs read_text_inputs(const Program& program, std::string_view text, MemoryBudget* budget = nullptr);

}  // namespace lanewise::pram
