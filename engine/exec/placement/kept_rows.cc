#include "exec/placement/kept_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/arrow/arrow_device_rows.h"

namespace lanewise::exec {

std::optional<std::vector<size_t>> columns_passed_on(const plan::Pipeline& pipeline) {
  if (pipeline.sink != nullptr || pipeline.branches.size() != 1) return std::nullopt;
  const plan::Branch& branch = pipeline.branches[0];
  if (!std::holds_alternative<plan::ResultOf>(branch.input)) return std::nullopt;
  std::vector<size_t> columns(branch.schema.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  for (const plan::StepSpec& step : branch.steps) {
    const auto* project = std::get_if<plan::Project>(&step.node->payload);
    if (project == nullptr) return std::nullopt;
    std::vector<size_t> chosen;
    for (const ExprPtr& expr : project->exprs) {
      if (expr->kind != Expr::Kind::kColumn) return std::nullopt;
      chosen.push_back(columns[expr->column]);
    }
    columns = std::move(chosen);
  }
  return columns;
}

bool may_keep(const std::vector<plan::Pipeline>& pipelines, size_t i) {
  const plan::Pipeline& last = pipelines.back();
  const bool is_read = i + 2 == pipelines.size() && pipeline_read(last.branches[0]) == i;
  if (i + 1 != pipelines.size() && !(is_read && columns_passed_on(last))) return false;
  return std::ranges::all_of(pipelines[i].output,
                             [](const Field& field) { return arrow::DeviceRecords::supports(field.type); });
}

std::vector<size_t> pipelines_fed(const std::vector<plan::Pipeline>& pipelines, size_t i) {
  std::vector<size_t> fed;
  for (size_t reader = i + 1; reader < pipelines.size(); ++reader) {
    for (const plan::Branch& branch : pipelines[reader].branches) {
      const auto reads = [&](const plan::StepSpec& step) { return step.result == i; };
      const auto* const marked = std::get_if<plan::MarkedRowsOf>(&branch.input);
      if ((marked != nullptr && marked->pipeline == i) || std::ranges::any_of(branch.steps, reads)) return {};
      if (pipeline_read(branch) == i && (fed.empty() || fed.back() != reader)) fed.push_back(reader);
    }
  }
  return fed;
}

}  // namespace lanewise::exec
