// Inputs of programs for benchmarks.
#pragma once

#include <algorithm>
#include <string>

#include "graph/neighbours.h"
#include "graph/testing/chains.h"
#include "pram/inputs/graph.h"
#include "pram/language/program.h"
#include "pram/testing/outcome.h"

namespace lanewise::pram {

/// A random graph of 2 n edges.
inline graph::Graph bench_graph(int64_t n) { return graph::random_graph(n, 2 * n, 1); }

/// An edge for each cell of a matrix of weights.
inline graph::Graph complete_graph(const Array& weights) {
  graph::Graph graph;
  graph.vertices = weights.extents[0];
  for (int64_t cell = 0; cell < graph.vertices * graph.vertices; ++cell) {
    graph.source.push_back(cell / graph.vertices);
    graph.target.push_back(cell % graph.vertices);
    graph.weight.push_back(static_cast<double>(weights.words[static_cast<size_t>(cell)]));
  }
  return graph;
}

/// Meaningful inputs, by name.
inline Arrays special_inputs(const std::string& program, int64_t n) {
  if (program == "list_ranking.pram") return {{"next", ints(graph::mixed_list(n))}};
  if (program == "tree_depth.pram") return {{"parent", ints(graph::narrow_tree(n))}};
  if (program == "segmented_scan.pram") {
    Array first = numbers(n, 100, 2);
    first.type = Type::kBool;
    for (Word& word : first.words) word = word == 0 ? 1 : 0;
    return {{"first", std::move(first)}};
  }
  if (program == "matching.pram") {
    const graph::Graph graph = bench_graph(n);
    const graph::Neighbours columns(static_cast<size_t>(n), graph.source, graph.target);
    return {{"offset", ints({columns.offsets().begin(), columns.offsets().end()})},
            {"neighbour", ints({columns.all().begin(), columns.all().end()})},
            {"right", scalar(n)}};
  }
  return {};
}

/// An input for each array of the program; for graphs the one of bench_graph.
inline Arrays inputs_of(const Program& program, int64_t n) {
  Arrays special = special_inputs(program.file(), n);
  if (special.empty() && program.tree().parameters[0].kind == Parameter::Kind::kInput) {
    special = graph_inputs(bench_graph(n));
    special["root"] = scalar(0);
  }
  Arrays inputs;
  const auto take = [&](const std::string& name, size_t dimensions) {
    if (special.contains(name)) {
      inputs[name] = special.at(name);
    } else if (dimensions == 0) {
      inputs[name] = scalar(n);
    } else if (dimensions == 2 && (name == "edge" || name == "weight")) {
      inputs[name] = *graph_input(bench_graph(n), name, dimensions);
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

inline std::string hundred_lines() {
  std::string text = "mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nprivate x = 0\n";
  for (int i = 0; i < 95; ++i) text += "if p % 2 == 0 { x = x + A[p] * 3 - min(x, p) }\n";
  return text + "B[p] = x\n";
}

}  // namespace lanewise::pram
