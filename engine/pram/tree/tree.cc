#include "pram/tree/tree.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace lanewise::pram {

namespace {

constexpr auto kFirstNamed = static_cast<size_t>(Op::kNegate);

/// The operators and functions in the order of Op, so that an Op is an index.
constexpr struct {
  Op op;
  std::string_view name;
} kOpNames[] = {
    {Op::kNegate, "-"},
    {Op::kNot, "not"},
    {Op::kAbs, "abs"},
    {Op::kSqrt, "sqrt"},
    {Op::kFloor, "floor"},
    {Op::kCeil, "ceil"},
    {Op::kLog2, "log2"},
    {Op::kAdd, "+"},
    {Op::kSubtract, "-"},
    {Op::kMultiply, "*"},
    {Op::kDivide, "/"},
    {Op::kModulo, "%"},
    {Op::kMin, "min"},
    {Op::kMax, "max"},
    {Op::kBitAnd, "bit_and"},
    {Op::kBitOr, "bit_or"},
    {Op::kXor, "xor"},
    {Op::kShiftLeft, "shift_left"},
    {Op::kShiftRight, "shift_right"},
    {Op::kEqual, "=="},
    {Op::kNotEqual, "!="},
    {Op::kLess, "<"},
    {Op::kLessEqual, "<="},
    {Op::kGreater, ">"},
    {Op::kGreaterEqual, ">="},
    {Op::kAnd, "and"},
    {Op::kOr, "or"},
    {Op::kChoose, "?"},
};

constexpr bool every_op_has_its_name() {
  for (size_t i = 0; i < std::size(kOpNames); ++i) {
    if (kOpNames[i].op != static_cast<Op>(kFirstNamed + i)) return false;
  }
  return kOpNames[std::size(kOpNames) - 1].op == Op::kChoose;
}
static_assert(every_op_has_its_name());

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
  const auto at = static_cast<size_t>(op);
  if (at < kFirstNamed) throw InternalError("an operator without a name");
  return kOpNames[at - kFirstNamed].name;
}

std::string to_text(const Expr& expr, const Tree& tree) { return TreePrinter(tree).print(expr, 0); }

std::string to_text(const Target& target, const Tree& tree) {
  const std::string& name =
      target.shared ? tree.variables[target.index].name : tree.privates[target.index].name;
  return TreePrinter(tree).cell(name, target.cell);
}

}  // namespace lanewise::pram
