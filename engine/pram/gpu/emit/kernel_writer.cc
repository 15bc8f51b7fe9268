#include "pram/gpu/emit/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "pram/meta/polynomial.h"
#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

std::string literal(Type type, Word word) {
  if (type != Type::kReal) {
    if (word == std::numeric_limits<Word>::min()) return "(-9223372036854775807l - 1)";
    return word < 0 ? fmt::format("({}l)", word) : fmt::format("{}l", word);
  }
  const double value = real_of(word);
  if (!std::isfinite(value)) return fmt::format("as_real({:#x}l)", static_cast<uint64_t>(word));
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return std::signbit(value) ? "(" + text + ")" : text;
}

/// The C operator with the same meaning, if any.
const char* simple(Op op, Type from) {
  const bool real = from == Type::kReal;
  switch (op) {
    case Op::kAdd:
      return real ? "+" : nullptr;
    case Op::kSubtract:
      return real ? "-" : nullptr;
    case Op::kMultiply:
      return real ? "*" : nullptr;
    case Op::kDivide:
      return real ? "/" : nullptr;
    case Op::kBitAnd:
      return "&";
    case Op::kBitOr:
      return "|";
    case Op::kXor:
      return "^";
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
      return "&&";
    case Op::kOr:
      return "||";
    default:
      return nullptr;
  }
}

/// The function for an operator; functions of integers take &bad, if `fails`.
struct Function {
  const char* name;
  bool fails;
};
Function function_of(Op op, bool real) {
  switch (op) {
    case Op::kAdd:
      return {"add", true};
    case Op::kSubtract:
      return {"subtract", true};
    case Op::kMultiply:
      return {"multiply", true};
    case Op::kDivide:
      return {"divide", true};
    case Op::kModulo:
      return {"modulo", true};
    case Op::kShiftLeft:
      return {"left_shift", true};
    case Op::kShiftRight:
      return {"right_shift", true};
    case Op::kNegate:
      return {"negate", true};
    case Op::kAbs:
      return real ? Function{"fabs", false} : Function{"absolute", true};
    case Op::kLog2:
      return {"logarithm", true};
    case Op::kMin:
      return {real ? "lesser_real" : "lesser", false};
    case Op::kMax:
      return {real ? "greater_real" : "greater", false};
    case Op::kSqrt:
      return {"sqrt", false};
    case Op::kFloor:
      return {"floor", false};
    case Op::kCeil:
      return {"ceil", false};
    default:
      throw InternalError("an operator that is not known to devices");
  }
}

}  // namespace

std::string c_name(const std::string& name, const std::string& suffix) {
  std::string result = name;
  std::replace(result.begin(), result.end(), '.', '_');
  return result + "_" + suffix;
}

KernelWriter::KernelWriter(const Tree& tree, std::optional<uint32_t> block,
                           const std::vector<bool>& in_register, const EmitOptions& options)
    : tree_(tree), block_(block), in_register_(in_register), options_(options), let_(tree.privates.size()) {}

std::string KernelWriter::argument(Role role, uint32_t index, uint32_t dimension) {
  if (const Memory* const sizes = options_.sizes; sizes != nullptr) {
    if (role == Role::kParameter) return literal(Type::kInt, sizes->parameters[index]);
    if (role == Role::kExtent) return literal(Type::kInt, sizes->variables[index].extents[dimension]);
  }
  const KernelArgument wanted{role, index, dimension};
  if (std::find(arguments_.begin(), arguments_.end(), wanted) == arguments_.end()) {
    arguments_.push_back(wanted);
  }
  switch (role) {
    case Role::kVariable:
      return c_name(tree_.variables[index].name, fmt::format("g{}", index));
    case Role::kExtent:
      return c_name(tree_.variables[index].name, fmt::format("g{}_{}", index, dimension));
    case Role::kParameter:
      return c_name(tree_.parameters[index].name, fmt::format("c{}", index));
    case Role::kControl:
      return c_name(tree_.privates[index].name, fmt::format("h{}", index));
    case Role::kColumn:
      return c_name(tree_.privates[index].name, fmt::format("x{}_all", index));
    case Role::kDimension:
      return fmt::format("extent_{}", dimension);
    case Role::kReaders:
      return c_name(tree_.variables[index].name, fmt::format("g{}_readers", index));
    case Role::kLimit:
      return "limit";
    case Role::kStep:
      return "step";
  }
  throw InternalError("a parameter of no kind");
}

std::string KernelWriter::local(uint32_t index, bool written) {
  locals_[index] |= written;
  return c_name(tree_.privates[index].name, fmt::format("x{}", index));
}

std::string KernelWriter::word(const Expr& expr) {
  return expr.type == Type::kReal ? fmt::format("as_word({})", value(expr)) : value(expr);
}

