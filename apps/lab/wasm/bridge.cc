// What the page calls. Strings come and go as UTF-8; a result lives until the next call. Errors are objects
// with "error".

#include <emscripten.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/graph.h"
#include "kernels.h"
#include "pram/gpu/emit/emit.h"
#include "pram/inputs/text.h"
#include "pram/interpreter/json.h"
#include "pram/language/format.h"
#include "pram/library.h"
#include "pram/meta/meta.h"

namespace lanewise::lab {

namespace {

std::string result;
pram::Recording recording;

/// The result of f; of user errors, their message.
template <class F>
const char* answer(F f) {
  try {
    result = f();
  } catch (const std::exception& error) {
    result = fmt::format(R"({{"error":{}}})", json_quoted(error.what()));
  }
  return result.c_str();
}

std::string diagnostics_json(const std::vector<pram::Diagnostic>& diagnostics) {
  return pram::json_list(diagnostics, [](const pram::Diagnostic& diagnostic) {
    return fmt::format(R"({{"severity":"{}",{},"message":{},"advice":{}}})",
                       diagnostic.severity == pram::Diagnostic::Severity::kError ? "error" : "warning",
                       pram::place_fields(diagnostic.place), json_quoted(diagnostic.message),
                       json_quoted(diagnostic.advice));
  });
}

std::string check(const char* text) {
  try {
    const pram::Program program = pram::Program::parse(text);
    const std::string inputs = pram::json_list(pram::inputs_of(program), [](const pram::Input& input) {
      return fmt::format(
          R"({{"name":{},"type":"{}","extents":{},"graph":{}}})", json_quoted(input.name), name(input.type),
          pram::json_list(input.extents, [](const std::string& extent) { return json_quoted(extent); }),
          input.from_graph);
    });
    return fmt::format(R"({{"diagnostics":{},"mode":{},"inputs":{}}})", diagnostics_json(program.warnings()),
                       json_quoted(to_text(program.tree().mode, program.tree().combine)), inputs);
  } catch (const pram::ProgramError& error) {
    return fmt::format(R"({{"diagnostics":{},"mode":null,"inputs":[]}})",
                       diagnostics_json(error.diagnostics()));
  }
}

/// All passes but those that `names` has, separated by spaces.
pram::Passes passes_without(std::string_view names) {
  pram::Passes passes = pram::all_passes();
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    passes = pram::without(passes, names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return passes;
}

graph::Graph generate(std::string_view kind, int64_t n, uint64_t seed) {
  if (kind == "grid") {
    int64_t side = 1;
    while ((side + 1) * (side + 1) <= n) ++side;
    return graph::grid_graph(side, side);
  }
  if (kind == "tree") return graph::tree_graph(n, seed);
  if (kind == "bipartite" && n > 1) return graph::bipartite_graph(n / 2, n - n / 2, n, seed);
  if (kind == "kronecker") {
    int64_t scale = 1;
    while ((int64_t{1} << (scale + 1)) <= n) ++scale;
    return graph::kronecker_graph(scale, seed);
  }
  return graph::random_graph(n, n + n / 4, seed);
}

/// Without loops and parallel edges. Vertices without an edge get a loop, so that the text names them; in a
/// bipartite graph an edge to the other side.
std::vector<std::pair<int64_t, int64_t>> for_teaching(const graph::Graph& graph, int64_t left) {
  std::set<std::pair<int64_t, int64_t>> seen;
  std::vector<std::pair<int64_t, int64_t>> edges;
  std::vector<bool> named(static_cast<size_t>(graph.vertices));
  for (size_t i = 0; i < graph.edges(); ++i) {
    const auto ends = std::minmax(graph.source[i], graph.target[i]);
    if (ends.first == ends.second || !seen.insert(ends).second) continue;
    edges.emplace_back(graph.source[i], graph.target[i]);
    named[static_cast<size_t>(ends.first)] = named[static_cast<size_t>(ends.second)] = true;
  }
  for (int64_t v = 0; v < graph.vertices; ++v) {
    if (named[static_cast<size_t>(v)]) continue;
    if (left == 0) {
      edges.emplace_back(v, v);
    } else if (v < left) {
      edges.emplace_back(v, left + v % (graph.vertices - left));
    } else {
      edges.emplace_back(v % left, v);
    }
  }
  return edges;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* lab_library() {
  return answer([] {
    return pram::json_list(pram::library(), [](const pram::LibraryProgram& program) {
      return fmt::format(R"({{"name":{},"summary":{},"text":{}}})", json_quoted(program.name),
                         json_quoted(program.summary()), json_quoted(program.text));
    });
  });
}

EMSCRIPTEN_KEEPALIVE const char* lab_check(const char* text) {
  return answer([&] { return check(text); });
}

EMSCRIPTEN_KEEPALIVE const char* lab_format(const char* text) {
  return answer([&] {
    pram::Program::parse(text);  // only a program without mistakes has a usual form
    return fmt::format(R"({{"text":{}}})", json_quoted(pram::format(text)));
  });
}

EMSCRIPTEN_KEEPALIVE const char* lab_explain(const char* text, const char* without) {
  return answer([&] { return meta_program(pram::Program::parse(text), passes_without(without)); });
}

/// The kernels as source; `language`: c, cuda, opencl, or group: the one kernel of one group.
EMSCRIPTEN_KEEPALIVE const char* lab_kernels(const char* text, const char* without, const char* language) {
  return answer([&] {
    const pram::Program program = pram::Program::parse(text);
    const pram::MetaProgram meta = pram::compile(program.tree(), passes_without(without));
    const std::string_view wanted = language;
    const auto emit = wanted == "group" ? pram::emit_group : pram::emit;
    const std::string kernels = emit(program.tree(), meta, {}).text;
    return fmt::format(R"({{"text":{}}})",
                       json_quoted(wanted == "cuda"     ? source_of(pram::Dialect::kCuda, kernels)
                                   : wanted == "opencl" ? source_of(pram::Dialect::kOpenCl, kernels)
                                                        : kernels));
  });
}

EMSCRIPTEN_KEEPALIVE const char* lab_run(const char* text, const char* inputs, double steps, double changes) {
  return answer([&] {
    recording = {};
    const pram::Program program = pram::Program::parse(text);
    return pram::record(program, pram::read_text_inputs(program, inputs),
                        {static_cast<uint64_t>(steps), static_cast<uint64_t>(changes)}, recording);
  });
}

/// Where the kernels of a run end; the array of Recording::kernels has them.
EMSCRIPTEN_KEEPALIVE const char* lab_kernel_steps(const char* text, const char* inputs, const char* without,
                                                  double steps) {
  return answer([&] {
    const pram::Program program = pram::Program::parse(text);
    return kernel_steps(program, pram::read_text_inputs(program, inputs), passes_without(without),
                        static_cast<uint64_t>(steps), recording);
  });
}

/// Runs without writing anything down, for costs and times: again and again for some milliseconds, since
/// clocks of browsers are coarse.
EMSCRIPTEN_KEEPALIVE const char* lab_measure(const char* text, const char* inputs, double steps) {
  return answer([&] {
    constexpr std::chrono::duration<double> kEnough{0.005};
    const pram::Program program = pram::Program::parse(text);
    const pram::Arrays arrays = pram::read_text_inputs(program, inputs).arrays;
    const auto start = std::chrono::steady_clock::now();
    pram::Cost cost;
    std::chrono::duration<double> time{};
    int runs = 0;
    for (; time < kEnough; ++runs) {
      pram::Interpreter interpreter(program, arrays, {.max_steps = static_cast<uint64_t>(steps)});
      interpreter.run();
      cost = interpreter.cost();
      time = std::chrono::steady_clock::now() - start;
    }
    return fmt::format(R"({{"steps":{},"work":{},"depth":{},"seconds":{}}})", cost.steps, cost.work,
                       cost.depth, time.count() / runs);
  });
}

/// Edges as lines "source target". `kind`: random, grid, tree, bipartite, kronecker; about n vertices.
EMSCRIPTEN_KEEPALIVE const char* lab_graph(const char* kind, double n, double seed) {
  return answer([&] {
    const auto vertices = static_cast<int64_t>(n);
    const graph::Graph graph = generate(kind, vertices, static_cast<uint64_t>(seed));
    std::string lines;
    for (const auto& [from, to] :
         for_teaching(graph, std::string_view(kind) == "bipartite" ? vertices / 2 : 0)) {
      lines += fmt::format("{} {}\n", from, to);
    }
    return lines;
  });
}

/// The arrays of the last lab_run or lab_kernel_steps, by number in the order of Recording: address and
/// number of elements.
EMSCRIPTEN_KEEPALIVE const void* lab_array(int which) {
  const void* arrays[] = {recording.initial.data(), recording.steps.data(),    recording.work.data(),
                          recording.depth.data(),   recording.changed.data(),  recording.before.data(),
                          recording.after.data(),   recording.accesses.data(), recording.active.data(),
                          recording.kernels.data()};
  return arrays[which];
}

EMSCRIPTEN_KEEPALIVE size_t lab_length(int which) {
  const size_t lengths[] = {recording.initial.size(), recording.steps.size(),    recording.work.size(),
                            recording.depth.size(),   recording.changed.size(),  recording.before.size(),
                            recording.after.size(),   recording.accesses.size(), recording.active.size(),
                            recording.kernels.size()};
  return lengths[which];
}

}  // extern "C"

}  // namespace lanewise::lab
