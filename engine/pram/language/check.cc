#include "pram/language/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "pram/language/check_expression.h"
#include "pram/language/types.h"

namespace lanewise::pram {

namespace {

using syntax::Declaration;

class Checker : public ExpressionChecker {
 public:
  using ExpressionChecker::ExpressionChecker;

  Tree run() {
    mode();
    for (const Declaration& declaration : program_.declarations) declare(declaration);
    functions();
    names_.open();
    if (program_.header) {
      Statement whole;
      whole.kind = Statement::Kind::kBlock;
      whole.place = *program_.header;
      if (open_block(program_.dimensions, whole)) whole.body = body(program_.body);
      close_block();
      tree_.body.push_back(std::move(whole));
    } else {
      tree_.body = body(program_.body);
    }
    names_.close();
    return std::move(tree_);
  }

 private:
  // Declarations.
  void mode() {
    static constexpr std::string_view kAdvice =
        "EREW, CREW, CRCW common, CRCW arbitrary, CRCW priority or CRCW combining + (or *, min, max, and, "
        "or, "
        "xor)";
    if (program_.mode.empty()) {
      if (diagnostics_.empty()) report({}, "the mode is not declared", "begin with: mode EREW");
      return;
    }
    std::vector<std::string_view> words;
    for (const syntax::Name& word : program_.mode) words.push_back(word.text);
    const auto one_of = [&](std::string_view first, std::string_view second) {
      return words.size() == (second.empty() ? 1 : 2) && words[0] == first &&
             (second.empty() || words[1] == second);
    };
    if (one_of("EREW", "")) {
      tree_.mode = Mode::kErew;
    } else if (one_of("CREW", "")) {
      tree_.mode = Mode::kCrew;
    } else if (one_of("CRCW", "common")) {
      tree_.mode = Mode::kCommon;
    } else if (one_of("CRCW", "arbitrary")) {
      tree_.mode = Mode::kArbitrary;
    } else if (one_of("CRCW", "priority")) {
      tree_.mode = Mode::kPriority;
    } else if (words.size() == 3 && words[0] == "CRCW" && words[1] == "combining") {
      tree_.mode = Mode::kCombining;
      tree_.combine = combination(program_.mode[2]);
    } else {
      report(program_.mode[0].place, "there is no such mode", std::string(kAdvice));
    }
  }

  std::optional<Op> combination(const syntax::Name& name) {
    for (const Op op : {Op::kAdd, Op::kMultiply, Op::kMin, Op::kMax, Op::kAnd, Op::kOr, Op::kXor}) {
      if (pram::name(op) == name.text) return op;
    }
    report(name.place, "values are not combined like this", "+ * min max and or xor");
    return std::nullopt;
  }

  /// The combination that a variable declares itself.
  std::optional<Op> own_combination(const syntax::Name& name, Variable::Role role) {
    if (!tree_.combine) {
      report(name.place, "only mode CRCW combining combines values", "mode CRCW combining +");
    } else if (role == Variable::Role::kInput) {
      report(name.place, "an input is never written");
    }
    return combination(name);
  }

  /// Without `hides` the name must not exist in an outer scope either.
  void add_name(const syntax::Name& name, const Symbol& symbol, bool hides = true) {
    if (name.text == "infinity") report(name.place, "'infinity' is a number of the language");
    const bool hidden = !hides && names_.find(name.text) != nullptr;
    if (!names_.add(name.text, symbol) || hidden) {
      report(name.place, fmt::format("'{}' is declared twice", name.text), "choose another name");
    }
  }

  uint32_t add_parameter(Parameter parameter, const syntax::Name& name) {
    tree_.parameters.push_back(std::move(parameter));
    const auto index = static_cast<uint32_t>(tree_.parameters.size() - 1);
    add_name(name, {Symbol::Kind::kParameter, index});
    return index;
  }

  /// An expression that is constant before the program runs.
  ExprPtr constant(const syntax::Expr& expr, std::optional<Type> type, std::string_view what) {
    ExprPtr made = type ? check(expr, *type, what) : check(expr);
    if (made == nullptr) return nullptr;
    bool known = true;
    walk(*made, [&](const Expr& part) { known = known && part.op != Op::kCell && part.op != Op::kLet; });
    if (known) return made;
    report(expr.place, fmt::format("{} is computed before the program runs", what),
           "it may use sizes, scalar inputs and constants");
    return nullptr;
  }

