#include "codegen/program.h"

#include <algorithm>

#include "expr/function.h"

namespace lanewise::codegen {

bool Probe::gives_pairs() const {
  using plan::JoinKind;
  return join->kind == JoinKind::kInner || join->kind == JoinKind::kLeft || join->kind == JoinKind::kRight ||
         join->kind == JoinKind::kFull || join->kind == JoinKind::kSingle;
}

bool Probe::marks_rows() const { return plan::asks_right(join->kind); }

std::optional<size_t> Program::probe_of(size_t column) const {
  for (size_t i = 0; i < probes.size(); ++i) {
    if (column >= probes[i].first_column && column < probes[i].end_column()) return i;
  }
  return std::nullopt;
}

std::optional<size_t> Program::probe_at(size_t stage) const {
  for (size_t i = 0; i < probes.size(); ++i)
    if (probes[i].stage == stage) return i;
  return std::nullopt;
}

std::vector<ExprPtr> Program::read_by(const Stage& stage) const {
  std::vector<ExprPtr> read = stage.predicates;
  if (stage.end == nullptr) return read;
  const std::vector<ExprPtr> more = stage.end->reads(*this);
  read.insert(read.end(), more.begin(), more.end());
  return read;
}

std::vector<ExprPtr> Program::read_by(StageRange range) const {
  std::vector<ExprPtr> read;
  for (size_t stage = range.first; stage < range.end; ++stage) {
    const std::vector<ExprPtr> more = read_by(stages[stage]);
    read.insert(read.end(), more.begin(), more.end());
  }
  return read;
}

Match match_of(const Expr& call) {
  return {call.args[0]->column, static_cast<const expr::PreparedPattern*>(call.prepared.get())};
}

Program program_of_keys(const plan::Join& join) {
  Program program;
  program.stages.resize(1);
  program.probes.push_back(
      {.join = &join, .result = 0, .keys = {}, .condition = nullptr, .first_column = 0, .kept = 0});
  for (const plan::JoinKey& key : join.keys) {
    program.probes[0].keys.push_back(key.right);
    program.types.push_back(key.right->type);
  }
  return program;
}

std::vector<size_t> columns_of(const Program& program) {
  std::vector<size_t> columns;
  const auto add = [&](const ExprPtr& expr) {
    if (expr == nullptr) return;
    for (size_t column : lanewise::columns_of(*expr)) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
  };
  for (const ExprPtr& output : program.outputs) add(output);
  for (const Stage& stage : program.stages) {
    for (const ExprPtr& expr : program.read_by(stage)) add(expr);
  }
  return columns;
}

}  // namespace lanewise::codegen
