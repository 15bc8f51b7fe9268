#include "exec/cores/open_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ops/filter/filter.h"
#include "ops/join/build.h"
#include "ops/operators/operators.h"
#include "ops/run/first_fault.h"
#include "ops/scan/early_filters.h"
#include "ops/scan/first_steps.h"
#include "ops/scan/marked_rows.h"
#include "ops/scan/morsel_list.h"
#include "ops/scan/open_scan.h"
#include "ops/scan/slicing.h"

namespace lanewise::exec {

namespace {

/// Whether its memory is wanted only in its phase.
bool reads_part(const plan::Branch& branch) {
  const auto* const marked = std::get_if<plan::MarkedRowsOf>(&branch.input);
  return std::holds_alternative<plan::RowsOfPart>(branch.input) ||
         (marked != nullptr && marked->part != plan::kNoPart);
}

constexpr uint32_t kManyMatches = 1024;  // for a row, at most: fewer are not worth a morsel

/// The order, where it is one by a column of the branch's input.
std::optional<ops::InputOrder> before_steps(ops::InputOrder order, const plan::Branch& branch) {
  for (auto step = branch.steps.rbegin(); step != branch.steps.rend(); ++step) {
    const ops::StepColumns columns = ops::step_operator(*step->node).columns(*step);
    order.column = columns.below[order.column];
    if (!columns.in_order || order.column == ops::kComputed) return std::nullopt;
  }
  return order;
}

}  // namespace

bool sink_is_operator(const plan::Pipeline& pipeline) {
  return pipeline.sink != nullptr && !is_build(pipeline);
}

OpenPipeline PipelineOpener::open(const plan::Pipeline& pipeline) {
  OpenPipeline open;
  open.sink = ops::sink_operator(pipeline).open(pipeline);
  if (is_build(pipeline)) {
    auto& build = static_cast<ops::BuildSink&>(*open.sink);
    build.force_parts(options_.join_parts);
    build.force_lookup(options_.join_lookup);
  }
  const auto order = open.sink->wanted_order();
  for (const plan::Branch& branch : pipeline.branches) {
    open.branches.push_back(this->open(branch, order));
    open.branches.back().columns.names = &pipeline.input;
  }
  open.sink_line = pipeline.line;
  open.sink_is_operator = sink_is_operator(pipeline);
  return open;
}

OpenBranch PipelineOpener::open(const plan::Branch& branch, const std::optional<ops::InputOrder>& order) {
  OpenBranch open;
  open.line = branch.line;
  open.phase = branch.phase;
  if (reads_part(branch)) {
    open.open_late = [this, &branch] { return open_now(branch, std::nullopt); };
    return open;
  }
  return open_now(branch, order);
}

OpenBranch PipelineOpener::open_now(const plan::Branch& branch, const std::optional<ops::InputOrder>& order) {
  OpenBranch open;
  if (order) open.ordered_by = order->column;
  open.line = branch.line;
  open.phase = branch.phase;
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) {
    open.what = (*scan)->source->name();
    open_scan(**scan, branch, order ? before_steps(*order, branch) : std::nullopt, open);
  } else if (const auto* values = std::get_if<const plan::Values*>(&branch.input)) {
    open.input = open_table(*(*values)->table, expands(branch));
  } else if (const auto* marked = std::get_if<plan::MarkedRowsOf>(&branch.input)) {
    const auto build = results_[marked->pipeline].open_build(marked->part);
    if (build == nullptr) throw InternalError("a join's build side is there when its rows are read");
    open.input = read_marked_rows(*marked->join, build, slicing_for(options_, build->rows), options_.budget);
  } else if (const auto* part = std::get_if<plan::RowsOfPart>(&branch.input)) {
    open.input = open_table(*part->rows);
  } else {
    open.input = open_table(results_[*pipeline_read(branch)].table, expands(branch));
  }
  bool named = !std::holds_alternative<const plan::Values*>(branch.input);  // whose columns are numbered
  std::vector<bool> of_input(branch.schema.size(), true);
  for (const plan::StepSpec& step : branch.steps) {
    const ops::StepOperator& step_operator = ops::step_operator(*step.node);
    ops::OpenStep op = step_operator.open(step, ops::read_by(step, results_));
    const Schema& schema = step.node->children[0]->schema;
    open.steps.push_back({plan::name(step.node->payload),
                          step.line,
                          false,
                          std::move(op.step),
                          std::move(op.expander),
                          {named ? &schema : nullptr, of_input}});
    of_input = step_operator.of_input(step, of_input);
    named |= step_operator.columns(step).has_named;
  }
  open.columns.of_input = std::move(of_input);
  return open;
}

std::unique_ptr<ops::Input> PipelineOpener::open_table(const Table& table, bool expands) {
  return read_table(table, slicing_for(options_, table.rows(), expands));
}

bool PipelineOpener::expands(const plan::Branch& branch) const {
  return std::any_of(branch.steps.begin(), branch.steps.end(), [&](const plan::StepSpec& step) {
    const auto build = whole_build(step, results_);
    return build != nullptr && !build->unique() && build->rows >= kManyMatches;
  });
}

/// Opens the scan and the first steps of its branch: its predicates, and what its joins need.
void PipelineOpener::open_scan(const plan::Scan& scan, const plan::Branch& branch,
                               const std::optional<ops::InputOrder>& order, OpenBranch& open) {
  ops::EarlyFilters early = ops::early_filters(scan, branch);
  const ops::BuildOf build_of = [&](const plan::StepSpec& step) { return whole_build(step, results_); };
  read_builds(early, branch, build_of);
  ops::OpenScan opened = ops::open_scan(scan, early.predicates, order, options_, expands(branch));
  ++scans_;
  hot_scans_ += opened.hot;
  notes_[branch.line] += opened.note;
  open.input = std::move(opened.input);
  const auto add = [&](std::unique_ptr<ops::Step> step) {
    open.steps.push_back({"Scan",
                          branch.line,
                          true,
                          std::move(step),
                          nullptr,
                          {&branch.schema, std::vector<bool>(branch.schema.size(), true)}});
  };
  if (!scan.predicates.empty()) add(std::make_unique<ops::Filter>(scan.predicates));
  ops::FirstSteps first = first_steps(early.matches, branch, build_of, opened.columns, options_);
  if (first.steps.empty()) return;
  notes_[branch.line] += fmt::format("; first: {}", first.names);
  for (auto& step : first.steps) add(std::move(step));
}

}  // namespace lanewise::exec
