#include "pram/language/check_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/real.h"
#include "pram/language/types.h"

namespace lanewise::pram {

namespace {

constexpr size_t kMostNodes = 200'000;  // prevents unbounded growth by functions that call functions
constexpr uint32_t kHighest = 1'000;    // height of a tree, to bound recursion

struct BinaryOperator {
  std::string_view text;
  Op op;
};
constexpr BinaryOperator kArithmetic[] = {
    {"+", Op::kAdd}, {"-", Op::kSubtract}, {"*", Op::kMultiply}, {"/", Op::kDivide}, {"%", Op::kModulo}};
constexpr BinaryOperator kComparisons[] = {{"==", Op::kEqual},  {"!=", Op::kNotEqual},
                                           {"<", Op::kLess},    {"<=", Op::kLessEqual},
                                           {">", Op::kGreater}, {">=", Op::kGreaterEqual}};

template <size_t N>
const BinaryOperator* find(const BinaryOperator (&table)[N], std::string_view text) {
  const auto* found =
      std::find_if(table, table + N, [&](const BinaryOperator& row) { return row.text == text; });
  return found == table + N ? nullptr : found;
}

bool accepts_any(Type) { return true; }

/// Whether an argument may replace its parameter at every use.
bool is_plain(const Expr& expr) {
  return expr.op == Op::kLiteral || expr.op == Op::kParameter || expr.op == Op::kProcessor ||
         expr.op == Op::kPrivate || expr.op == Op::kControl;
}

}  // namespace

void ExpressionChecker::report(const Place& place, std::string message, std::string advice) {
  diagnostics_.push_back({.place = place, .message = std::move(message), .advice = std::move(advice)});
}

uint32_t ExpressionChecker::add_private(std::string name, Type type, const Place& place) {
  tree_.privates.push_back({std::move(name), type, block_, place});
  return static_cast<uint32_t>(tree_.privates.size() - 1);
}

ExprPtr ExpressionChecker::node(Op op, Type type, const Place& place, std::vector<ExprPtr> args,
                                uint32_t index) {
  ExprPtr made = make_node(op, type, place, std::move(args), index);
  if ((++nodes_ > kMostNodes || made->height > kHighest) && !too_large_) {
    too_large_ = true;
    report(place, "the program is too large once its functions are written out",
           "give the values of functions to private variables");
  }
  return too_large_ ? nullptr : made;
}

ExprPtr ExpressionChecker::check(const syntax::Expr& expr) {
  using Kind = syntax::Expr::Kind;
  switch (expr.kind) {
    case Kind::kInteger:
      return integer(expr, false);
    case Kind::kReal:
      return real_number(expr);
    case Kind::kTrue:
    case Kind::kFalse:
      return make_literal(Type::kBool, expr.kind == Kind::kTrue, expr.place);
    case Kind::kName:
      return name(expr);
    case Kind::kElement:
      return element(expr);
    case Kind::kCall:
      return call(expr);
    case Kind::kUnary:
      return unary(expr);
    case Kind::kBinary:
      return binary(expr);
    case Kind::kChoice:
      return choice(expr);
    case Kind::kMistaken:
      return nullptr;
  }
  throw InternalError("an expression of no kind");
}

ExprPtr ExpressionChecker::check(const syntax::Expr& expr, Type type, std::string_view what) {
  const ExprPtr made = check(expr);
  if (made == nullptr) return nullptr;
  if (ExprPtr wide = widen(made, type)) return wide;
  const bool convertible = is_number(type) && is_number(made->type);
  report(expr.place, fmt::format("{} is {}, not {}", what, pram::name(type), pram::name(made->type)),
         convertible
             ? fmt::format("{}(...) converts, and fails where the value does not fit", pram::name(type))
         : type == Type::kBool       ? "compare it: x != 0"
         : made->type == Type::kBool ? "choose: condition ? 1 : 0"
                                     : "");
  return nullptr;
}

ExprPtr ExpressionChecker::integer(const syntax::Expr& expr, bool negative) {
  const std::string digits = (negative ? "-" : "") + std::string(expr.text);
  Word word = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), word).ec != std::errc()) {
    report(expr.place, "the number does not fit int",
           "64 bits hold -9223372036854775808 to 9223372036854775807");
    return nullptr;
  }
  return make_literal(Type::kInt, word, expr.place);
}

