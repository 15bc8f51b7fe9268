#include "pram/gpu/emit/window_step.h"

#include <algorithm>

#include "pram/meta/polynomial.h"

namespace lanewise::pram {

namespace {

/// Whether a value and all its parts are linear in the processor's number:
/// if the first and the last processor can evaluate it without failure, all can.
bool is_linear(const Expr& expr) {
  const auto polynomial = Polynomial::of(expr);
  if (!polynomial) return false;
  const bool linear =
      std::all_of(polynomial->terms().begin(), polynomial->terms().end(), [](const auto& term) {
        return std::count_if(term.first.begin(), term.first.end(), Polynomial::is_processor) <= 1;
      });
  return linear && (is_fixed(expr) || std::all_of(expr.args.begin(), expr.args.end(),
                                                  [](const ExprPtr& arg) { return is_linear(*arg); }));
}

/// The same expression with values for some private variables.
ExprPtr replaced(const ExprPtr& expr, const std::vector<ExprPtr>& values) {
  if (expr->op == Op::kPrivate && values[expr->index]) return values[expr->index];
  std::shared_ptr<Expr> made;
  for (size_t i = 0; i < expr->args.size(); ++i) {
    const ExprPtr arg = replaced(expr->args[i], values);
    if (arg == expr->args[i]) continue;
    if (!made) made = std::make_shared<Expr>(*expr);
    made->args[i] = arg;
  }
  return made ? ExprPtr(made) : expr;
}

void replace(Statement& statement, const std::vector<ExprPtr>& values) {
  for (Target& target : statement.targets) {
    for (ExprPtr& index : target.cell) index = replaced(index, values);
  }
  for (ExprPtr& value : statement.values) value = replaced(value, values);
  if (statement.condition) statement.condition = replaced(statement.condition, values);
  for (std::vector<Statement>* inner : {&statement.body, &statement.otherwise}) {
    for (Statement& one : *inner) replace(one, values);
  }
}

/// The number of assignments to each private variable.
std::vector<uint32_t> assignments(const std::vector<Statement>& list, size_t privates) {
  std::vector<uint32_t> counts(privates);
  walk(list, [&](const Statement& statement) {
    for (const Target& target : statement.targets) {
      if (!target.shared) ++counts[target.index];
    }
  });
  return counts;
}

class Making {
 public:
  /// `alone`: a single processor runs it.
  Making(const Tree& tree, const std::vector<bool>& written, bool alone)
      : tree_(tree), written_(written), alone_(alone) {}

  std::optional<WindowStep> run(const std::vector<Statement>& list, const std::vector<bool>& in_register) {
    substitute(list, in_register);
    std::vector<bool> used(tree_.variables.size());
    for (const Statement& statement : made_.statements) {
      const std::vector<bool> before = used;
      walk_one(statement, [&](const Statement& part) {
        for (const Target& target : part.targets) {
          if (target.shared) use(target.index, target.cell, used);
          if (!target.shared && !in_register[target.index]) made_.columns = true;
        }
        for_each_expression(part, [&](const Expr& expr) { reads(expr, used, in_register); });
      });
      if (statement.kind == Statement::Kind::kAssign) fill(statement, before);
    }
    if (!good_) return std::nullopt;
    return std::move(made_);
  }

 private:
  void substitute(const std::vector<Statement>& list, const std::vector<bool>& in_register) {
    const std::vector<uint32_t> counts = assignments(list, tree_.privates.size());
    std::vector<ExprPtr> values(counts.size());
    for (const Statement& statement : list) {
      Statement made = statement;
      replace(made, values);
      const bool alone = made.kind == Statement::Kind::kAssign && made.targets.size() == 1 &&
                         !made.targets[0].shared && in_register[made.targets[0].index] &&
                         counts[made.targets[0].index] == 1 && is_linear(*made.values[0]);
      if (!alone) {
        made_.statements.push_back(std::move(made));
        continue;
      }
      values[made.targets[0].index] = made.values[0];
      made_.checked.push_back(made.values[0]);
    }
  }

  template <class F>
  static void walk_one(const Statement& statement, F f) {
    f(statement);
    walk(statement.body, f);
    walk(statement.otherwise, f);
  }

  void reads(const Expr& expr, std::vector<bool>& used, const std::vector<bool>& in_register) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kCell) use(part.index, part.args, used);
      if (part.op == Op::kPrivate && !in_register[part.index]) made_.columns = true;
    });
  }

  void use(uint32_t variable, const std::vector<ExprPtr>& cell, std::vector<bool>& used) {
    if (!written_[variable]) return;
    used[variable] = true;
    if (alone_ && cell.empty()) return;  // only a group without others runs it
    good_ = good_ && cell.size() == 1 && is_linear(*cell[0]);
    if (good_ && find(variable, *cell[0]) == nullptr) made_.cells.push_back({variable, cell[0], false});
  }

  OwnCell* find(uint32_t variable, const Expr& index) {
    const auto found = std::find_if(made_.cells.begin(), made_.cells.end(), [&](const OwnCell& cell) {
      return cell.variable == variable && key_of(*cell.index) == key_of(index);
    });
    return found == made_.cells.end() ? nullptr : &*found;
  }

  /// `used`: variables that earlier statements use.
  void fill(const Statement& statement, const std::vector<bool>& used) {
    for (const Target& target : statement.targets) {
      if (!target.shared || target.cell.empty() || !written_[target.index]) continue;
      if (used[target.index] || !good_) continue;
      bool read = false;
      for_each_expression(statement, [&](const Expr& expr) {
        walk(expr, [&](const Expr& part) { read |= part.op == Op::kCell && part.index == target.index; });
      });
      if (!read) find(target.index, *target.cell[0])->fills = true;
    }
  }

  const Tree& tree_;
  const std::vector<bool>& written_;
  bool alone_;
  WindowStep made_;
  bool good_ = true;
};

}  // namespace

std::optional<WindowStep> window_step(const Meta& kernel, const Tree& tree, uint32_t block,
                                      const std::vector<bool>& written,
                                      const std::vector<bool>& in_register) {
  if (tree.blocks[block].dimensions.size() != 1) return std::nullopt;
  return Making(tree, written, false).run(kernel.statements, in_register);
}

std::optional<WindowStep> window_step(const Statement& statement, const Tree& tree,
                                      const std::vector<bool>& written) {
  bool shared = true;  // the host's variables are not the device's
  for (const Target& target : statement.targets) shared = shared && target.shared;
  for_each_expression(statement, [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) { shared = shared && part.op != Op::kPrivate && part.op != Op::kLet; });
  });
  if (!shared) return std::nullopt;
  return Making(tree, written, true).run({statement}, std::vector<bool>(tree.privates.size()));
}

}  // namespace lanewise::pram
