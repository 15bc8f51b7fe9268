#include "plan/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace lanewise::plan {

namespace {

size_t count_nodes(const Node& node) {
  size_t nodes = 1;
  for (const NodePtr& child : node.children) nodes += count_nodes(*child);
  return nodes;
}

/// Walks the plan top down and builds pipelines bottom up.
class Splitter {
 public:
  std::vector<Pipeline> run(const Node& root) {
    count_references(root);
    Stream top = stream(root);
    // If the top is a breaker, its result is already there.
    if (top.size() != 1 || !top[0].steps.empty() || !std::holds_alternative<ResultOf>(top[0].input) ||
        std::get<ResultOf>(top[0].input).pipeline + 1 != pipelines_.size()) {
      finish(std::move(top), nullptr, 0, root.schema, root.schema);
    }
    return std::move(pipelines_);
  }

 private:
  using Stream = std::vector<Branch>;

  void count_references(const Node& node) {
    if (const auto* ref = std::get_if<CteRef>(&node.payload)) ++references_[ref->id];
    for (const NodePtr& child : node.children) count_references(*child);
  }

  size_t finish(Stream branches, const Node* sink, size_t line, Schema input, Schema output) {
    pipelines_.push_back({std::move(branches), sink, line, std::move(input), std::move(output)});
    return pipelines_.size() - 1;
  }

  size_t collect(Stream branches, size_t line, const Schema& schema) {
    return finish(std::move(branches), nullptr, line, schema, schema);
  }

  static Stream result_of(size_t pipeline, const Schema& schema, size_t line = kNoLine) {
    Branch branch;
    branch.input = ResultOf{pipeline};
    branch.line = line;
    branch.schema = schema;
    return {std::move(branch)};
  }

  /// The branches whose concatenated rows are the node's.
  Stream stream(const Node& node) {
    const size_t line = next_line_++;
    return std::visit([&](const auto& payload) { return stream(node, payload, line); }, node.payload);
  }

  Stream stream(const Node& node, const Scan& scan, size_t line) {
    Branch branch;
    branch.input = &scan;
    branch.line = line;
    branch.schema = node.schema;
    return {std::move(branch)};
  }

  Stream stream(const Node& node, const Values& values, size_t line) {
    Branch branch;
    branch.input = &values;
    branch.line = line;
    branch.schema = node.schema;
    return {std::move(branch)};
  }

  /// Other steps of one child.
  Stream stream(const Node& node, const StepNode auto&, size_t line) {
    Stream below = stream(*node.children[0]);
    for (Branch& branch : below) branch.steps.push_back({&node, line});
    return below;
  }
  /// Other sinks of one child.
  Stream stream(const Node& node, const SinkNode auto&, size_t line) {
    Stream below = stream(*node.children[0]);
    const size_t made = finish(std::move(below), &node, line, node.children[0]->schema, node.schema);
    return result_of(made, node.schema);
  }

  Stream stream(const Node& node, const UnionAll&, size_t line) {
    Stream all;
    for (const NodePtr& child : node.children) {
      Stream next = stream(*child);
      if (all.size() + next.size() > kMaxBranches) {
        all = result_of(collect(std::move(all), line, node.schema), node.schema);
      }
      for (Branch& branch : next) all.push_back(std::move(branch));
    }
    return all;
  }

  Stream stream(const Node& node, const ScalarJoin&, size_t line) {
    Stream below = stream(*node.children[0]);
    const Node& one_row = *node.children[1];
    const size_t one_row_line = next_line_;
    const size_t constants = materialise(stream(one_row), one_row_line, one_row.schema);
    for (Branch& branch : below) branch.steps.push_back({&node, line, constants});
    return below;
  }

