#include "pram/language/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace lanewise::pram {

namespace {

/// Whether all processors surely have the same value: it is made of literals, parameters and what the
/// processor outside of the block holds.
bool is_uniform(const Expr& expr) {
  bool uniform = true;
  walk(expr, [&](const Expr& part) {
    uniform = uniform && part.op != Op::kProcessor && part.op != Op::kPrivate && part.op != Op::kCell &&
              part.op != Op::kLet;
  });
  return uniform;
}

class Linter {
 public:
  explicit Linter(const Tree& tree)
      : tree_(tree),
        cell_reads_(tree.variables.size()),
        cell_writes_(tree.variables.size()),
        private_reads_(tree.privates.size()),
        parameter_reads_(tree.parameters.size()) {}

  std::vector<Diagnostic> run() {
    count();
    unused();
    statements(tree_.body, false);
    std::stable_sort(warnings_.begin(), warnings_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    return std::move(warnings_);
  }

 private:
  void warn(const Place& place, std::string message, std::string advice = "") {
    warnings_.push_back({Diagnostic::Severity::kWarning, place, std::move(message), std::move(advice)});
  }

  void count_reads(const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kCell) ++cell_reads_[part.index];
      if (part.op == Op::kPrivate || part.op == Op::kControl) ++private_reads_[part.index];
      if (part.op == Op::kParameter) ++parameter_reads_[part.index];
    });
  }

  void count() {
    for (const Parameter& parameter : tree_.parameters) {
      if (parameter.value) count_reads(*parameter.value);
    }
    for (const Variable& variable : tree_.variables) {
      for (const ExprPtr& extent : variable.extents) count_reads(*extent);
      if (variable.initial) count_reads(*variable.initial);
    }
    for (const Block& block : tree_.blocks) {
      for (const Block::Dimension& dimension : block.dimensions) count_reads(*dimension.extent);
    }
    walk(tree_.body, [&](const Statement& statement) {
      for (const Target& target : statement.targets) {
        if (target.shared) ++cell_writes_[target.index];
      }
      for_each_expression(statement, [&](const Expr& expr) { count_reads(expr); });
    });
  }

  void unused() {
    for (size_t i = 0; i < tree_.parameters.size(); ++i) {
      const Parameter& parameter = tree_.parameters[i];
      if (parameter_reads_[i] == 0 && parameter.kind != Parameter::Kind::kSize) {
        warn(parameter.place, fmt::format("'{}' is never read", parameter.name));
      }
    }
    for (size_t i = 0; i < tree_.variables.size(); ++i) {
      const Variable& variable = tree_.variables[i];
      if (variable.result() && cell_writes_[i] == 0) {
        warn(variable.place, fmt::format("'{}' is never assigned", variable.name));
      } else if (!variable.result() && cell_reads_[i] == 0) {
        warn(variable.place, fmt::format("'{}' is never read", variable.name),
             cell_writes_[i] != 0 ? "declare it as output to see it" : "");
      }
    }
    for (size_t i = 0; i < tree_.privates.size(); ++i) {
      const Private& owned = tree_.privates[i];
      if (private_reads_[i] == 0 && owned.name.find('.') == std::string::npos) {
        warn(owned.place, fmt::format("'{}' is never read", owned.name));
      }
    }
  }

  /// `all` says that all processors of the block are active, whatever the input is.
  void statements(const std::vector<Statement>& list, bool all) {
    for (const Statement& statement : list) {
      switch (statement.kind) {
        case Statement::Kind::kAssign:
          if (all) conflicts(statement);
          break;
        case Statement::Kind::kIf:
        case Statement::Kind::kWhile: {
          const Expr& condition = *statement.condition;
          const bool known = condition.op == Op::kLiteral;
          if (known && condition.word == 0) {
            warn(statement.place, "no processor is ever active here", "the condition is false");
          }
          statements(statement.body, all && is_uniform(condition) && !(known && condition.word == 0));
          statements(statement.otherwise, all && is_uniform(condition) && !(known && condition.word == 1));
          break;
        }
        case Statement::Kind::kBlock:
          statements(statement.body, true);
          break;
      }
    }
  }

  void conflicts(const Statement& statement) {
    if (tree_.mode != Mode::kErew && tree_.mode != Mode::kCrew) return;
    for (const Target& target : statement.targets) {
      const bool same = std::all_of(target.cell.begin(), target.cell.end(),
                                    [](const ExprPtr& index) { return is_uniform(*index); });
      if (target.shared && same) {
        warn(target.place,
             fmt::format("all processors write '{}' at once, which {} forbids", to_text(target, tree_),
                         to_text(tree_.mode)),
             "let one write it: if p == 0 { ... }; or declare a CRCW mode");
      }
    }
    if (tree_.mode != Mode::kErew) return;
    for_each_expression(statement, [&](const Expr& expr) { read_conflicts(expr); });
  }

  void read_conflicts(const Expr& expr) {
    const bool same = std::all_of(expr.args.begin(), expr.args.end(),
                                  [](const ExprPtr& index) { return is_uniform(*index); });
    if (expr.op == Op::kCell && same) {
      warn(expr.place,
           fmt::format("all processors read '{}' at once, which EREW forbids", to_text(expr, tree_)),
           "spread the value by doubling, or declare mode CREW");
    }
    const bool lazy = expr.op == Op::kAnd || expr.op == Op::kOr || expr.op == Op::kChoose;
    for (size_t i = 0; i < (lazy ? 1 : expr.args.size()); ++i) read_conflicts(*expr.args[i]);
  }

  const Tree& tree_;
  std::vector<size_t> cell_reads_, cell_writes_, private_reads_, parameter_reads_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace

std::vector<Diagnostic> lint(const Tree& tree) { return Linter(tree).run(); }

}  // namespace lanewise::pram
