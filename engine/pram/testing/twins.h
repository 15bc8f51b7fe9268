// Tuned GPU implementations of what programs compute, for the inputs of bench_inputs.h.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/error.h"
#include "graph/gpu/device_chains.h"
#include "graph/gpu/device_graph.h"
#include "pram/testing/bench_inputs.h"
#include "primitives/gpu/device_arrays.h"
#include "primitives/gpu/device_matrix.h"
#include "primitives/gpu/device_sort.h"

namespace lanewise::pram {

/// Computes it once; returns the seconds from the first launch to the end, with all data on the device.
using Twin = std::function<double()>;

/// Arrays of 64-bit numbers on a GPU, and operations on them.
class ArrayTwin {
 public:
  ArrayTwin(const Arrays& inputs, size_t results) {
    for (const auto& [name, array] : inputs) {
      if (array.extents.empty()) continue;
      given_.push_back(upload(array.words));
      if (array.type == Type::kBool) given_.back() = upload(bytes_of(array.words));
      sizes_.push_back(array.words.size());
    }
    to_ = upload(std::vector<int64_t>(results));
  }

  double run(const std::string& program) {
    const auto start = std::chrono::steady_clock::now();
    launch(program);
    stream_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  template <class T>
  gpu::DeviceBuffer upload(const std::vector<T>& values) {
    gpu::DeviceBuffer buffer = pool_.allocate(values.size() * sizeof(T), stream_, "a benchmark");
    stream_.copy_to_device(buffer.address(), values.data(), values.size() * sizeof(T));
    stream_.synchronize();
    return buffer;
  }
  static std::vector<uint8_t> bytes_of(const std::vector<Word>& words) {
    return {words.begin(), words.end()};
  }

  void launch(const std::string& program) {
    const auto a = given_[0].address(), b = given_.back().address(), to = to_.address();
    const uint64_t n = sizes_[0];
    if (program == "reduction") {
      arrays_.reduce(Combine::kSum, Element::kInt64, a, n, to, stream_);
    } else if (program == "maximum") {
      arrays_.reduce(Combine::kGreatest, Element::kInt64, a, n, to, stream_);
    } else if (program == "segmented_scan") {
      arrays_.segmented_scan(Combine::kSum, Element::kInt64, true, a, b, n, to, stream_);
    } else if (program.ends_with("scan")) {
      arrays_.scan(Combine::kSum, Element::kInt64, program != "exclusive_scan", a, n, to, stream_);
    } else if (program == "merge") {
      sorter_.merge(Order::kAscending, Element::kInt64, a, n, b, sizes_[1], to, stream_);
    } else if (program == "matrix_product") {
      const auto side = static_cast<uint64_t>(std::sqrt(static_cast<double>(n)) + 0.5);
      matrices_.multiply(Element::kReal, a, b, to, side, side, side, stream_);
    } else if (program.ends_with("sort")) {
      sorter_.sort(Order::kAscending, Element::kInt64, a, n, to, stream_);
    } else {
      throw InternalError(program + " has no twin");
    }
  }

  gpu::Device& gpu_ = gpu::Driver::system().device(0);
  gpu::Stream stream_{gpu_};
  gpu::DevicePool pool_{gpu_};
  DeviceArrays arrays_{pool_};
  DeviceMergeSort sorter_{pool_};
  DeviceMatrixProduct matrices_{pool_};
  std::vector<gpu::DeviceBuffer> given_;  // by name
  std::vector<size_t> sizes_;
  gpu::DeviceBuffer to_;
};

/// The hand-written baseline of a program for which `inputs_of` makes inputs of size n.
inline Twin twin_of(const Program& program, const std::string& name, int64_t n) {
  const Arrays inputs = inputs_of(program, n);
  gpu::Device& gpu = gpu::Driver::system().device(0);
  if (name == "list_ranking" || name == "tree_depth") {
    const auto there = std::make_shared<graph::DeviceChains>(gpu);
    return [there, words = inputs.begin()->second.words, name] {
      name == "tree_depth" ? there->tree_depths(words) : there->list_ranks(words);
      return there->seconds();
    };
  }
  using Answer = void (*)(graph::DeviceGraph&);
  static const std::map<std::string, Answer, std::less<>> kOfGraphs = {
      {"components", [](graph::DeviceGraph& there) { there.components(); }},
      {"spanning_forest", [](graph::DeviceGraph& there) { there.spanning_forest(); }},
      {"breadth_first_search", [](graph::DeviceGraph& there) { there.breadth_first_search(0); }},
      {"matching", [](graph::DeviceGraph& there) { there.maximum_matching(); }},
      {"all_pairs_distances", [](graph::DeviceGraph& there) { there.all_distances(); }},
  };
  if (const auto found = kOfGraphs.find(name); found != kOfGraphs.end()) {
    const auto given = std::make_shared<graph::Graph>(
        name == "all_pairs_distances" ? complete_graph(inputs.begin()->second) : bench_graph(n));
    const auto there = std::make_shared<graph::DeviceGraph>(*given, gpu);
    return [given, there, answer = found->second] {
      answer(*there);
      return there->seconds();
    };
  }
  size_t results = 0;
  for (const auto& [input, array] : inputs) results += array.words.size();
  const auto there = std::make_shared<ArrayTwin>(inputs, results);
  return [there, name] { return there->run(name); };
}

}  // namespace lanewise::pram
