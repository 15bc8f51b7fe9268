#include "exec/join_parts.h"

#include <algorithm>

namespace lanewise::exec {

namespace {

using Steps = std::vector<StepSpec>;

Steps::const_iterator step_of(const Branch& branch, size_t build) {
  return std::ranges::find_if(branch.steps, [&](const StepSpec& step) {
    return std::holds_alternative<plan::Join>(step.node->payload) && step.result == build && step.part == kWhole;
  });
}

bool marks(const Branch& branch, size_t build) {
  const auto* const marked = std::get_if<MarkedRowsOf>(&branch.input);
  return marked != nullptr && marked->pipeline == build && marked->part == kWhole;
}

}  // namespace

std::optional<size_t> join_in_parts(const Pipeline& pipeline, const Results& results) {
  const auto in_parts = [&](const StepSpec& step) {
    return std::holds_alternative<plan::Join>(step.node->payload) && step.part == kWhole &&
           results[step.result].parts != nullptr;
  };
  const auto is_next = [&](size_t build) {
    return std::ranges::all_of(pipeline.branches, [&](const Branch& branch) {
      const auto step = step_of(branch, build);
      return step == branch.steps.end() || std::none_of(branch.steps.begin(), step, in_parts);
    });
  };
  for (const Branch& branch : pipeline.branches) {
    const auto step = std::ranges::find_if(branch.steps, in_parts);
    if (step != branch.steps.end() && is_next(step->result)) return step->result;
  }
  return std::nullopt;
}

std::vector<Branch> branches_before(const Pipeline& pipeline, size_t build) {
  std::vector<Branch> before;
  for (const Branch& branch : pipeline.branches) {
    const auto step = step_of(branch, build);
    if (step == branch.steps.end()) continue;
    before.push_back(branch);
    before.back().steps.assign(branch.steps.begin(), step);
  }
  return before;
}

std::vector<Branch> branches_beside(const Pipeline& pipeline, size_t build) {
  std::vector<Branch> beside;
  for (const Branch& branch : pipeline.branches)
    if (step_of(branch, build) == branch.steps.end() && !marks(branch, build)) beside.push_back(branch);
  return beside;
}

Pipeline with_rows_beside(const Pipeline& pipeline, size_t build, Table rows) {
  Pipeline result = pipeline;
  std::erase_if(result.branches, [&](const Branch& branch) {
    return step_of(branch, build) == branch.steps.end() && !marks(branch, build);
  });
  Branch beside;
  beside.schema = rows.schema;
  beside.input = RowsOfPart{std::make_shared<const Table>(std::move(rows))};
  result.branches.insert(result.branches.begin(), std::move(beside));
  return result;
}

Pipeline by_parts(const Pipeline& pipeline, size_t build, std::vector<Table> left) {
  Pipeline result = pipeline;
  result.branches = branches_beside(pipeline, build);
  size_t phase = 0;
  for (const Branch& branch : result.branches) phase = std::max(phase, branch.phase + 1);
  const Branch* probing = nullptr;
  const Branch* marked = nullptr;
  for (const Branch& branch : pipeline.branches) {
    if (step_of(branch, build) != branch.steps.end()) probing = &branch;  // they share their way from there on
    if (marks(branch, build)) marked = &branch;
  }
  for (size_t part = 0; part < left.size(); ++part) {
    Branch& probe = result.branches.emplace_back();
    probe.schema = left[part].schema;
    probe.input = RowsOfPart{std::make_shared<const Table>(std::move(left[part]))};
    probe.steps.assign(step_of(*probing, build), probing->steps.end());
    probe.steps[0].part = part;
    probe.phase = phase++;
    if (marked == nullptr) continue;
    Branch& rest = result.branches.emplace_back(*marked);
    std::get<MarkedRowsOf>(rest.input).part = part;
    rest.phase = phase++;
  }
  return result;
}

}  // namespace lanewise::exec
