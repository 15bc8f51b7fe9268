#include <fmt/format.h>

#include <algorithm>

#include "pram/meta/independent.h"
#include "pram/meta/optimise.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

bool is_kernel(const Meta& meta) { return meta.kind == Kind::kKernel; }

/// Whether nodes are one kernel at most.
bool is_small(const std::vector<Meta>& list) {
  return list.empty() || (list.size() == 1 && is_kernel(list[0]));
}

bool in_place(const std::vector<Meta>& list) { return list.empty() || list[0].writing == Writing::kInPlace; }

std::vector<Statement> statements_of(const std::vector<Meta>& list) {
  return list.empty() ? std::vector<Statement>() : list[0].statements;
}

/// One assignment, perhaps within ifs without else.
bool is_one_assignment(const std::vector<Statement>& list) {
  if (list.size() != 1) return false;
  if (list[0].kind == Statement::Kind::kAssign) return true;
  return list[0].kind == Statement::Kind::kIf && list[0].otherwise.empty() && is_one_assignment(list[0].body);
}

/// A kernel of the same processors as `meta`, which has a condition, within `kind`.
Meta guarded(const Meta& meta, Statement::Kind kind) {
  Statement statement;
  statement.kind = kind;
  statement.place = meta.place;
  statement.condition = meta.condition;
  statement.body = statements_of(meta.body);
  statement.otherwise = statements_of(meta.otherwise);
  return {
      .kind = Kind::kKernel, .place = meta.place, .statements = {std::move(statement)}, .from = meta.from};
}

constexpr const char* kApart = "no processor uses a cell that another one writes";

bool merge(Meta& first, const Meta& second, const Nodes& nodes) {
  if (first.writing == Writing::kInPlace && second.writing == Writing::kInPlace) {
    const auto middle = static_cast<std::ptrdiff_t>(first.statements.size());
    first.statements.insert(first.statements.end(), second.statements.begin(), second.statements.end());
    if (!independent(first.statements, nodes.tree, nodes.block)) {
      first.statements.erase(first.statements.begin() + middle, first.statements.end());
      return false;
    }
    nodes.notes.push_back({Pass::kMerge, second.place.line,
                           fmt::format("goes into the kernel of line {}: {}", first.place.line, kApart)});
    return true;
  }
  const auto assigns = [](const Meta& meta) {
    return meta.statements.size() == 1 && meta.statements[0].kind == Statement::Kind::kAssign;
  };
  if (!assigns(first) || !assigns(second)) return false;
  Statement& both = first.statements[0];
  const Statement& more = second.statements[0];
  if (!simultaneous(both, more)) return false;
  both.targets.insert(both.targets.end(), more.targets.begin(), more.targets.end());
  both.values.insert(both.values.end(), more.values.begin(), more.values.end());
  first.writing = std::min(first.writing, second.writing);
  nodes.notes.push_back({Pass::kMerge, second.place.line,
                         fmt::format("is done at the same time as line {}, which writes nothing that it uses",
                                     first.place.line)});
  return true;
}

}  // namespace

bool write_in_place(const Nodes& nodes) {
  bool changed = false;
  for (Meta& meta : nodes.list) {
    if (!is_kernel(meta) || meta.writing == Writing::kInPlace) continue;
    if (independent(meta.statements, nodes.tree, nodes.block)) {
      meta.writing = Writing::kInPlace;
      nodes.notes.push_back(
          {Pass::kInPlace, meta.place.line, fmt::format("needs no second copy: {}", kApart)});
      changed = true;
    } else if (meta.writing == Writing::kResolved &&
               exclusive_writes(meta.statements, nodes.tree, nodes.block)) {
      meta.writing = Writing::kBuffered;
      nodes.notes.push_back(
          {Pass::kInPlace, meta.place.line, "nothing to resolve: no two processors write one cell"});
      changed = true;
    }
  }
  return changed;
}

bool merge_kernels(const Nodes& nodes) {
  std::vector<Meta> merged;
  for (Meta& meta : nodes.list) {
    if (!merged.empty() && is_kernel(merged.back()) && is_kernel(meta) && merge(merged.back(), meta, nodes)) {
      continue;
    }
    merged.push_back(std::move(meta));
  }
  const bool changed = merged.size() < nodes.list.size();
  nodes.list = std::move(merged);
  return changed;
}

bool branch_in_kernel(const Nodes& nodes) {
  bool changed = false;
  for (Meta& meta : nodes.list) {
    if (meta.kind != Kind::kSplit || !is_small(meta.body) || !is_small(meta.otherwise)) continue;
    Meta kernel = guarded(meta, Statement::Kind::kIf);
    const char* why = kApart;
    if (!in_place(meta.body) || !in_place(meta.otherwise) ||
        !independent(kernel.statements, nodes.tree, nodes.block)) {
      // Then all conditions are tested before anything is written.
      if (!meta.otherwise.empty() || !is_one_assignment(kernel.statements)) continue;
      kernel.writing = std::min(meta.body[0].writing, Writing::kBuffered);
      why = "it guards one assignment, and nothing is written between";
    }
    nodes.notes.push_back(
        {Pass::kBranches, meta.place.line, fmt::format("the condition goes into the kernel: {}", why)});
    meta = std::move(kernel);
    changed = true;
  }
  return changed;
}

bool loop_in_kernel(const Nodes& nodes) {
  bool changed = false;
  for (Meta& meta : nodes.list) {
    if (meta.kind != Kind::kRepeat || !is_small(meta.body) || !in_place(meta.body)) continue;
    Meta kernel = guarded(meta, Statement::Kind::kWhile);
    if (!independent(kernel.statements, nodes.tree, nodes.block)) continue;
    nodes.notes.push_back({Pass::kLoops, meta.place.line,
                           fmt::format("each processor loops on its own, within the kernel: {}", kApart)});
    meta = std::move(kernel);
    changed = true;
  }
  return changed;
}

}  // namespace lanewise::pram