ExprPtr ExpressionChecker::real_number(const syntax::Expr& expr) {
  double value = 0;
  const auto read = real_from_chars(expr.text.data(), expr.text.data() + expr.text.size(), value);
  if (read.ec != std::errc()) {
    report(expr.place, "the number does not fit real", "infinity is the greatest");
    return nullptr;
  }
  return make_literal(Type::kReal, word_of(value), expr.place);
}

void ExpressionChecker::unknown(const syntax::Expr& expr) {
  if (incomplete_) return;
  if (expr.text == "p" || (block_ && expr.text == "n")) {
    report(expr.place, fmt::format("'{}' is not declared", expr.text),
           expr.text == "p" ? "'processors n' gives the processors the numbers p = 0 to n - 1"
                            : "an input's extent declares it: input A[n] : int; or: input n : int");
    return;
  }
  const std::string_view near = names_.nearest(expr.text);
  report(expr.place, fmt::format("'{}' is not declared", expr.text),
         near.empty() ? "" : fmt::format("is '{}' meant?", near));
}

ExprPtr ExpressionChecker::name(const syntax::Expr& expr) {
  if (const Symbol* found = names_.find(expr.text)) return symbol(expr, *found);
  if (expr.text == "infinity") {
    return make_literal(Type::kReal, word_of(HUGE_VAL), expr.place);
  }
  unknown(expr);
  return nullptr;
}

ExprPtr ExpressionChecker::symbol(const syntax::Expr& expr, const Symbol& found) {
  switch (found.kind) {
    case Symbol::Kind::kParameter:
      return node(Op::kParameter, tree_.parameters[found.index].type, expr.place, {}, found.index);
    case Symbol::Kind::kVariable: {
      const Variable& variable = tree_.variables[found.index];
      if (!variable.extents.empty()) {
        report(expr.place, fmt::format("'{}' is an array", expr.text),
               fmt::format("name a cell: {}[p]", expr.text));
        return nullptr;
      }
      return node(Op::kCell, variable.type, expr.place, {}, found.index);
    }
    case Symbol::Kind::kPrivate: {
      const Private& owned = tree_.privates[found.index];
      return node(owned.block == block_ ? Op::kPrivate : Op::kControl, owned.type, expr.place, {},
                  found.index);
    }
    case Symbol::Kind::kProcessor: {
      return std::make_shared<Expr>(Expr{.op = Op::kProcessor,
                                         .type = Type::kInt,
                                         .place = expr.place,
                                         .word = static_cast<Word>(*block_),
                                         .index = found.index,
                                         .args = {}});
    }
    case Symbol::Kind::kFunction:
      report(expr.place, fmt::format("'{}' is a function", expr.text), fmt::format("{}(...)", expr.text));
      return nullptr;
    case Symbol::Kind::kValue:
      return found.value;
  }
  throw InternalError("a name of no kind");
}

std::optional<std::vector<ExprPtr>> ExpressionChecker::check_cell(const syntax::Expr& expr,
                                                                  const Variable& variable) {
  if (expr.args.size() != variable.extents.size()) {
    report(expr.place, fmt::format("'{}' has {} dimension{}, and {} index{} given", variable.name,
                                   variable.extents.size(), variable.extents.size() == 1 ? "" : "s",
                                   expr.args.size(), expr.args.size() == 1 ? " is" : "es are"));
    return std::nullopt;
  }
  std::vector<ExprPtr> indexes;
  for (const syntax::Expr& arg : expr.args) {
    ExprPtr index = check(arg, Type::kInt, "an index");
    if (index == nullptr) return std::nullopt;
    indexes.push_back(std::move(index));
  }
  return indexes;
}

ExprPtr ExpressionChecker::element(const syntax::Expr& expr) {
  const Symbol* found = names_.find(expr.text);
  if (found == nullptr) {
    unknown(expr);
    return nullptr;
  }
  if (found->kind != Symbol::Kind::kVariable) {
    report(expr.place, fmt::format("'{}' is not an array", expr.text));
    return nullptr;
  }
  const uint32_t index = found->index;
  auto cell = check_cell(expr, tree_.variables[index]);
  if (!cell) return nullptr;
  return node(Op::kCell, tree_.variables[index].type, expr.place, std::move(*cell), index);
}