  Stream stream(const Node& node, const Join& join, size_t line) {
    Stream below = stream(*node.children[0]);
    const bool gives_marked = asks_right(join.kind);
    if (gives_marked && below.size() == kMaxBranches) {
      const Schema& schema = node.children[0]->schema;
      below = result_of(collect(std::move(below), line, schema), schema);
    }
    const size_t right_line = next_line_;
    Stream right = stream(*node.children[1]);
    const size_t build = finish(std::move(right), &node, right_line, node.children[1]->schema, {});
    size_t phase = 0;
    for (Branch& branch : below) {
      branch.steps.push_back({&node, line, build});
      phase = std::max(phase, branch.phase + 1);
    }
    if (!gives_marked) return below;
    Branch& marked = below.emplace_back();
    marked.input = MarkedRowsOf{build, &node};
    marked.schema = node.schema;
    marked.phase = phase;
    return below;
  }

  /// A pipeline that holds the stream's rows; an existing one is reused.
  size_t materialise(Stream rows, size_t line, const Schema& schema) {
    if (rows.size() == 1 && rows[0].steps.empty() && std::holds_alternative<ResultOf>(rows[0].input)) {
      return std::get<ResultOf>(rows[0].input).pipeline;
    }
    return collect(std::move(rows), line, schema);
  }

  Stream stream(const Node& node, const Cte& cte, size_t) {
    const Node& definition = *node.children[0];
    const size_t line = next_line_;
    const size_t references = references_[cte.id];
    if (references == 0) {
      next_line_ += count_nodes(definition);
    } else {
      Stream rows = stream(definition);
      // Rows with a single reader are passed on directly.
      if (references > 1)
        rows = result_of(materialise(std::move(rows), line, definition.schema), definition.schema);
      definitions_[cte.id] = std::move(rows);
    }
    return stream(*node.children[1]);
  }

  Stream stream(const Node&, const Recursion&, size_t) {
    throw InternalError("a recursion is replaced by its rows before its plan is split");
  }

  Stream stream(const Node&, const CteRef& ref, size_t line) {
    auto found = definitions_.find(ref.id);
    if (found == definitions_.end()) throw InternalError(fmt::format("no Cte #{} above its CteRef", ref.id));
    Stream rows = found->second;
    if (references_[ref.id] > 1) rows[0].line = line;
    return rows;
  }

  std::vector<Pipeline> pipelines_;
  std::unordered_map<uint64_t, size_t> references_;
  std::unordered_map<uint64_t, Stream> definitions_;
  size_t next_line_ = 0;
};

void add_lines(const Node& node, int depth, std::vector<Line>& lines) {
  lines.push_back({&node, depth});
  for (const NodePtr& child : node.children) add_lines(*child, depth + 1, lines);
}

}  // namespace

bool is_step(const Node& node) {
  return std::visit([]<class T>(const T&) { return StepNode<T>; }, node.payload);
}

void misplaced(const Node& node, const char* what) {
  throw InternalError(fmt::format("{} is not {}", name(node.payload), what));
}

std::optional<size_t> pipeline_read(const Branch& branch) {
  if (const auto* result = std::get_if<ResultOf>(&branch.input)) return result->pipeline;
  if (const auto* marked = std::get_if<MarkedRowsOf>(&branch.input)) return marked->pipeline;
  return std::nullopt;
}

std::vector<size_t> results_read(const Pipeline& pipeline) {
  std::vector<size_t> read;
  for (const Branch& branch : pipeline.branches) {
    if (const auto input = pipeline_read(branch)) read.push_back(*input);
    for (const StepSpec& step : branch.steps)
      if (step.reads_result()) read.push_back(step.result);
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

bool is_build(const Pipeline& pipeline) {
  return pipeline.sink != nullptr && std::holds_alternative<Join>(pipeline.sink->payload);
}

std::vector<Pipeline> split(const Node& root) { return Splitter().run(root); }

std::vector<Line> lines_of(const Node& root) {
  std::vector<Line> lines;
  add_lines(root, 0, lines);
  return lines;
}

}  // namespace lanewise::plan
