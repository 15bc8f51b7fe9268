#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "api/session.h"
#include "base/error.h"
#include "base/size.h"
#include "command.h"
#include "graph/gpu/device_graph.h"
#include "graph/paths.h"
#include "graph/verify.h"
#include "output/format.h"
#include "pram/inputs.h"
#include "primitives/parallel.h"
#include "process/output_file.h"
#include "process/progress.h"

namespace lanewise::cli {

namespace {

using graph::Graph;

/// "1 tree", "2 trees".
std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

const char* const kGraphDescription =
    R"(Runs algorithms on graphs, tuned for this machine's cores and GPU.

  lanewise graph components roads.mtx
  lanewise graph spanning-tree links.parquet -o tree.csv
  lanewise graph matching jobs.txt --format json --verify
  lanewise graph distances random:1000:5000 --executor cuda
  lanewise graph distances roads.txt --path 3,17
  lanewise graph bfs roads.mtx --root 17

Formats of FILE:
  Matrix Market   every stored entry is an edge, whatever its value
  text            lines 'v : u w' (a vertex and its neighbours) or 'source target [weight]'
  Parquet, CSV    columns src, dst and perhaps weight
  a generator     random:N:M, bipartite:L:R:M, grid:R:C, kronecker:SCALE, tree:N
)";

struct GraphOptions {
  std::string file;
  std::string format = "text";
  std::string output;
  std::string memory_limit = "4GB";
  std::string executor = "cpu";
  std::vector<int64_t> path;  // its ends
  uint64_t seed = 0;
  int64_t root = 0;
  int threads = 0;
  bool verify = false;
};

/// What is being done, for the user.
struct Stage {
  std::atomic<const char*> what = "reading the graph";
  std::atomic<double> share = -1;

  void begin(const char* next) {
    share = -1;
    what = next;
  }
};

struct Question {
  const Graph& graph;
  bool verify;
  Stage& stage;
  MemoryBudget& budget;
  graph::DeviceGraph* gpu;  ///< null: run on cores
  const std::vector<int64_t>& path;
  int64_t root;  ///< label of the vertex where a search begins