  void declare(const Declaration& declaration) {
    const std::string name(declaration.name.text);
    const Place& place = declaration.name.place;
    const bool given =
        declaration.kind == Declaration::Kind::kInput || declaration.kind == Declaration::Kind::kInout;
    if (declaration.kind == Declaration::Kind::kConst) {
      ExprPtr value;
      if (declaration.value) {
        value = constant(*declaration.value, declaration.type, fmt::format("constant '{}'", name));
      } else {
        report(place, "a constant has a value", fmt::format("const {} = 1", name));
      }
      if (value == nullptr) value = make_literal(declaration.type.value_or(Type::kInt), 0, place);
      add_parameter({name, value->type, Parameter::Kind::kConst, value, place}, declaration.name);
      return;
    }
    if (!declaration.type) {
      report(place, fmt::format("the type of '{}' is missing", name), fmt::format("{} : int", name));
    }
    if (given && declaration.value) {
      report(declaration.value->place, "an input gets its value from outside", "declare it as shared");
    }
    const Type type = declaration.type.value_or(Type::kInt);
    if (declaration.kind == Declaration::Kind::kInput && declaration.extents.empty()) {
      add_parameter({name, type, Parameter::Kind::kInput, nullptr, place}, declaration.name);
      return;
    }
    Variable variable{.name = name, .type = type, .extents = {}, .initial = {}, .place = place};
    variable.role = declaration.kind == Declaration::Kind::kInput    ? Variable::Role::kInput
                    : declaration.kind == Declaration::Kind::kOutput ? Variable::Role::kOutput
                    : declaration.kind == Declaration::Kind::kInout  ? Variable::Role::kInout
                                                                     : Variable::Role::kShared;
    for (const syntax::Expr& extent : declaration.extents) {
      if (given && extent.kind == syntax::Expr::Kind::kName && names_.find(extent.text) == nullptr) {
        add_parameter({std::string(extent.text), Type::kInt, Parameter::Kind::kSize, nullptr, extent.place},
                      {extent.text, extent.place});
      }
      ExprPtr made = constant(extent, Type::kInt, "an extent");
      variable.extents.push_back(made != nullptr ? made : make_literal(Type::kInt, 0, extent.place));
    }
    if (declaration.value) variable.initial = constant(*declaration.value, type, "the first value");
    if (declaration.combining) variable.combine = own_combination(*declaration.combining, variable.role);
    tree_.variables.push_back(std::move(variable));
    add_name(declaration.name, {Symbol::Kind::kVariable, static_cast<uint32_t>(tree_.variables.size() - 1)});
  }

  /// Each function is checked at its declaration; calls inline it.
  void functions() {
    for (size_t i = 0; i < program_.functions.size(); ++i) {
      const syntax::Function& function = program_.functions[i];
      tree_.functions.push_back({std::string(function.name.text), function.name.place});
      add_name(function.name, {Symbol::Kind::kFunction, static_cast<uint32_t>(i)});
      if (find_built_in(function.name.text) != nullptr) {
        report(function.name.place, fmt::format("'{}' is built in", function.name.text),
               "choose another name");
      }
    }
    for (const syntax::Function& function : program_.functions) {
      const size_t privates = tree_.privates.size();
      names_.open();
      for (const auto& parameter : function.parameters) {
        const uint32_t index =
            add_private(std::string(parameter.name.text), parameter.type, parameter.name.place);
        add_name(parameter.name, {Symbol::Kind::kPrivate, index});
      }
      check(function.value, function.type, fmt::format("the value of '{}'", function.name.text));
      names_.close();
      tree_.privates.resize(privates);
      ++functions_known_;
    }
  }

  // Statements.
  std::vector<Statement> body(const std::vector<syntax::Statement>& statements) {
    std::vector<Statement> result;
    names_.open();
    for (const syntax::Statement& statement : statements) add(statement, result);
    names_.close();
    return result;
  }

  void add(const syntax::Statement& statement, std::vector<Statement>& to) {
    using Kind = syntax::Statement::Kind;
    switch (statement.kind) {
      case Kind::kAssign:
        return assign(statement, to);
      case Kind::kPrivate:
        return declare_private(statement, to);
      case Kind::kIf:
      case Kind::kWhile: {
        const bool loops = statement.kind == Kind::kWhile;
        Statement made;
        made.kind = loops ? Statement::Kind::kWhile : Statement::Kind::kIf;
        made.place = statement.condition.place;
        made.condition =
            check(statement.condition, Type::kBool, loops ? "the condition of while" : "the condition of if");
        made.body = body(statement.body);
        made.otherwise = body(statement.otherwise);
        to.push_back(std::move(made));
        return;
      }
      case Kind::kFor:
        return loop(statement, to);
      case Kind::kProcessors: {
        Statement made;
        made.kind = Statement::Kind::kBlock;
        made.place = statement.place;
        if (block_) {
          report(statement.place, "processors within processors",
                 program_.header ? "a program without 'processors' at the top may have several blocks"
                                 : "end the outer block first");
          return;
        }
        if (open_block(statement.dimensions, made)) made.body = body(statement.body);
        close_block();
        to.push_back(std::move(made));
        return;
      }
    }
  }