ExprPtr ExpressionChecker::unary(const syntax::Expr& expr) {
  if (expr.text == "not") {
    ExprPtr arg = check(expr.args[0], Type::kBool, "the operand of not");
    return arg == nullptr ? nullptr : node(Op::kNot, Type::kBool, expr.place, {std::move(arg)});
  }
  if (expr.args[0].kind == syntax::Expr::Kind::kInteger) return integer(expr.args[0], true);
  const ExprPtr arg = check(expr.args[0]);
  if (arg == nullptr) return nullptr;
  if (!is_number(arg->type)) {
    report(expr.place, "'-' takes a number, not bool");
    return nullptr;
  }
  if (arg->op == Op::kLiteral && arg->type == Type::kReal) {
    return make_literal(Type::kReal, word_of(-real_of(arg->word)), expr.place);
  }
  return node(Op::kNegate, arg->type, expr.place, {arg});
}

ExprPtr ExpressionChecker::combined(Op op, const Place& place, std::string_view shown, const ExprPtr& left,
                                    const ExprPtr& right, bool (*accepts)(Type), std::string_view takes) {
  const std::optional<Type> type = common_type(*left, *right);
  if (!type || !accepts(*type)) {
    report(place, fmt::format("'{}' takes {}, not {} and {}", shown, takes, pram::name(left->type),
                              pram::name(right->type)));
    return nullptr;
  }
  const bool compares = op >= Op::kEqual && op <= Op::kGreaterEqual;
  return node(op, compares ? Type::kBool : *type, place, {widen(left, *type), widen(right, *type)});
}

ExprPtr ExpressionChecker::binary(const syntax::Expr& expr) {
  if (expr.text == "and" || expr.text == "or") {
    ExprPtr left = check(expr.args[0], Type::kBool, fmt::format("an operand of {}", expr.text));
    ExprPtr right = check(expr.args[1], Type::kBool, fmt::format("an operand of {}", expr.text));
    if (left == nullptr || right == nullptr) return nullptr;
    return node(expr.text == "and" ? Op::kAnd : Op::kOr, Type::kBool, expr.place,
                {std::move(left), std::move(right)});
  }
  ExprPtr left = check(expr.args[0]);
  ExprPtr right = check(expr.args[1]);
  if (left == nullptr || right == nullptr) return nullptr;
  if (const BinaryOperator* found = find(kArithmetic, expr.text)) {
    if (found->op == Op::kModulo) {
      return combined(Op::kModulo, expr.place, "%", left, right, is_integer, "integers");
    }
    return combined(found->op, expr.place, expr.text, left, right, is_number, "numbers");
  }
  const BinaryOperator* found = find(kComparisons, expr.text);
  invariant(found != nullptr, "the parser knows the operators");
  const bool equality = found->op == Op::kEqual || found->op == Op::kNotEqual;
  return combined(found->op, expr.place, expr.text, left, right, equality ? accepts_any : is_number,
                  equality ? "two values of one kind" : "numbers");
}

ExprPtr ExpressionChecker::choice(const syntax::Expr& expr) {
  const ExprPtr condition = check(expr.args[0], Type::kBool, "the condition of a choice");
  const ExprPtr left = check(expr.args[1]);
  const ExprPtr right = check(expr.args[2]);
  if (condition == nullptr || left == nullptr || right == nullptr) return nullptr;
  const std::optional<Type> type = common_type(*left, *right);
  if (!type) {
    report(expr.place,
           fmt::format("the choice is between {} and {}", pram::name(left->type), pram::name(right->type)));
    return nullptr;
  }
  return node(Op::kChoose, *type, expr.place, {condition, widen(left, *type), widen(right, *type)});
}

ExprPtr ExpressionChecker::call(const syntax::Expr& expr) {
  for (const Type to : {Type::kBool, Type::kInt32, Type::kInt, Type::kReal}) {
    if (expr.text == pram::name(to)) return conversion(expr, to);
  }
  const Symbol* found = names_.find(expr.text);
  if (found != nullptr && found->kind == Symbol::Kind::kFunction) {
    if (found->index < functions_known_) {
      tree_.functions[found->index].called = true;
      return function(expr, program_.functions[found->index]);
    }
    report(expr.place, fmt::format("'{}' is called before it is declared", expr.text),
           "functions call only functions above them; they are not recursive");
    return nullptr;
  }
  if (find_built_in(expr.text) != nullptr) return built_in(expr);
  if (found != nullptr) {
    report(expr.place, fmt::format("'{}' is not a function", expr.text),
           fmt::format("cells are named {}[...]", expr.text));
    return nullptr;
  }
  if (incomplete_) return nullptr;
  std::string_view near;
  size_t least = 3;
  for (const BuiltIn& known : built_ins()) {
    if (const size_t distance = edit_distance(expr.text.substr(0, 64), known.name); distance < least) {
      least = distance;
      near = known.name;
    }
  }
  if (near.empty()) near = names_.nearest(expr.text);
  report(expr.place, fmt::format("there is no function '{}'", expr.text),
         near.empty() ? "" : fmt::format("is '{}' meant?", near));
  return nullptr;
}