std::optional<size_t> KernelWriter::own(uint32_t variable, const std::vector<ExprPtr>& indexes) const {
  if (window_ == nullptr) return std::nullopt;
  for (size_t i = 0; i < window_->cells.size(); ++i) {
    const OwnCell& one = window_->cells[i];
    if (one.variable == variable && key_of(*one.index) == key_of(*indexes[0])) return i;
  }
  return std::nullopt;
}

std::string KernelWriter::cells_of(uint32_t variable) {
  if (held_ != nullptr && (*held_)[variable]) {
    return c_name(tree_.variables[variable].name, fmt::format("g{}_own", variable));
  }
  return argument(Role::kVariable, variable);
}

std::string KernelWriter::cell(uint32_t variable, const std::vector<ExprPtr>& indexes) {
  if (indexes.empty()) return "0";
  if (const std::optional<size_t> number = own(variable, indexes)) {
    return (*held_)[variable] ? fmt::format("place(own + (uint)cell_of_{})", *number)
                              : fmt::format("who * row[4] + cell_of_{}", *number);
  }
  std::string values;
  std::string extents;
  for (uint32_t i = 0; i < indexes.size(); ++i) {
    values += value(*indexes[i]) + ", ";
    extents += argument(Role::kExtent, variable, i) + ", ";
  }
  return fmt::format("{}({}{}&bad)", indexes.size() == 1 ? "at" : "at_row", values, extents);
}

std::string KernelWriter::value(const Expr& expr) {
  const bool real = expr.type == Type::kReal;
  const auto held = [&](const std::string& text) { return real ? fmt::format("as_real({})", text) : text; };
  switch (expr.op) {
    case Op::kLiteral:
      return literal(expr.type, expr.word);
    case Op::kParameter:
      return held(argument(Role::kParameter, expr.index));
    case Op::kProcessor:
      return c_name(tree_.blocks[*block_].dimensions[expr.index].name, fmt::format("p{}", expr.index));
    case Op::kControl:
      return held(argument(Role::kControl, expr.index));
    case Op::kPrivate:
      // A single processor reads its variables from the host, except function arguments.
      if (!block_ && !let_[expr.index]) return held(argument(Role::kControl, expr.index));
      return local(expr.index, false);
    case Op::kCell: {
      std::string index = cell(expr.index, expr.args);
      if (options_.check && block_) {
        index = fmt::format("alone_at({}, {}, {}, who, &bad)", index, argument(Role::kReaders, expr.index),
                            argument(Role::kStep));
      }
      return held(fmt::format("{}[{}]", cells_of(expr.index), index));
    }
    case Op::kLet: {
      let_[expr.index] = true;
      const std::string given = value(*expr.args[0]);
      const std::string name = local(expr.index, true);
      return fmt::format("({} = {}, {})", name, given, value(*expr.args[1]));
    }
    case Op::kConvert:
      return converted(expr);
    case Op::kNot:
      return fmt::format("!{}", value(*expr.args[0]));
    case Op::kChoose:
      return fmt::format("({} ? {} : {})", value(*expr.args[0]), value(*expr.args[1]), value(*expr.args[2]));
    default:
      return call(expr);
  }
}

std::string KernelWriter::converted(const Expr& expr) {
  const Expr& from = *expr.args[0];
  const std::string given = value(from);
  if (expr.type == Type::kReal) return fmt::format("(double){}", given);
  const std::string whole = from.type == Type::kReal ? fmt::format("integer_of({}, &bad)", given) : given;
  return expr.type == Type::kInt32 ? fmt::format("fit32({}, &bad)", whole) : whole;
}

std::string KernelWriter::call(const Expr& expr) {
  const Type from = expr.args[0]->type;
  const bool real = from == Type::kReal;
  const std::string a = value(*expr.args[0]);
  if (real && expr.op == Op::kNegate) return fmt::format("(-{})", a);
  const std::string b = expr.args.size() > 1 ? value(*expr.args[1]) : "";
  if (const char* sign = simple(expr.op, from); sign != nullptr) return fmt::format("({} {} {})", a, sign, b);
  const bool divides = !real && (expr.op == Op::kDivide || expr.op == Op::kModulo);
  if (divides && expr.args[1]->op == Op::kLiteral && expr.args[1]->word > 0) {
    return fmt::format("{}({}, {})", expr.op == Op::kDivide ? "divide_by" : "modulo_by", a, b);
  }
  const Function function = function_of(expr.op, real);
  std::string text =
      fmt::format("{}({}{}{}{})", function.name, a, b.empty() ? "" : ", ", b, function.fails ? ", &bad" : "");
  return function.fails && expr.type == Type::kInt32 ? fmt::format("fit32({}, &bad)", text) : text;
}

void KernelWriter::statements(const std::vector<Statement>& list, size_t depth) {
  for (const Statement& statement : list) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        assign(statement, depth);
        break;
      case Statement::Kind::kIf:
        line(depth, fmt::format("if ({}) {{", value(*statement.condition)));
        statements(statement.body, depth + 1);
        if (!statement.otherwise.empty()) {
          line(depth, "} else {");
          statements(statement.otherwise, depth + 1);
        }
        line(depth, "}");
        break;
      case Statement::Kind::kWhile:
        loop(statement, depth);
        break;
      case Statement::Kind::kBlock:
        throw InternalError("a block within a kernel");
    }
  }
}