  bool open_block(const std::vector<syntax::Dimension>& dimensions, Statement& made) {
    Block block;
    block.place = made.place;
    bool good = true;
    for (const syntax::Dimension& dimension : dimensions) {
      ExprPtr extent = check(dimension.extent, Type::kInt, "the number of processors");
      good = good && extent != nullptr;
      block.dimensions.push_back({std::string(dimension.name.text), std::move(extent)});
    }
    made.block = static_cast<uint32_t>(tree_.blocks.size());
    tree_.blocks.push_back(std::move(block));
    block_ = made.block;
    names_.open();
    for (size_t i = 0; i < dimensions.size(); ++i) {
      add_name(dimensions[i].name, {Symbol::Kind::kProcessor, static_cast<uint32_t>(i)});
    }
    return good;
  }
  void close_block() {
    names_.close();
    block_.reset();
  }

  /// private = value, as one step of all active processors.
  static Statement set_private(uint32_t index, const Place& place, ExprPtr value) {
    Statement made;
    made.place = place;
    made.targets.push_back({.index = index, .type = value->type, .cell = {}, .place = place});
    made.values.push_back(std::move(value));
    return made;
  }

  void declare_private(const syntax::Statement& statement, std::vector<Statement>& to) {
    ExprPtr value;
    if (!statement.values.empty()) {
      const std::string what = fmt::format("'{}'", statement.name.text);
      value = statement.type ? check(statement.values[0], *statement.type, what) : check(statement.values[0]);
    } else if (!statement.type) {
      report(statement.place, fmt::format("the type of '{}' is missing", statement.name.text),
             fmt::format("private {} : int", statement.name.text));
    }
    if (value == nullptr && !statement.type) {  // reported errors are not reported again at each use
      add_name(statement.name, {Symbol::Kind::kValue, 0, nullptr}, false);
      return;
    }
    const Type type = statement.type.value_or(value != nullptr ? value->type : Type::kInt);
    if (value == nullptr) value = make_literal(type, 0, statement.place);
    const uint32_t index = add_private(std::string(statement.name.text), type, statement.name.place);
    add_name(statement.name, {Symbol::Kind::kPrivate, index}, false);
    to.push_back(set_private(index, statement.place, std::move(value)));
  }

  void assign(const syntax::Statement& statement, std::vector<Statement>& to) {
    Statement made;
    made.place = statement.place;
    if (statement.targets.size() != statement.values.size()) {
      report(statement.place,
             fmt::format("{} variables and {} values", statement.targets.size(), statement.values.size()),
             "each variable on the left takes the value at its place on the right");
      return;
    }
    bool good = true;
    std::set<std::tuple<bool, uint32_t>> scalars;
    for (size_t i = 0; i < statement.targets.size(); ++i) {
      std::optional<Target> target = this->target(statement.targets[i]);
      if (!target) {
        good = false;
        continue;
      }
      if (target->shared && tree_.combine && !combines(tree_.combine_of(target->index), target->type)) {
        report(target->place,
               fmt::format("values of {} are not combined by '{}'", pram::name(target->type),
                           pram::name(tree_.combine_of(target->index))),
               "the mode, or the variable's declaration, says how all writes of one step to one cell become "
               "one");
      }
      if (target->cell.empty() && !scalars.emplace(target->shared, target->index).second) {
        report(target->place, "a variable is assigned twice in one step");
      }
      ExprPtr value =
          check(statement.values[i], target->type, fmt::format("'{}'", statement.targets[i].text));
      good = good && value != nullptr;
      made.targets.push_back(std::move(*target));
      made.values.push_back(std::move(value));
    }
    if (good) to.push_back(std::move(made));
  }

  static bool combines(Op op, Type type) {
    if (op == Op::kAnd || op == Op::kOr) return type == Type::kBool;
    if (op == Op::kXor) return type != Type::kReal;
    return is_number(type);
  }