ExprPtr ExpressionChecker::conversion(const syntax::Expr& expr, Type to) {
  if (expr.args.size() != 1) {
    report(expr.place, fmt::format("{}(...) converts one value", expr.text));
    return nullptr;
  }
  const ExprPtr arg = check(expr.args[0]);
  if (arg == nullptr) return nullptr;
  if (to == Type::kBool && arg->type != Type::kBool) {
    report(expr.place, "numbers are not converted to bool", "compare: x != 0");
    return nullptr;
  }
  if (arg->type == Type::kBool && to == Type::kReal) {
    report(expr.place, "a bool is not converted to real", "choose: condition ? 1.0 : 0.0");
    return nullptr;
  }
  if (ExprPtr wide = widen(arg, to)) return wide;
  return node(Op::kConvert, to, expr.place, {arg});
}

ExprPtr ExpressionChecker::built_in(const syntax::Expr& expr) {
  const BuiltIn& found = *find_built_in(expr.text);
  const bool chains = found.op == Op::kMin || found.op == Op::kMax;
  if (chains ? expr.args.size() < 2 : expr.args.size() != found.args) {
    report(expr.place, fmt::format("'{}' takes {}{} argument{}", found.name, chains ? "at least " : "",
                                   found.args, found.args == 1 ? "" : "s"));
    return nullptr;
  }
  std::vector<ExprPtr> args;
  for (const syntax::Expr& arg : expr.args) args.push_back(check(arg));
  if (std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) { return arg == nullptr; }))
    return nullptr;
  if (found.args == 1) {
    ExprPtr arg = args[0];
    if (!found.accepts(arg->type)) {
      if (ExprPtr wide = widen(arg, Type::kReal); wide != nullptr && found.accepts(Type::kReal)) {
        arg = wide;
      } else {
        report(expr.place,
               fmt::format("'{}' takes {}, not {}", found.name, found.takes, pram::name(arg->type)));
        return nullptr;
      }
    }
    return node(found.op, arg->type, expr.place, {arg});
  }
  ExprPtr result = args[0];
  for (size_t i = 1; i < args.size() && result != nullptr; ++i) {
    result = combined(found.op, expr.place, found.name, result, args[i], found.accepts, found.takes);
  }
  return result;
}

ExprPtr ExpressionChecker::function(const syntax::Expr& expr, const syntax::Function& called) {
  if (expr.args.size() != called.parameters.size()) {
    report(expr.place, fmt::format("'{}' takes {} argument{}", called.name.text, called.parameters.size(),
                                   called.parameters.size() == 1 ? "" : "s"));
    return nullptr;
  }
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    const auto& parameter = called.parameters[i];
    args.push_back(check(expr.args[i], parameter.type, fmt::format("argument '{}'", parameter.name.text)));
  }
  if (std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) { return arg == nullptr; }))
    return nullptr;

  // The body sees its parameters and everything declared outside of statements.
  struct Step {
    uint32_t index;
    ExprPtr value;
  };
  std::vector<Step> steps;
  Names outer = names_.outermost();
  std::swap(outer, names_);
  names_.open();
  for (size_t i = 0; i < args.size(); ++i) {
    const auto& parameter = called.parameters[i];
    ExprPtr value = args[i];
    if (!is_plain(*value)) {
      const uint32_t index = add_private(fmt::format("{}.{}", called.name.text, parameter.name.text),
                                         parameter.type, parameter.name.place);
      steps.push_back({index, value});
      value = make_node(Op::kPrivate, parameter.type, value->place, {}, index);
    }
    names_.add(parameter.name.text, {Symbol::Kind::kValue, 0, value});
  }
  const size_t known = functions_known_;
  const size_t mistakes = diagnostics_.size();
  functions_known_ = static_cast<size_t>(&called - program_.functions.data());
  ExprPtr result = too_large_
                       ? nullptr
                       : check(called.value, called.type, fmt::format("the value of '{}'", called.name.text));
  functions_known_ = known;
  // Errors of the body were reported at its declaration.
  if (!too_large_) diagnostics_.resize(mistakes);
  std::swap(outer, names_);
  for (auto step = steps.rbegin(); step != steps.rend() && result != nullptr; ++step) {
    result = node(Op::kLet, result->type, expr.place, {step->value, result}, step->index);
  }
  return result;
}

}  // namespace lanewise::pram