void KernelWriter::loop(const Statement& statement, size_t depth) {
  // Nested loops share the count, and in a group all loops of the program: otherwise limits would
  // multiply.
  if (nesting_++ == 0 && !is_group_) line(depth, fmt::format("word rounds_{} = 0;", loops_++));
  const std::string rounds = is_group_ ? "rounds" : fmt::format("rounds_{}", loops_ - 1);
  line(depth, fmt::format("while (!bad && {}) {{", value(*statement.condition)));
  line(depth + 1, fmt::format("if (++{} > {}) bad = 1;", rounds, argument(Role::kLimit)));
  statements(statement.body, depth + 1);
  line(depth, "}");
  --nesting_;
}

void KernelWriter::assign(const Statement& statement, size_t depth) {
  const std::vector<Target>& targets = statement.targets;
  const auto is_word = [](const Target& target) { return target.shared || target.type != Type::kReal; };
  if (targets.size() == 1) {
    const Target& target = targets[0];
    const std::string given = target.shared ? word(*statement.values[0]) : value(*statement.values[0]);
    const std::string name =
        target.shared ? fmt::format("{}[{}]", cells_of(target.index), cell(target.index, target.cell))
                      : local(target.index, true);
    return line(depth, fmt::format("{} = {};", name, given));
  }
  line(depth, "{");
  cells(statement, depth + 1);
  for (size_t t = 0; t < targets.size(); ++t) {
    const Expr& given = *statement.values[t];
    line(depth + 1, fmt::format("const {} value_{} = {};", is_word(targets[t]) ? "word" : "double", t,
                                targets[t].shared ? word(given) : value(given)));
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    const std::string name = targets[t].shared ? fmt::format("{}[cell_{}]", cells_of(targets[t].index), t)
                                               : local(targets[t].index, true);
    line(depth + 1, fmt::format("{} = value_{};", name, t));
  }
  line(depth, "}");
}

/// Declares the cells of an assignment's shared targets, and fails if two are equal.
void KernelWriter::cells(const Statement& statement, size_t depth) {
  const std::vector<Target>& targets = statement.targets;
  for (size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].shared) continue;
    line(depth, fmt::format("const word cell_{} = {};", t, cell(targets[t].index, targets[t].cell)));
    for (size_t other = 0; other < t; ++other) {
      if (!targets[other].shared || targets[other].index != targets[t].index) continue;
      line(depth, fmt::format("bad |= cell_{} == cell_{};", other, t));
    }
  }
}

void KernelWriter::buffered(const Statement& statement, size_t depth) {
  const std::vector<Target>& targets = statement.targets;
  const char* const position = held_ == nullptr ? "[position]" : "";
  cells(statement, depth);
  // All values before any private variable changes.
  for (size_t t = 0; t < targets.size(); ++t) {
    const bool shared = targets[t].shared;
    const Expr& given = *statement.values[t];
    line(depth, fmt::format("const {} value_{} = {};", shared ? "word" : type_of(targets[t].type), t,
                            shared ? word(given) : value(given)));
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].shared) {
      line(depth, fmt::format("cells_{0}{1} = cell_{0};", t, position));
      line(depth, fmt::format("values_{0}{1} = value_{0};", t, position));
    } else {
      line(depth, fmt::format("{} = value_{};", local(targets[t].index, true), t));
    }
  }
}

void KernelWriter::once(const Statement& statement) {
  const std::vector<Target>& targets = statement.targets;
  if (targets.size() == 1 && targets[0].shared) return assign(statement, 1);
  cells(statement, 1);
  for (size_t t = 0; t < targets.size(); ++t) {
    line(1, fmt::format("const word value_{} = {};", t, word(*statement.values[t])));
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    const std::string name = targets[t].shared ? fmt::format("{}[cell_{}]", cells_of(targets[t].index), t)
                                               : fmt::format("status[{}]", kResults + t);
    line(1, fmt::format("{} = value_{};", name, t));
  }
}

void KernelWriter::once_in_group(const Statement& statement, size_t depth) {
  const std::vector<Target>& targets = statement.targets;
  cells(statement, depth);
  for (size_t t = 0; t < targets.size(); ++t) {
    line(depth, fmt::format("const word value_{} = {};", t, word(*statement.values[t])));
  }
  const bool alone = is_of_host(statement);
  if (!alone) line(depth, "WAIT_FOR_GROUP();");
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].shared) {
      line(depth, fmt::format("if (MEMBER == 0) {}[cell_{}] = value_{};", cells_of(targets[t].index), t, t));
    } else {
      line(depth, fmt::format("{} = value_{};", argument(Role::kControl, targets[t].index), t));
    }
  }
  if (!alone) line(depth, "WAIT_FOR_GROUP();");
}

}  // namespace lanewise::pram
