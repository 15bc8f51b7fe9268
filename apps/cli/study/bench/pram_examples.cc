#include "study/bench/pram_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "graph/graph.h"
#include "pram/inputs/text.h"
#include "pram/library.h"
#include "pram/run.h"

namespace lanewise::cli::bench {

namespace {

using pram::Arrays;

std::string text_of(const pram::Array& array) {
  std::vector<std::string> words;
  for (const pram::Word word : array.words) words.push_back(pram::to_text(array.type, word));
  return fmt::format("{}", fmt::join(words, " "));
}

pram::Array output(const char* program, const Arrays& inputs, const char* name) {
  return pram::run(pram::library_program(program), inputs).outputs.at(name);
}

Group example(const char* id, const char* what, const char* input, const char* published,
              const std::string& answer) {
  Group group;
  group.title = fmt::format("{}: {}", id, what);
  group.about = {{"work", "example"}, {"example", id},          {"what", what},
                 {"input", input},    {"published", published}, {"answer", answer}};
  return group;
}

/// Six vertices on the left and on the right, of which two have their only neighbour in common.
std::string matching_answer() {
  const pram::Array match = output("matching",
                                   {{"offset", pram::ints({0, 2, 4, 6, 8, 9, 10})},
                                    {"neighbour", pram::ints({0, 1, 1, 2, 2, 3, 3, 4, 5, 5})},
                                    {"right", pram::scalar(6)}},
                                   "match");
  int64_t edges = 0;
  for (const pram::Word word : match.words) edges += word >= 0;
  return fmt::format("{} edges, {} unmatched: {}", edges, static_cast<int64_t>(match.words.size()) - edges,
                     text_of(match));
}

std::string numbers_read() {
  const auto program = pram::Program::parse(
      "mode EREW\ninput A[n] : real\noutput B[n] : real\nprocessors n { B[p] = A[p] }\n");
  return text_of(
      pram::run(program, pram::read_text_inputs(program, "0.1 2 .23 -23 4e-2").arrays).outputs.at("B"));
}

std::string graph_read() {
  const graph::Graph graph = graph::read_graph("0 : 1 2\n1 : 2 3\n2 : 3\n", "P-E4");
  return fmt::format("{} nodes, {} edges", graph.vertices, graph.edges());
}

}  // namespace

std::vector<Group> worked_examples() {
  const Arrays numbers = {{"A", pram::ints({2, 3, 2, 5, 1, 4})}};
  return {
      example("P-E1", "inclusive prefix sums", "2 3 2 5 1 4", "2 5 7 12 13 17",
              text_of(output("scan", numbers, "S"))),
      example("P-E1", "exclusive prefix sums", "2 3 2 5 1 4", "0 2 5 7 12 13",
              text_of(output("exclusive_scan", numbers, "S"))),
      example("P-E2", "merge of runs with equal numbers", "1 3 3 and 2 3 6",
              "1 2 3 3 ? 6, if both searches are strict",
              text_of(output("merge", {{"A", pram::ints({1, 3, 3})}, {"B", pram::ints({2, 3, 6})}}, "C"))),
      example("P-E3", "matching (the study's graph is lost: another one)",
              "0 : 0 1, 1 : 1 2, 2 : 2 3, 3 : 3 4, 4 : 5, 5 : 5", "5 edges, 1 unmatched", matching_answer()),
      example("P-E4", "numbers as text", "0.1 2 .23 -23 4e-2", "0.1 2 0.23 -23 0.04", numbers_read()),
      example("P-E4", "a graph as text", "0 : 1 2, 1 : 2 3, 2 : 3", "4 nodes, 5 edges", graph_read()),
  };
}

std::vector<Group> tree_accesses(uint64_t n) {
  std::vector<Group> groups;
  for (const uint64_t k : {2, 4, 8, 16, 32, 64, 128, 256}) {
    // Reads a level, writes the next one: counted as they happen.
    uint64_t counted = 0;
    std::vector<uint64_t> level(n);
    std::iota(level.begin(), level.end(), 0);
    while (level.size() > 1) {
      std::vector<uint64_t> next((level.size() + k - 1) / k);
      for (size_t i = 0; i < next.size(); ++i) {
        const size_t last = std::min<size_t>((i + 1) * k, level.size());
        for (size_t child = i * k; child < last; ++child) next[i] += level[child], ++counted;
        ++counted;
      }
      level = std::move(next);
    }
    double formula = 0;  // for i = 0 to log_k n: n / k^i + n / k^(i+1)
    auto here = static_cast<double>(n);
    while (here >= 1) {
      formula += here + here / static_cast<double>(k);
      here /= static_cast<double>(k);
    }
    Group group;
    group.title = fmt::format("accesses of a tree of degree {} over {} numbers", k, n);
    group.about = {{"work", "accesses"}, {"degree", k}, {"n", n}, {"formula", formula}, {"counted", counted}};
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace lanewise::cli::bench
