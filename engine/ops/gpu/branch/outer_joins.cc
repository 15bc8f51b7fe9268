#include "ops/gpu/branch/outer_joins.h"

#include <algorithm>
#include <utility>

#include "expr/codegen/traits.h"
#include "ops/join/gpu/join_table.h"

namespace lanewise::ops {

namespace {

using plan::JoinKind;

/// Branches that may be added, as each is compiled and launched for itself.
constexpr size_t kMostAdded = 8;

bool is_divided(const plan::StepSpec& step, const Results& results) {
  const auto* join = std::get_if<plan::Join>(&step.node->payload);
  if (join == nullptr || join->condition == nullptr || step.result >= results.size()) return false;
  const bool is_outer =
      join->kind == JoinKind::kLeft || join->kind == JoinKind::kRight || join->kind == JoinKind::kFull;
  const PipelineResult& result = results[step.result];
  return is_outer && keys_repeat(result.build.get(), result.on_device.get());
}

}  // namespace

OuterJoins::OuterJoins(const plan::Pipeline& pipeline, const Results& results)
    : whole_(pipeline), results_(results) {
  const auto has_any = [&](const plan::Branch& branch) {
    return std::ranges::any_of(branch.steps,
                               [&](const plan::StepSpec& step) { return is_divided(step, results); });
  };
  if (std::ranges::none_of(pipeline.branches, has_any)) return;
  divided_ = pipeline;
  divided_->branches.clear();
  for (const plan::Branch& branch : pipeline.branches) divide(branch, 0);
}

void OuterJoins::divide(plan::Branch branch, size_t from) {
  while (from < branch.steps.size() && !is_divided(branch.steps[from], results_)) ++from;
  if (from == branch.steps.size()) {
    divided_->branches.push_back(std::move(branch));
    if (divided_->branches.size() > whole_.branches.size() + kMostAdded)
      throw expr::NotOnDevice(
          "several outer joins with a condition and keys that repeat are not supported on GPUs");
    return;
  }
  const Schema& rows = branch.steps[from].node->schema;
  const auto& join = std::get<plan::Join>(branch.steps[from].node->payload);
  std::vector<ExprPtr> nulls, left;
  for (const Field& field : rows) nulls.push_back(literal(Value(field.type)));
  left = nulls;
  for (size_t i = 0; i < join.left.size(); ++i) left[i] = column(i, rows[i].type);

  divide(joined(branch, from, JoinKind::kInner, {}), from + 1);
  branch.line = plan::kNoLine;  // its rows count once
  if (join.kind != JoinKind::kRight) divide(joined(branch, from, JoinKind::kAnti, left), from + 2);
  if (join.kind != JoinKind::kLeft) divide(joined(branch, from, JoinKind::kRightSemi, nulls), from + 2);
}

plan::Branch OuterJoins::joined(const plan::Branch& branch, size_t at, JoinKind kind,
                                std::vector<ExprPtr> columns) {
  plan::Branch made = branch;
  plan::StepSpec& step = made.steps[at];
  auto node = std::make_shared<plan::Node>(*step.node);
  auto& join = std::get<plan::Join>(node->payload);
  join.kind = kind;  // join.right stays: the build side keeps these columns
  if (!plan::gives_left(kind)) join.left.clear();
  step.node = node.get();
  nodes_.push_back(node);
  if (columns.empty()) return made;
  const Schema rows = node->schema;
  node->schema.clear();
  for (const size_t column : join.left) node->schema.push_back(node->children[0]->schema[column]);
  if (plan::gives_right(kind))
    for (const size_t column : join.right) node->schema.push_back(node->children[1]->schema[column]);
  nodes_.push_back(std::make_shared<plan::Node>(plan::Node{plan::Project{std::move(columns)}, {node}, rows}));
  made.steps.insert(made.steps.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                    {nodes_.back().get(), plan::kNoLine});
  return made;
}

}  // namespace lanewise::ops