  std::optional<Target> target(const syntax::Expr& expr) {
    using Kind = syntax::Expr::Kind;
    if (expr.kind != Kind::kName && expr.kind != Kind::kElement) {
      report(expr.place, "this cannot be assigned to", "a variable or a cell stands left of '='");
      return std::nullopt;
    }
    const Symbol* found = names_.find(expr.text);
    if (found == nullptr) {
      unknown(expr);
      return std::nullopt;
    }
    if (found->kind == Symbol::Kind::kPrivate && expr.kind == Kind::kName) {
      const Private& owned = tree_.privates[found->index];
      if (owned.block != block_) {
        report(expr.place, fmt::format("'{}' belongs to the processor outside of the block", expr.text),
               "a block reads it; to change it, declare a variable as shared");
        return std::nullopt;
      }
      return Target{.index = found->index, .type = owned.type, .cell = {}, .place = expr.place};
    }
    if (found->kind == Symbol::Kind::kValue) return std::nullopt;  // its declaration is invalid
    if (found->kind != Symbol::Kind::kVariable) {
      const bool input = found->kind == Symbol::Kind::kParameter &&
                         tree_.parameters[found->index].kind == Parameter::Kind::kInput;
      report(expr.place, fmt::format("'{}' cannot be assigned to", expr.text),
             input ? "a scalar input is a constant of the run; declare it as inout" : "it does not change");
      return std::nullopt;
    }
    const uint32_t index = found->index;
    const Variable& variable = tree_.variables[index];
    if (variable.role == Variable::Role::kInput) {
      report(expr.place, fmt::format("'{}' is an input and is not written", expr.text),
             "declare it as inout");
      return std::nullopt;
    }
    if (expr.kind == Kind::kName && !variable.extents.empty()) {
      report(expr.place, fmt::format("'{}' is an array", expr.text),
             fmt::format("name a cell: {}[p] = ...", expr.text));
      return std::nullopt;
    }
    auto cell = check_cell(expr, variable);
    if (!cell) return std::nullopt;
    return Target{
        .shared = true, .index = index, .type = variable.type, .cell = std::move(*cell), .place = expr.place};
  }

  /// for k = a to b step s: k, the last value and the step are private; then a while.
  void loop(const syntax::Statement& statement, std::vector<Statement>& to) {
    const std::string name(statement.name.text);
    const ExprPtr first = check(statement.values[0], Type::kInt, "the first value");
    const ExprPtr last = check(statement.values[1], Type::kInt, "the last value");
    ExprPtr step = statement.values.size() > 2 ? check(statement.values[2], Type::kInt, "the step")
                                               : make_literal(Type::kInt, 1, statement.place);
    if (step != nullptr && step->op == Op::kLiteral && step->word <= 0) {
      report(step->place, "the step is not positive", "count downwards with 'down to'");
    }
    const Place& place = statement.name.place;
    const uint32_t index = add_private(name, Type::kInt, place);
    const auto counter = [&] { return make_node(Op::kPrivate, Type::kInt, place, {}, index); };
    if (first == nullptr || last == nullptr || step == nullptr) {
      names_.open();
      add_name(statement.name, {Symbol::Kind::kPrivate, index}, false);
      body(statement.body);
      names_.close();
      return;
    }
    // Constant values are read in place; others are stored before the loop begins.
    const auto kept = [&](const ExprPtr& value, std::string_view what) {
      if (value->op == Op::kLiteral || value->op == Op::kParameter) return value;
      const uint32_t slot = add_private(fmt::format("{}.{}", name, what), Type::kInt, value->place);
      to.push_back(set_private(slot, value->place, value));
      return make_node(Op::kPrivate, Type::kInt, value->place, {}, slot);
    };
    to.push_back(set_private(index, place, first));
    const ExprPtr end = kept(last, "last");
    step = kept(step, "step");

    Statement made;
    made.kind = Statement::Kind::kWhile;
    made.place = place;
    made.condition =
        make_node(statement.down ? Op::kGreaterEqual : Op::kLessEqual, Type::kBool, place, {counter(), end});
    names_.open();
    add_name(statement.name, {Symbol::Kind::kPrivate, index}, false);
    made.body = body(statement.body);
    names_.close();
    made.body.push_back(set_private(
        index, place,
        make_node(statement.down ? Op::kSubtract : Op::kAdd, Type::kInt, place, {counter(), step})));
    to.push_back(std::move(made));
  }
};

}  // namespace

Tree check(const syntax::Program& program, std::vector<Diagnostic>& diagnostics) {
  Tree tree = Checker(program, diagnostics).run();
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  return tree;
}

}  // namespace lanewise::pram
