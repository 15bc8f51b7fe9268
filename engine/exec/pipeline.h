#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "plan/node.h"

namespace lanewise::exec {

/// Rows of an earlier pipeline.
struct ResultOf {
  size_t pipeline;
};

/// Not a line of the plan's text.
inline constexpr size_t kNoLine = static_cast<size_t>(-1);

/// A streaming step of a pipeline.
struct StepSpec {
  const plan::Node* node = nullptr;  ///< Filter, Project or ScalarJoin
  size_t line = 0;                   ///< its line in the plan's text
  size_t constants = 0;              ///< ScalarJoin: the pipeline that gives the row

  bool reads_result() const { return std::holds_alternative<plan::ScalarJoin>(node->payload); }
};

/// Rows of one input and what happens to them on their way to the sink.
struct Branch {
  std::variant<const plan::Scan*, const plan::Values*, ResultOf> input;
  size_t line = kNoLine;  ///< of the input; none for results that only their maker counts
  Schema schema;          ///< of the input's rows
  std::vector<StepSpec> steps;
};

/// Branches, whose rows follow one another (UNION ALL), and the sink where they end. All that lies between
/// two points where every row must have been seen: the unit that is scheduled, and later fused into one
/// kernel.
struct Pipeline {
  std::vector<Branch> branches;
  const plan::Node* sink = nullptr;  ///< Aggregate, Sort, Distinct or Limit; null: collect
  size_t line = 0;                   ///< of the sink; collect: of the node whose rows it keeps
  Schema input;                      ///< of the rows that reach the sink
  Schema output;                     ///< of the sink's table
};

/// Branches of a pipeline at most: the order of chunks has six bits for them.
inline constexpr size_t kMaxBranches = 64;

/// The pipelines of a plan, each behind those whose results it reads; the last one gives the plan's result.
/// The plan must outlive them. Throws InternalError for a plan that no builder makes.
std::vector<Pipeline> split(const plan::Node& root);

/// The nodes in the order of the plan's lines, with their depths.
struct Line {
  const plan::Node* node;
  int depth;
};
std::vector<Line> lines_of(const plan::Node& root);

}  // namespace lanewise::exec
