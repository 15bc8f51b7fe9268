#include <fmt/format.h>

#include <algorithm>

#include "pram/meta/optimise.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

/// Whether the processors of a block all have the same value, which the host can compute: from uniform
/// values, hosted variables and cells that all of them read.
bool same_for_all(const Expr& expr, const std::vector<bool>& hosted) {
  bool same = true;
  walk(expr, [&](const Expr& part) {
    same = same && part.op != Op::kProcessor && part.op != Op::kLet &&
           (part.op != Op::kPrivate || hosted[part.index]);
  });
  return same;
}

/// Finds the uniform private variables, by removing the others from the set of all.
class Search {
 public:
  Search(const Tree& tree, const std::vector<bool>& fused) : tree_(tree), hosted_(tree.privates.size()) {
    for (size_t i = 0; i < hosted_.size(); ++i) {
      const std::optional<uint32_t> block = tree.privates[i].block;
      hosted_[i] = block && !fused[*block];
    }
    // Function arguments are assigned within expressions.
    walk(tree.body, [&](const Statement& statement) {
      for_each_expression(statement, [&](const Expr& expr) {
        walk(expr, [&](const Expr& part) {
          if (part.op == Op::kLet) hosted_[part.index] = false;
        });
      });
    });
  }

  std::vector<bool> run() {
    do {
      changed_ = false;
      statements(tree_.body, true);
    } while (changed_);
    return std::move(hosted_);
  }

 private:
  void statements(const std::vector<Statement>& list, bool all) {
    for (const Statement& statement : list) {
      if (statement.kind == Statement::Kind::kAssign) assign(statement, all);
      const bool begins = statement.kind == Statement::Kind::kBlock;
      const bool same =
          begins || (all && (!statement.condition || same_for_all(*statement.condition, hosted_)));
      statements(statement.body, same);
      statements(statement.otherwise, same);
    }
  }

  /// `all`: either all processors of the block run it, or none.
  void assign(const Statement& statement, bool all) {
    bool good = all;
    for (const Target& target : statement.targets) good = good && !target.shared && hosted_[target.index];
    for (const ExprPtr& value : statement.values) good = good && same_for_all(*value, hosted_);
    if (good) return;
    for (const Target& target : statement.targets) {
      if (target.shared || !hosted_[target.index]) continue;
      hosted_[target.index] = false;
      changed_ = true;
    }
  }

  const Tree& tree_;
  std::vector<bool> hosted_;
  bool changed_ = false;
};

/// Renames the sets of a list: T[from] to T[to], higher ones accordingly.
void rename(std::vector<Meta>& list, uint32_t from, uint32_t to) {
  for (Meta& meta : list) {
    meta.from = meta.from - from + to;
    if (meta.kind == Kind::kSplit || meta.kind == Kind::kRepeat) meta.to = meta.to - from + to;
    if (meta.rest) meta.rest = *meta.rest - from + to;
    rename(meta.body, from, to);
    rename(meta.otherwise, from, to);
  }
}

/// The same expression with hosted variables read from the host.
ExprPtr rewrite(const ExprPtr& expr, const std::vector<bool>& hosted) {
  std::shared_ptr<Expr> made;
  const auto change = [&]() -> Expr& {
    if (!made) made = std::make_shared<Expr>(*expr);
    return *made;
  };
  if (expr->op == Op::kPrivate && hosted[expr->index]) change().op = Op::kControl;
  for (size_t i = 0; i < expr->args.size(); ++i) {
    const ExprPtr arg = rewrite(expr->args[i], hosted);
    if (arg != expr->args[i]) change().args[i] = arg;
  }
  return made ? ExprPtr(made) : expr;
}

class Move {
 public:
  Move(MetaProgram& meta, const Tree& tree) : meta_(meta), tree_(tree), told_(tree.privates.size()) {}

  void list(std::vector<Meta>& nodes) {
    for (Meta& meta : nodes) {
      if (meta.kind == Kind::kAll && meta_.fused[meta.block]) continue;
      if (meta.condition) meta.condition = rewrite(meta.condition, meta_.hosted);
      for (Statement& statement : meta.statements) rewrite_statement(statement);
      list(meta.body);
      list(meta.otherwise);
      if (meta.kind == Kind::kKernel) kernel(meta);
      if (meta.kind == Kind::kSplit) split(meta);
    }
  }

 private:
  void rewrite_statement(Statement& statement) const {
    for (Target& target : statement.targets) {
      for (ExprPtr& index : target.cell) index = rewrite(index, meta_.hosted);
    }
    for (ExprPtr& value : statement.values) value = rewrite(value, meta_.hosted);
  }

  void kernel(Meta& meta) {
    const std::vector<Target>& targets = meta.statements[0].targets;
    if (targets[0].shared || !meta_.hosted[targets[0].index]) return;
    meta.kind = Kind::kHost;
    for (const Target& target : targets) {
      if (told_[target.index]) continue;
      told_[target.index] = true;
      meta_.notes.push_back({Pass::kHost, meta.place.line,
                             fmt::format("'{}' has one value for all processors: the host keeps it",
                                         tree_.privates[target.index].name)});
    }
  }

  void split(Meta& meta) {
    if (!same_for_all(*meta.condition, meta_.hosted)) return;
    meta.kind = Kind::kHostIf;
    rename(meta.body, meta.to, meta.from);
    if (meta.rest) rename(meta.otherwise, *meta.rest, meta.from);
    meta.rest.reset();
    meta_.notes.push_back(
        {Pass::kHost, meta.place.line, "the condition is the same for all processors: the host decides"});
  }

  MetaProgram& meta_;
  const Tree& tree_;
  std::vector<bool> told_;
};

void loops(std::vector<Meta>& list, MetaProgram& meta) {
  for (Meta& node : list) {
    if (node.kind == Kind::kRepeat && same_for_all(*node.condition, meta.hosted)) {
      node.kind = Kind::kHostWhile;
      rename(node.body, node.to, node.from);
      meta.notes.push_back({Pass::kLoops, node.place.line,
                            "the condition is the same for all processors: the host decides without them"});
    }
    loops(node.body, meta);
    loops(node.otherwise, meta);
  }
}

}  // namespace

void move_to_host(MetaProgram& meta, const Tree& tree) {
  meta.hosted = Search(tree, meta.fused).run();
  Move(meta, tree).list(meta.body);
}

void loop_on_host(MetaProgram& meta) { loops(meta.body, meta); }

}  // namespace lanewise::pram
