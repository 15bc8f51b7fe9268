#include "study/bench/pram_twin.h"

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "gpu/staging.h"
#include "graph/distances.h"
#include "graph/gpu/device_graph.h"
#include "lab/tuned.h"
#include "pram/library.h"
#include "primitives/gpu/device_sort.h"
#include "primitives/parallel.h"

namespace lanewise::cli::bench {

namespace {

using pram::Array;
using pram::Arrays;
using pram::Word;

/// The graph of the inputs of a program.
graph::Graph graph_of(const Arrays& inputs) {
  graph::Graph graph;
  if (const auto matrix = inputs.find("W"); matrix != inputs.end()) {
    const int64_t n = graph.vertices = matrix->second.extents.at(0);
    for (int64_t from = 0; from < n; ++from) {
      for (int64_t to = 0; to < n; ++to) {
        const double weight = pram::real_of(matrix->second.words[static_cast<size_t>(from * n + to)]);
        if (std::isinf(weight)) continue;
        graph.source.push_back(from), graph.target.push_back(to), graph.weight.push_back(weight);
      }
    }
    return graph;
  }
  if (const auto offset = inputs.find("offset"); offset != inputs.end()) {
    const std::vector<Word>& offsets = offset->second.words;
    graph.target = inputs.at("neighbour").words;
    const auto rows = static_cast<int64_t>(offsets.size()) - 1;
    graph.vertices = std::max(rows, inputs.at("right").words.at(0));
    for (int64_t row = 0; row < rows; ++row) {
      const auto at = static_cast<size_t>(row);
      graph.source.insert(graph.source.end(), static_cast<size_t>(offsets[at + 1] - offsets[at]), row);
    }
    return graph;
  }
  graph.vertices = inputs.at("n").words.at(0);
  graph.source = inputs.at("source").words;
  graph.target = inputs.at("target").words;
  if (const auto weight = inputs.find("weight"); weight != inputs.end()) {
    graph.weight.assign(weight->second.words.begin(), weight->second.words.end());
  }
  return graph;
}

Arrays matrix_of(const graph::Distances& distances) {
  Array result{pram::Type::kReal, {distances.vertices, distances.vertices}, {}};
  for (int64_t from = 0; from < distances.vertices; ++from) {
    for (int64_t to = 0; to < distances.vertices; ++to) {
      result.words.push_back(pram::word_of(distances.at(from, to)));
    }
  }
  return {{"D", std::move(result)}};
}

/// An array on a GPU and its algorithms.
class ArrayTwin {
 public:
  ArrayTwin(std::vector<Word> values, gpu::Device& gpu)
      : values_(std::move(values)),
        stream_(gpu),
        pool_(gpu),
        staging_(gpu),
        arrays_(pool_),
        sort_(pool_),
        there_(pool_.allocate((values_.size() + 1) * sizeof(Word), stream_, "benchmark")) {}

  Arrays run(const std::string& program) {
    const size_t bytes = values_.size() * sizeof(Word);
    staging_.upload(there_.address(), values_.data(), bytes, stream_);
    if (program == "reduction") {
      arrays_.reduce(Combine::kSum, Element::kInt64, there_.address(), values_.size(),
                     there_.address() + bytes, stream_);
      Word sum = 0;
      staging_.download(&sum, there_.address() + bytes, sizeof sum, stream_);
      return {{"sum", pram::scalar(sum)}};
    }
    if (program == "scan") {
      arrays_.scan(Combine::kSum, Element::kInt64, true, there_.address(), values_.size(), there_.address(),
                   stream_);
    } else {
      sort_.sort(Order::kAscending, Element::kInt64, there_.address(), values_.size(), there_.address(),
                 stream_);
    }
    std::vector<Word> result(values_.size());
    staging_.download(result.data(), there_.address(), bytes, stream_);
    return {{program == "scan" ? "S" : "A", pram::ints(std::move(result))}};
  }

 private:
  const std::vector<Word> values_;
  gpu::Stream stream_;
  gpu::DevicePool pool_;
  gpu::Staging staging_;
  DeviceArrays arrays_;
  DeviceMergeSort sort_;
  gpu::DeviceBuffer there_;
};

Arrays graph_twin(const std::string& program, const graph::Graph& graph, gpu::Device& gpu) {
  graph::DeviceGraph there(graph, gpu);
  if (program == "components") {
    const std::vector<uint32_t> labels = there.components();
    return {{"label", pram::ints({labels.begin(), labels.end()})}};
  }
  if (program == "matching") return {{"match", pram::ints(there.maximum_matching().column)}};
  if (program == "all_pairs_distances") return matrix_of(there.all_distances());
  std::vector<int64_t> tree(graph.edges());
  for (const int64_t edge : there.spanning_forest().edges) tree[static_cast<size_t>(edge)] = 1;
  return {{"tree", pram::ints(std::move(tree))}};
}

}  // namespace

std::function<Arrays()> twin_on_cores(const std::string& program, const Arrays& inputs) {
  if (program == "all_pairs_distances") {
    return [graph = graph_of(inputs)] {
      return with_threads(machine_cores(), [&] { return matrix_of(graph::all_distances(graph)); });
    };
  }
  for (const pram::LibraryProgram& known : pram::library()) {
    if (known.name != program) continue;
    return [tuned = lab::tuned_version(known.text), inputs] {
      return with_threads(machine_cores(), [&] { return tuned(inputs); });
    };
  }
  throw UserError("there is no program '" + program + "'");
}

std::function<Arrays()> twin_on_gpu(const std::string& program, const Arrays& inputs, gpu::Device& gpu) {
  if (program == "reduction" || program == "scan" || program == "sort") {
    const auto twin = std::make_shared<ArrayTwin>(inputs.at("A").words, gpu);
    return [=] { return twin->run(program); };
  }
  const bool two_sides = program == "matching";
  return [=, &gpu, graph = std::make_shared<const graph::Graph>(graph_of(inputs)),
          rows = two_sides ? inputs.at("offset").words.size() - 1 : 0] {
    Arrays outputs = graph_twin(program, *graph, gpu);
    if (two_sides) {
      Array& match = outputs.at("match");
      match.words.resize(rows, -1);
      match.extents = {static_cast<int64_t>(rows)};
    }
    return outputs;
  };
}

}  // namespace lanewise::cli::bench
