#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "plan/node.h"

namespace lanewise::exec {

/// Rows of an earlier pipeline.
struct ResultOf {
  size_t pipeline;
};

/// The whole build side, not a part.
inline constexpr size_t kNoPart = static_cast<size_t>(-1);

/// Rows of a join's build side without a match, or (kRightSemi) with one.
struct MarkedRowsOf {
  size_t pipeline;         ///< the pipeline that made the build side
  const plan::Node* join;  ///< the join whose rows these are
  size_t part = kNoPart;   ///< part of the build side
};

/// Rows that reached a join in parts, or its result.
struct RowsOfPart {
  std::shared_ptr<const Table> rows;
};

/// Not a line of the plan's text.
inline constexpr size_t kNoLine = static_cast<size_t>(-1);

/// A streaming step of a pipeline.
struct StepSpec {
  const plan::Node* node = nullptr;  ///< Filter, Project, Unnest, ScalarJoin or Join
  size_t line = 0;                   ///< its line in the plan's text
  size_t result = 0;                 ///< the pipeline that makes a ScalarJoin's row, or a Join's build side
  size_t part = kNoPart;             ///< part of that build side

  bool reads_result() const {
    return std::holds_alternative<plan::ScalarJoin>(node->payload) ||
           std::holds_alternative<plan::Join>(node->payload);
  }
};

/// Rows of one input, and the steps that they pass on their way to the sink.
struct Branch {
  std::variant<const plan::Scan*, const plan::Values*, ResultOf, MarkedRowsOf, RowsOfPart> input;
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
  const plan::Node* sink =
      nullptr;      ///< Aggregate, Sort, Distinct, Window, Limit; Join: its build side; null: collect
  size_t line = 0;  ///< line of the sink; if it only collects rows: line of the node that makes them
  Schema input;     ///< schema of the rows that reach the sink
  Schema output;    ///< schema of the sink's table
};

/// Maximum number of branches of a pipeline: the order of chunks has six bits for them.
inline constexpr size_t kMaxBranches = 64;

/// Whether the sink is the build side of a join.
bool is_build(const Pipeline& pipeline);

/// The pipelines of a plan, each after those whose results it reads; the last one returns the plan's result.
/// The plan must outlive them. Throws InternalError if the plan is invalid.
std::vector<Pipeline> split(const plan::Node& root);

/// The nodes in the order of the plan's lines, with their depths.
struct Line {
  const plan::Node* node;
  int depth;
};
std::vector<Line> lines_of(const plan::Node& root);

}  // namespace lanewise::exec
