#include "exec/cores/join_parts.h"

#include <algorithm>

namespace lanewise::exec {

namespace {

using Steps = std::vector<plan::StepSpec>;

const plan::Join* join_at(const plan::StepSpec& step) { return std::get_if<plan::Join>(&step.node->payload); }

Steps::const_iterator step_of(const plan::Branch& branch, size_t build) {
  return std::ranges::find_if(branch.steps, [&](const plan::StepSpec& step) {
    return join_at(step) != nullptr && step.result == build && step.part == plan::kNoPart;
  });
}

bool is_in_parts(const plan::StepSpec& step, const ops::Results& results) {
  return join_at(step) != nullptr && step.part == plan::kNoPart && results[step.result].parts != nullptr;
}

bool marks(const plan::Branch& branch, size_t build) {
  const auto* const marked = std::get_if<plan::MarkedRowsOf>(&branch.input);
  return marked != nullptr && marked->pipeline == build;
}

/// Where the way of rows from `join` on meets other rows: at a join that is in parts itself, or notes matches
/// for later rows.
Steps::const_iterator end_of_way(Steps::const_iterator join, Steps::const_iterator end,
                                 const ops::Results& results) {
  return std::find_if(join + 1, end, [&](const plan::StepSpec& step) {
    return is_in_parts(step, results) || (join_at(step) != nullptr && plan::asks_right(join_at(step)->kind));
  });
}

}  // namespace

std::optional<size_t> join_in_parts(const plan::Pipeline& pipeline, const ops::Results& results) {
  const auto in_parts = [&](const plan::StepSpec& step) { return is_in_parts(step, results); };
  const auto is_next = [&](size_t build) {
    return std::ranges::all_of(pipeline.branches, [&](const plan::Branch& branch) {
      const auto step = step_of(branch, build);
      return step == branch.steps.end() || std::none_of(branch.steps.begin(), step, in_parts);
    });
  };
  for (const plan::Branch& branch : pipeline.branches) {
    const auto step = std::ranges::find_if(branch.steps, in_parts);
    if (step != branch.steps.end() && is_next(step->result)) return step->result;
  }
  return std::nullopt;
}

std::vector<plan::Branch> branches_before(const plan::Pipeline& pipeline, size_t build) {
  std::vector<plan::Branch> before;
  for (const plan::Branch& branch : pipeline.branches) {
    const auto step = step_of(branch, build);
    if (step == branch.steps.end()) continue;
    before.push_back(branch);
    before.back().steps.assign(branch.steps.begin(), step);
  }
  return before;
}

SplitByParts split_by_parts(const plan::Pipeline& pipeline, size_t build, std::vector<Table> left,
                            const ops::Results& results) {
  plan::Pipeline rest = pipeline;
  rest.branches.clear();
  plan::Branch rows;  // replaces all split branches
  const plan::Branch* marked = nullptr;
  Steps way;
  for (const plan::Branch& branch : pipeline.branches) {
    const auto join = step_of(branch, build);
    if (join != branch.steps.end()) {  // they share the remaining steps
      const auto end = end_of_way(join, branch.steps.end(), results);
      way.assign(join, end);
      rows.steps.assign(end, branch.steps.end());
      rows.phase = std::max(rows.phase, branch.phase);
    } else if (marks(branch, build)) {
      marked = &branch;
    } else {
      rest.branches.push_back(branch);
    }
  }
  SplitByParts split{pipeline, std::nullopt};
  if (!rest.branches.empty() || !rows.steps.empty()) {
    rows.schema = way.back().node->schema;
    rows.input = plan::RowsOfPart{};
    split.parts.sink = nullptr;
    split.parts.input = split.parts.output = rows.schema;
    rest.branches.push_back(std::move(rows));
    split.rest = std::move(rest);
  }
  split.parts.branches.clear();
  size_t phase = 0;
  for (size_t part = 0; part < left.size(); ++part) {
    plan::Branch& probe = split.parts.branches.emplace_back();
    probe.schema = left[part].schema;
    probe.input = plan::RowsOfPart{std::make_shared<const Table>(std::move(left[part]))};
    probe.steps = way;
    probe.steps[0].part = part;
    probe.phase = phase++;
    if (marked == nullptr) continue;
    plan::Branch& unmatched = split.parts.branches.emplace_back(*marked);
    std::get<plan::MarkedRowsOf>(unmatched.input).part = part;
    unmatched.steps.assign(way.begin() + 1, way.end());
    unmatched.phase = phase++;
  }
  return split;
}

void set_rows(plan::Pipeline& rest, Table rows) {
  std::get<plan::RowsOfPart>(rest.branches.back().input).rows =
      std::make_shared<const Table>(std::move(rows));
}

}  // namespace lanewise::exec
