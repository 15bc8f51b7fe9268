#include "pram/language/tree.h"

#include <fmt/format.h>

namespace lanewise::pram {

namespace {

/// The precedence of an operator; 0 for operators written as calls.
int strength(Op op) {
  switch (op) {
    case Op::kChoose:
      return 1;
    case Op::kOr:
      return 2;
    case Op::kAnd:
      return 3;
    case Op::kNot:
      return 4;
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return 5;
    case Op::kAdd:
    case Op::kSubtract:
      return 6;
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return 7;
    case Op::kNegate:
      return 8;
    default:
      return 0;
  }
}

class TreePrinter {
 public:
  explicit TreePrinter(const Tree& tree) : tree_(tree) {}

  /// With brackets if its precedence is lower than `least`.
  std::string print(const Expr& expr, int least) const {
    const int own = strength(expr.op);
    const std::string text = bare(expr, own);
    return own != 0 && own < least ? "(" + text + ")" : text;
  }

  std::string list(const std::vector<ExprPtr>& args) const {
    std::string result;
    for (const ExprPtr& arg : args) result += (result.empty() ? "" : ", ") + print(*arg, 0);
    return result;
  }

  std::string cell(const std::string& name, const std::vector<ExprPtr>& indexes) const {
    return indexes.empty() ? name : fmt::format("{}[{}]", name, list(indexes));
  }

 private:
  std::string bare(const Expr& expr, int own) const {
    switch (expr.op) {
      case Op::kLiteral:
        return to_text(expr.type, expr.word);
      case Op::kParameter:
        return tree_.parameters[expr.index].name;
      case Op::kProcessor:
        return tree_.blocks[static_cast<size_t>(expr.word)].dimensions[expr.index].name;
      case Op::kPrivate:
      case Op::kControl:
        return tree_.privates[expr.index].name;
      case Op::kCell:
        return cell(tree_.variables[expr.index].name, expr.args);
      case Op::kLet:
        return fmt::format("let {} = {} in {}", tree_.privates[expr.index].name, print(*expr.args[0], 0),
                           print(*expr.args[1], 0));
      case Op::kConvert:
        return fmt::format("{}({})", name(expr.type), print(*expr.args[0], 0));
      case Op::kNegate:
        return "-" + print(*expr.args[0], own + 1);
      case Op::kNot:
        return "not " + print(*expr.args[0], own);
      case Op::kChoose:
        return fmt::format("{} ? {} : {}", print(*expr.args[0], own + 1), print(*expr.args[1], own),
                           print(*expr.args[2], own));
      default:
        break;
    }
    if (own == 0) return fmt::format("{}({})", name(expr.op), list(expr.args));
    const bool compares = own == strength(Op::kEqual);
    return fmt::format("{} {} {}", print(*expr.args[0], compares ? own + 1 : own), name(expr.op),
                       print(*expr.args[1], own + 1));
  }

  const Tree& tree_;
};

}  // namespace

std::string to_text(Mode mode, std::optional<Op> combine) {
  switch (mode) {
    case Mode::kErew:
      return "EREW";
    case Mode::kCrew:
      return "CREW";
    case Mode::kCommon:
      return "CRCW common";
    case Mode::kArbitrary:
      return "CRCW arbitrary";
    case Mode::kPriority:
      return "CRCW priority";
    case Mode::kCombining:
      return combine ? fmt::format("CRCW combining {}", name(*combine)) : "CRCW combining";
  }
  throw InternalError("a mode without a name");
}

std::string_view name(Op op) {
  switch (op) {
    case Op::kAbs:
      return "abs";
    case Op::kSqrt:
      return "sqrt";
    case Op::kFloor:
      return "floor";
    case Op::kCeil:
      return "ceil";
    case Op::kLog2:
      return "log2";
    case Op::kNegate:
    case Op::kSubtract:
      return "-";
    case Op::kNot:
      return "not";
    case Op::kAdd:
      return "+";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kModulo:
      return "%";
    case Op::kMin:
      return "min";
    case Op::kMax:
      return "max";
    case Op::kBitAnd:
      return "bit_and";
    case Op::kBitOr:
      return "bit_or";
    case Op::kXor:
      return "xor";
    case Op::kShiftLeft:
      return "shift_left";
    case Op::kShiftRight:
      return "shift_right";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kAnd:
      return "and";
    case Op::kOr:
      return "or";
    case Op::kChoose:
      return "?";
    default:
      throw InternalError("an operator without a name");
  }
}

std::string to_text(const Expr& expr, const Tree& tree) { return TreePrinter(tree).print(expr, 0); }

std::string to_text(const Target& target, const Tree& tree) {
  const std::string& name =
      target.shared ? tree.variables[target.index].name : tree.privates[target.index].name;
  return TreePrinter(tree).cell(name, target.cell);
}

}  // namespace lanewise::pram