  /// Whether the answer is to be checked. If so, announces it.
  bool begin_check() const {
    if (verify) stage.begin("verifying");
    return verify;
  }
};

/// A command's result: lines for people, a JSON object, and the whole as a table.
struct Answer {
  std::string text;
  std::string json;
  std::optional<std::string> problem;  ///< found by the checker
  Schema schema;
  std::function<void(std::vector<ColumnBuilder>&)> rows;  ///< appends all of them
};

std::string number(double value) {
  if (std::floor(value) == value && std::fabs(value) < 0x1p62) {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
  return fmt::format("{}", value);
}

int64_t label_of(const Graph& graph, int64_t vertex) {
  return graph.labels.empty() ? vertex : graph.labels[static_cast<size_t>(vertex)];
}

int64_t vertex_of(const Graph& graph, int64_t label) {
  if (graph.labels.empty()) {
    if (label >= 0 && label < graph.vertices) return label;
  } else if (const auto at = std::ranges::lower_bound(graph.labels, label);
             at != graph.labels.end() && *at == label) {
    return at - graph.labels.begin();
  }
  throw UserError(fmt::format("the graph has no vertex {}", label));
}

Graph read(const GraphOptions& given, MemoryBudget& budget) {
  Graph graph = pram_command::read_graph_input(given.file, given.seed, budget);
  for (const double weight : graph.weight) {
    if (!std::isfinite(weight)) throw UserError(fmt::format("{}: a weight is not finite", given.file));
  }
  return graph;
}

Answer components(const Question& asked) {
  const Graph& graph = asked.graph;
  auto label =
      std::make_shared<std::vector<uint32_t>>(asked.gpu ? asked.gpu->components() : graph::components(graph));
  const int64_t count = graph::count_components(*label);
  Answer answer{fmt::format("{}\n", counted(count, "component")),
                fmt::format("{{\"components\": {}}}\n", count),
                {},
                {},
                {}};
  if (asked.begin_check()) answer.problem = check_components(graph, *label);
  answer.schema = {{"vertex", TypeId::kInt64}, {"component", TypeId::kInt64}};
  answer.rows = [&graph, label](std::vector<ColumnBuilder>& columns) {
    for (int64_t v = 0; v < graph.vertices; ++v) {
      columns[0].append_physical(label_of(graph, v));
      columns[1].append_physical(label_of(graph, (*label)[static_cast<size_t>(v)]));
    }
  };
  return answer;
}

Answer spanning_tree(const Question& asked) {
  const Graph& graph = asked.graph;
  auto forest = std::make_shared<graph::SpanningForest>(asked.gpu ? asked.gpu->spanning_forest()
                                                                  : graph::spanning_forest(graph));
  const std::string weight = number(forest->weight);
  Answer answer{fmt::format("{} of {}, weight {}\n", counted(forest->trees, "tree"),
                            counted(forest->edges.size(), "edge"), weight),
                fmt::format("{{\"trees\": {}, \"weight\": {}}}\n", forest->trees, weight),
                {},
                {},
                {}};
  if (asked.begin_check()) answer.problem = check_spanning_forest(graph, *forest);
  answer.schema = {{"src", TypeId::kInt64}, {"dst", TypeId::kInt64}, {"weight", TypeId::kFloat64}};
  answer.rows = [&graph, forest](std::vector<ColumnBuilder>& columns) {
    for (const int64_t edge : forest->edges) {
      const auto e = static_cast<size_t>(edge);
      columns[0].append_physical(label_of(graph, graph.source[e]));
      columns[1].append_physical(label_of(graph, graph.target[e]));
      columns[2].append_physical(graph.weight_of(e));
    }
  };
  return answer;
}

Answer matching(const Question& asked) {
  const Graph& graph = asked.graph;
  auto found = std::make_shared<graph::Matching>(asked.gpu ? asked.gpu->maximum_matching()
                                                           : graph::maximum_matching(graph));
  const size_t cover = found->cover_rows.size() + found->cover_columns.size();
  Answer answer{
      fmt::format("{}, proved by {} vertices that cover all edges\n", counted(found->size, "pair"), cover),
      fmt::format("{{\"matching\": {}, \"cover\": {}}}\n", found->size, cover),
      {},
      {},
      {}};
  if (asked.begin_check()) answer.problem = check_matching(graph, *found);
  answer.schema = {{"row", TypeId::kInt64}, {"column", TypeId::kInt64}};
  answer.rows = [&graph, found](std::vector<ColumnBuilder>& columns) {
    for (int64_t row = 0; row < graph.vertices; ++row) {
      const int64_t column = found->column[static_cast<size_t>(row)];
      if (column < 0) continue;
      columns[0].append_physical(label_of(graph, row));
      columns[1].append_physical(label_of(graph, column));
    }
  };
  return answer;
}

struct PathAnswer {
  std::string text, json;
};

PathAnswer path_between(const Graph& graph, const graph::Distances& distances, int64_t from, int64_t to) {
  const auto path = graph::shortest_path(graph, distances, from, to);
  if (!path) {
    return {fmt::format("no path from {} to {}\n", label_of(graph, from), label_of(graph, to)),
            ", \"path\": null"};
  }
  std::vector<int64_t> labels;
  for (const int64_t vertex : *path) labels.push_back(label_of(graph, vertex));
  const std::string length = number(distances.at(from, to));
  return {fmt::format("{}: length {}\n", fmt::join(labels, " -> "), length),
          fmt::format(", \"path\": [{}], \"length\": {}", fmt::join(labels, ", "), length)};
}

Answer distances(const Question& asked) {
  const Graph& graph = asked.graph;
  std::vector<int64_t> ends;
  for (const int64_t label : asked.path) ends.push_back(vertex_of(graph, label));
  const auto report = [&](double share) { asked.stage.share = share; };
  auto found = std::make_shared<graph::Distances>(
      asked.gpu ? asked.gpu->all_distances(&asked.budget)
                : graph::all_distances(graph, &asked.budget, nullptr, report));
  const std::string sum = number(found->sum);
  const PathAnswer path = ends.empty() ? PathAnswer{} : path_between(graph, *found, ends[0], ends[1]);
  Answer answer{
      fmt::format("{} with a path, sum of distances {}\n{}", counted(found->pairs, "pair"), sum, path.text),
      fmt::format("{{\"pairs\": {}, \"sum\": {}{}}}\n", found->pairs, sum, path.json),
      {},
      {},
      {}};
  if (asked.begin_check()) answer.problem = check_distances(graph, *found);
  answer.schema = {{"src", TypeId::kInt64}, {"dst", TypeId::kInt64}, {"distance", TypeId::kFloat64}};
  answer.rows = [&graph, found](std::vector<ColumnBuilder>& columns) {
    for (int64_t from = 0; from < graph.vertices; ++from) {
      for (int64_t to = 0; to < graph.vertices; ++to) {
        const double distance = found->at(from, to);
        if (!std::isfinite(distance)) continue;
        columns[0].append_physical(label_of(graph, from));
        columns[1].append_physical(label_of(graph, to));
        columns[2].append_physical(distance);
      }
    }
  };
  return answer;
}

Answer breadth_first_search(const Question& asked) {
  const Graph& graph = asked.graph;
  const int64_t root = vertex_of(graph, asked.root);
  auto found = std::make_shared<graph::Levels>(asked.gpu ? asked.gpu->breadth_first_search(root)
                                                         : graph::breadth_first_search(graph, root));
  Answer answer{fmt::format("{} vertices reached, {}\n", found->reached, counted(found->levels, "level")),
                fmt::format("{{\"reached\": {}, \"levels\": {}}}\n", found->reached, found->levels),
                {},
                {},
                {}};
  if (asked.begin_check()) answer.problem = check_levels(graph, root, *found);
  answer.schema = {{"vertex", TypeId::kInt64}, {"level", TypeId::kInt64}};
  answer.rows = [&graph, found](std::vector<ColumnBuilder>& columns) {
    for (int64_t v = 0; v < graph.vertices; ++v) {
      const int64_t level = found->level[static_cast<size_t>(v)];
      if (level < 0) continue;
      columns[0].append_physical(label_of(graph, v));
      columns[1].append_physical(level);
    }
  };
  return answer;
}

void write_rows(const Answer& answer, const std::string& path) {
  const std::string format = format_of("", path);
  std::vector<ColumnBuilder> columns;
  for (const Field& field : answer.schema) columns.emplace_back(field.type);
  answer.rows(columns);
  Batch batch{columns[0].rows(), {}};
  for (ColumnBuilder& column : columns) batch.columns.push_back(column.finish());
  Table table{answer.schema, {}};
  table.batches.push_back(std::move(batch));
  if (format == "parquet") {
    Session().write_parquet(batches_of(table), path);
    return;
  }
  OutputFile out(path);
  make_writer(format, true)->write(batches_of(table), out);
  out.close();
}

using Algorithm = Answer (*)(const Question& asked);

ExitCode run_algorithm(const GraphOptions& given, Algorithm algorithm) {
  if (!given.output.empty()) format_of("", given.output);
  check_output(given.output, {given.file});
  Stage stage;
  std::optional<Watch> watch(std::in_place,
                             [&] { return Watch::State{stage.what.load(), stage.share.load()}; });
  MemoryBudget budget(parse_size(given.memory_limit));
  const Graph graph = read(given, budget);
  stage.begin("computing");
  std::optional<graph::DeviceGraph> gpu;
  if (given.executor == "cuda") gpu.emplace(graph, gpu::Driver::system().device(0));
  const auto find = [&] {
    return algorithm({graph, given.verify, stage, budget, gpu ? &*gpu : nullptr, given.path, given.root});
  };
  const Answer answer = given.threads > 0 ? with_threads(given.threads, find) : find();
  if (answer.problem) throw InternalError("the checker rejects the answer: " + *answer.problem);
  stage.begin("writing");
  if (!given.output.empty()) write_rows(answer, given.output);
  watch.reset();
  const std::string verified = given.verify ? "verified\n" : "";
  OutputFile out;
  out.write(given.format == "json" ? answer.json : answer.text + verified);
  out.close();
  return kOk;
}

}  // namespace

void add_graph_command(CLI::App& app, Command& run) {
  auto given = std::make_shared<GraphOptions>();
  CLI::App* all = app.add_subcommand("graph", kGraphDescription);
  all->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, Algorithm algorithm) {
    CLI::App* sub = all->add_subcommand(name, help);
    sub->callback(
        [given, algorithm, &run] { run = [given, algorithm] { return run_algorithm(*given, algorithm); }; });
    sub->add_option("file", given->file, "The graph")->type_name("FILE")->required();
    sub->add_option("--format", given->format, "Output format: text or json (default: text)")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("NAME");
    sub->add_option("-o,--output", given->output,
                    "Also write the whole result; the extension chooses the format: .csv, .json, .ndjson, "
                    ".md, .parquet, .arrow")
        ->type_name("FILE");
    sub->add_flag("--verify", given->verify, "Check the answer with an independent checker");
    sub->add_option("--executor", given->executor, "Where to run: cpu or cuda (default: cpu)")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->type_name("NAME");
    sub->add_option("--threads", given->threads, "Number of threads; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    sub->add_option("--seed", given->seed, "Seed for random graphs")->type_name("N");
    sub->add_option("--memory-limit", given->memory_limit,
                    "Memory limit for reading the graph, and for all distances")
        ->type_name("SIZE")
        ->capture_default_str();
    return sub;
  };
  add("components", "Finds connected components; the direction of edges is ignored", components);
  add("spanning-tree", "Finds a minimum spanning forest; among equal edges the first one counts",
      spanning_tree);
  add("matching", "Finds a maximum matching of rows (sources) with columns (targets)", matching);
  add("distances", "Finds distances between all pairs, along directed edges", distances)
      ->add_option("--path", given->path, "Also print the shortest path between these vertices")
      ->delimiter(',')
      ->expected(2)
      ->type_name("FROM,TO");
  add("bfs", "Finds the levels of a breadth-first search, along directed edges; -o writes the vertices",
      breadth_first_search)
      ->add_option("--root", given->root, "Vertex where the search begins")
      ->type_name("V")
      ->required();
}

}  // namespace lanewise::cli
