#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "pram/meta/independent.h"
#include "pram/meta/optimise.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

bool is_kernel(const Meta& meta) { return meta.kind == Kind::kKernel; }

/// Whether nodes are at most one kernel.
bool is_small(const std::vector<Meta>& list) {
  return list.empty() || (list.size() == 1 && is_kernel(list[0]));
}

/// The block's own statement; blocks are never nested.
const Statement* statement_of_block(const std::vector<Statement>& list, uint32_t block) {
  for (const Statement& statement : list) {
    if (statement.kind == Statement::Kind::kBlock && statement.block == block) return &statement;
    for (const std::vector<Statement>* inner : {&statement.body, &statement.otherwise}) {
      if (const Statement* const found = statement_of_block(*inner, block)) return found;
    }
  }
  return nullptr;
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

/// A kernel for the same processors as `meta`, which has a condition, within `kind`.
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

bool has_loop(const std::vector<Statement>& list) {
  return std::any_of(list.begin(), list.end(), [](const Statement& statement) {
    return statement.kind == Statement::Kind::kWhile || has_loop(statement.body) ||
           has_loop(statement.otherwise);
  });
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

/// Whether the condition's operands are unchanged after the kernels.
bool outlives(const Expr& condition, std::span<const Meta> kernels) {
  bool same = true;
  const auto look = [&](const Statement& statement) {
    for (const Target& target : statement.targets) {
      walk(condition, [&](const Expr& part) {
        const bool uses = part.op == (target.shared ? Op::kCell : Op::kPrivate);
        same = same && !(uses && part.index == target.index);
      });
    }
  };
  for (const Meta& kernel : kernels) walk(kernel.statements, look);
  return same;
}

bool is_cheap(const Expr& condition) {
  bool cheap = condition.height <= 3;
  walk(condition, [&](const Expr& part) { cheap = cheap && part.op != Op::kCell && part.op != Op::kLet; });
  return cheap;
}

ExprPtr negated(const ExprPtr& condition) {
  Expr made;
  made.op = Op::kNot;
  made.type = Type::kBool;
  made.place = condition->place;
  made.args = {condition};
  made.height = condition->height + 1;
  return std::make_shared<const Expr>(std::move(made));
}

/// A branch as one kernel, if that is allowed, and why.
std::optional<Meta> as_one_kernel(const Meta& branch, const Nodes& nodes, std::string& what) {
  if (!is_small(branch.body) || !is_small(branch.otherwise)) return std::nullopt;
  Meta kernel = guarded(branch, Statement::Kind::kIf);
  const char* why = kApart;
  if (!in_place(branch.body) || !in_place(branch.otherwise) ||
      !independent(kernel.statements, nodes.tree, nodes.block)) {
    // Then all conditions are tested before anything is written.
    if (!branch.otherwise.empty() || !is_one_assignment(kernel.statements)) return std::nullopt;
    kernel.writing = std::min(branch.body[0].writing, Writing::kBuffered);
    why = "it guards one assignment, and nothing is written between";
  }
  what = fmt::format("the condition goes into the kernel: {}", why);
  return kernel;
}

/// The kernels of a branch, each with the condition inside; empty if that is not allowed.
std::vector<Meta> with_condition(const Meta& branch, const Nodes& nodes) {
  constexpr size_t kMost = 4;  // of kernels that test the condition again
  std::vector<Meta> kernels = branch.body;
  kernels.insert(kernels.end(), branch.otherwise.begin(), branch.otherwise.end());
  if (kernels.empty() || kernels.size() > kMost || !std::all_of(kernels.begin(), kernels.end(), is_kernel))
    return {};
  if (!is_cheap(*branch.condition)) return {};
  if (!outlives(*branch.condition, std::span(kernels).first(kernels.size() - 1))) return {};
  for (size_t i = 0; i < kernels.size(); ++i) {
    Meta& kernel = kernels[i];
    const Writing writing = kernel.writing;
    Meta alone = branch;
    alone.body = {kernel};
    alone.otherwise.clear();
    if (i >= branch.body.size()) alone.condition = negated(branch.condition);
    kernel = guarded(alone, Statement::Kind::kIf);
    kernel.writing = writing;
    const bool own = writing != Writing::kInPlace || independent(kernel.statements, nodes.tree, nodes.block);
    if (!own || (writing != Writing::kInPlace && !is_one_assignment(kernel.statements))) return {};
  }
  return kernels;
}

void fuse(std::vector<Meta>& list, MetaProgram& meta, const Tree& tree) {
  for (Meta& node : list) {
    fuse(node.body, meta, tree);
    fuse(node.otherwise, meta, tree);
    if (node.kind != Kind::kAll) continue;
    const std::vector<Statement>& statements = statement_of_block(tree.body, node.block)->body;
    if (!has_loop(statements) || !independent(statements, tree, node.block)) continue;
    node.body = {{.kind = Kind::kKernel, .place = node.place, .statements = statements}};
    meta.fused[node.block] = true;
    meta.notes.push_back(
        {Pass::kFuse, node.place.line, fmt::format("the block with its loops is one kernel: {}", kApart)});
  }
}

}  // namespace

void fuse_blocks(MetaProgram& meta, const Tree& tree) { fuse(meta.body, meta, tree); }

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
  std::vector<Meta> list;
  for (Meta& meta : nodes.list) {
    list.push_back(std::move(meta));
    const Meta& branch = list.back();
    if (branch.kind != Kind::kSplit) continue;
    const Place place = branch.place;
    std::string what;
    if (std::optional<Meta> kernel = as_one_kernel(branch, nodes, what)) {
      list.back() = std::move(*kernel);
    } else {
      std::vector<Meta> kernels = with_condition(branch, nodes);
      if (kernels.empty()) continue;
      what =
          fmt::format("the condition goes into each of {} kernels, which do not change it", kernels.size());
      list.pop_back();
      std::move(kernels.begin(), kernels.end(), std::back_inserter(list));
    }
    nodes.notes.push_back({Pass::kBranches, place.line, what});
    changed = true;
  }
  nodes.list = std::move(list);
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
