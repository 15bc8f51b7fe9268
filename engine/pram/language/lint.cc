#include "pram/language/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pram/language/range.h"

namespace lanewise::pram {

namespace {

constexpr const char* kNeverActive = "no processor is ever active here";

/// Whether all processors certainly have the same value: it consists of literals, parameters and variables of
/// the processor outside of the block.
bool is_uniform(const Expr& expr) {
  bool uniform = true;
  walk(expr, [&](const Expr& part) {
    uniform = uniform && part.op != Op::kProcessor && part.op != Op::kPrivate && part.op != Op::kCell &&
              part.op != Op::kLet;
  });
  return uniform;
}

/// Whether it is p plus or minus a uniform value: adjacent processors have adjacent values.
bool is_shifted_number(const Expr& expr, const Tree& tree) {
  switch (expr.op) {
    case Op::kProcessor:
      return tree.blocks[static_cast<size_t>(expr.word)].dimensions.size() == 1;
    case Op::kConvert:
      return is_shifted_number(*expr.args[0], tree);
    case Op::kAdd:
      return (is_shifted_number(*expr.args[0], tree) && is_uniform(*expr.args[1])) ||
             (is_uniform(*expr.args[0]) && is_shifted_number(*expr.args[1], tree));
    case Op::kSubtract:
      return is_shifted_number(*expr.args[0], tree) && is_uniform(*expr.args[1]);
    default:
      return false;
  }
}

/// Whether adjacent processors certainly share it: p / 2.
bool is_shared_by_neighbours(const Expr& expr, const Tree& tree) {
  return expr.op == Op::kDivide && is_integer(expr.type) && is_shifted_number(*expr.args[0], tree) &&
         range_of(*expr.args[1], tree).least >= 2;
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
    for (const Tree::Function& function : tree_.functions) {
      if (!function.called) warn(function.place, fmt::format("'{}' is never called", function.name));
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

  /// `all`: all processors of the block are active, for every input.
  void statements(const std::vector<Statement>& list, bool all) {
    for (const Statement& statement : list) {
      switch (statement.kind) {
        case Statement::Kind::kAssign:
          if (all) conflicts(statement);
          break;
        case Statement::Kind::kIf:
        case Statement::Kind::kWhile: {
          const Expr& condition = *statement.condition;
          const Range range = range_of(condition, tree_);
          const bool never = range.always(0), ever = range.always(1);
          if (never) warn(statement.place, kNeverActive, "the condition is false");
          if (ever && statement.kind == Statement::Kind::kWhile) {
            warn(statement.place, "the loop never ends", "its condition is true, whatever the loop does");
          }
          if (ever && !statement.otherwise.empty()) {
            warn(statement.otherwise[0].place, kNeverActive, "the condition is true");
          }
          statements(statement.body, all && is_uniform(condition) && !never);
          statements(statement.otherwise, all && is_uniform(condition) && !ever);
          break;
        }
        case Statement::Kind::kBlock: {
          const std::vector<Block::Dimension>& dimensions = tree_.blocks[statement.block].dimensions;
          const bool none =
              std::any_of(dimensions.begin(), dimensions.end(), [&](const Block::Dimension& dimension) {
                return range_of(*dimension.extent, tree_).greatest <= 0;
              });
          if (none) {
            warn(statement.place, kNeverActive, "there are no processors");
          } else {
            statements(statement.body, true);
          }
          break;
        }
      }
    }
  }

  /// The processors that certainly share a cell of these indexes: "all processors", "neighbours", or empty.
  std::string_view who_meet(const std::vector<ExprPtr>& indexes) const {
    std::string_view who = "all processors";
    for (const ExprPtr& index : indexes) {
      if (is_uniform(*index)) continue;
      if (!is_shared_by_neighbours(*index, tree_)) return "";
      who = "neighbours";
    }
    return who;
  }

  void conflicts(const Statement& statement) {
    const bool exclusive = tree_.mode == Mode::kErew || tree_.mode == Mode::kCrew;
    if (!exclusive && tree_.mode != Mode::kCommon) return;
    for (size_t i = 0; i < statement.targets.size(); ++i) {
      const Target& target = statement.targets[i];
      const std::string_view who = who_meet(target.cell);
      if (!target.shared || who.empty()) continue;
      if (!exclusive && !is_shifted_number(*statement.values[i], tree_)) continue;
      warn(target.place,
           fmt::format("{} write {}'{}' at once, which {} forbids", who,
                       exclusive ? "" : "different values to ", to_text(target, tree_), to_text(tree_.mode)),
           fmt::format("let one write it: if p == 0 {{ ... }}; or declare {}",
                       exclusive ? "a CRCW mode" : "mode CRCW arbitrary, priority or combining"));
    }
    if (tree_.mode != Mode::kErew) return;
    for_each_expression(statement, [&](const Expr& expr) { read_conflicts(expr); });
  }

  void read_conflicts(const Expr& expr) {
    if (const std::string_view who = expr.op == Op::kCell ? who_meet(expr.args) : ""; !who.empty()) {
      warn(expr.place, fmt::format("{} read '{}' at once, which EREW forbids", who, to_text(expr, tree_)),
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
