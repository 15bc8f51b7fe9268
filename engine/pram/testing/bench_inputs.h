// Inputs of programs for benchmarks.
#pragma once

#include <algorithm>
#include <string>

#include "pram/inputs/graph.h"
#include "pram/program.h"
#include "pram/testing/outcome.h"

namespace lanewise::pram {

/// An input for each array that the program asks for; for graphs a random one of 2 n edges.
inline Arrays inputs_of(const Program& program, int64_t n) {
  Arrays graph;
  if (program.tree().parameters[0].kind == Parameter::Kind::kInput) {
    graph = graph_inputs(graph::random_graph(n, 2 * n, 1));
    graph["root"] = scalar(0);
  }
  Arrays inputs;
  const auto take = [&](const std::string& name, size_t dimensions) {
    if (graph.contains(name)) {
      inputs[name] = graph.at(name);
    } else {
      Array array = numbers(dimensions == 2 ? n * n : n, 1000);
      if (dimensions == 2) array.extents = {n, n};
      if (program.file() == "merge.pram") std::sort(array.words.begin(), array.words.end());
      inputs[name] = std::move(array);
    }
  };
  for (const Parameter& parameter : program.tree().parameters) {
    if (parameter.kind == Parameter::Kind::kInput) take(parameter.name, 0);
  }
  for (const Variable& variable : program.tree().variables) {
    if (variable.given()) take(variable.name, variable.extents.size());
  }
  return inputs;
}

}  // namespace lanewise::pram
