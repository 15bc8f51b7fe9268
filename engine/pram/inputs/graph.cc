#include "pram/inputs/graph.h"

namespace lanewise::pram {

Arrays graph_inputs(const graph::Graph& graph) {
  Arrays inputs;
  inputs["n"] = scalar(graph.vertices);
  inputs["source"] = ints(graph.source);
  inputs["target"] = ints(graph.target);
  if (graph.weight.empty()) {
    inputs["weight"] = ints(std::vector<int64_t>(graph.edges(), 1));
  } else if (graph.whole_weights()) {
    std::vector<int64_t> weights;
    for (const double weight : graph.weight) weights.push_back(static_cast<int64_t>(weight));
    inputs["weight"] = ints(std::move(weights));
  } else {
    inputs["weight"] = reals(graph.weight);
  }
  return inputs;
}

}  // namespace lanewise::pram
