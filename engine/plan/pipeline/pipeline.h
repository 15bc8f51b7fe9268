#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "plan/node.h"

namespace lanewise::plan {

/// How nodes take part in pipelines. A join is a step, and the sink of its right child.
template <class T>
concept InputNode = OneOf<T, Scan, Values, UnionAll, Cte, CteRef, Recursion>;
template <class T>
concept StepNode = OneOf<T, Filter, Project, ScalarJoin, Join, Unnest>;
template <class T>
concept SinkNode = OneOf<T, Aggregate, Sort, Limit, Distinct, Window, Join>;
template <class T>
concept NoStep = InputNode<T> || (SinkNode<T> && !StepNode<T>);
template <class T>
concept NoSink = InputNode<T> || (StepNode<T> && !SinkNode<T>);

bool is_step(const Node& node);
/// Throws InternalError: the node is not `what`.
[[noreturn]] void misplaced(const Node& node, const char* what);

/// Calls the overload of `f` for a step's node. A kind of step without an overload does not compile.
template <class... F>
auto visit_step(const Node& node, F... f) {
  using Answer = std::invoke_result_t<Overloaded<F...>, const Filter&>;
  const auto refuse = [&](const NoStep auto&) -> Answer { misplaced(node, "a step"); };
  return std::visit(Overloaded{std::move(f)..., refuse}, node.payload);
}
/// The same for a sink's node.
template <class... F>
auto visit_sink(const Node& node, F... f) {
  using Answer = std::invoke_result_t<Overloaded<F...>, const Sort&>;
  const auto refuse = [&](const NoSink auto&) -> Answer { misplaced(node, "a sink"); };
  return std::visit(Overloaded{std::move(f)..., refuse}, node.payload);
}

/// Rows of an earlier pipeline.
struct ResultOf {
  size_t pipeline;
};

/// The whole build side, not a part.
inline constexpr size_t kNoPart = static_cast<size_t>(-1);

/// Rows of a join's build side without a match, or (kRightSemi) with one.
struct MarkedRowsOf {
  size_t pipeline;        ///< the pipeline that made the build side
  const Node* join;       ///< the join whose rows these are
  size_t part = kNoPart;  ///< part of the build side
};

/// Rows that reached a join in parts, or its result.
struct RowsOfPart {
  std::shared_ptr<const Table> rows;
};

/// Not a line of the plan's text.
inline constexpr size_t kNoLine = static_cast<size_t>(-1);

/// Not the result of a pipeline.
inline constexpr size_t kNoResult = static_cast<size_t>(-1);

/// A streaming step of a pipeline.
struct StepSpec {
  const Node* node = nullptr;  ///< of a StepNode
  size_t line = 0;             ///< its line in the plan's text
  size_t result = kNoResult;   ///< the pipeline that makes a ScalarJoin's row, or a Join's build side
  size_t part = kNoPart;       ///< part of that build side

  bool reads_result() const { return result != kNoResult; }
};

/// Rows of one input, and the steps that they pass on their way to the sink.
struct Branch {
  std::variant<const Scan*, const Values*, ResultOf, MarkedRowsOf, RowsOfPart> input;
  size_t line = kNoLine;  ///< line of the input; kNoLine if an earlier pipeline has counted its rows
  Schema schema;          ///< schema of the input's rows
  std::vector<StepSpec> steps;
  size_t phase = 0;  ///< it starts when all branches of lower phases have ended
};

/// The pipeline that a branch's input reads, if any.
std::optional<size_t> pipeline_read(const Branch& branch);

/// Branches, whose rows are concatenated (UNION ALL), and their sink. Everything between two
/// points where all rows must have been read: the unit of scheduling.
struct Pipeline {
  std::vector<Branch> branches;
  const Node* sink = nullptr;  ///< of a SinkNode; Join: its build side; null: collect
  size_t line = 0;  ///< line of the sink; if it only collects rows: line of the node that makes them
  Schema input;     ///< schema of the rows that reach the sink
  Schema output;    ///< schema of the sink's table
};

/// The pipelines whose results it reads: as inputs or in steps.
std::vector<size_t> results_read(const Pipeline& pipeline);

/// Maximum number of branches of a pipeline: the order of chunks has six bits for them.
inline constexpr size_t kMaxBranches = 64;

/// Whether the sink is the build side of a join.
bool is_build(const Pipeline& pipeline);

/// The pipelines of a plan, each after those whose results it reads; the last one returns the plan's result.
/// The plan must outlive them. Throws InternalError if the plan is invalid.
std::vector<Pipeline> split(const Node& root);

/// The nodes in the order of the plan's lines, with their depths.
struct Line {
  const Node* node;
  int depth;
};
std::vector<Line> lines_of(const Node& root);

}  // namespace lanewise::plan
