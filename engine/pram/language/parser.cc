#include "pram/language/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "pram/language/hints.h"
#include "pram/language/token_reader.h"

namespace lanewise::pram {

namespace syntax {
namespace {

constexpr uint32_t kDeepest = 200;  // nesting of statements and of expressions: recursion is bounded
constexpr size_t kLongest = size_t{1} << 20;  // bytes of a program
constexpr const char* kLoops =
    "one after the other: for k = 0 to n - 1 { ... }; all at once: processors i < n { ... }";

uint32_t height_above(const std::vector<Expr>& args) {
  uint32_t height = 0;
  for (const Expr& arg : args) height = std::max(height, arg.height);
  return height + 1;
}

/// From the start of `from` to the end of `to`, if they are on one line.
Place spanning(const Place& from, const Place& to) {
  if (from.line != to.line || to.column < from.column) return from;
  return {from.line, from.column, to.column + to.length - from.column};
}

class Parser : TokenReader {
 public:
  using TokenReader::TokenReader;

  Program run() {
    try {
      while (peek().kind != Token::Kind::kEnd) {
        if (peek().is("}")) {
          report(peek().place, "'}' closes nothing", "");
          ++at_;
          continue;
        }
        recovering([&] { item(); });
      }
    } catch (const Hopeless&) {
    }
    return std::move(program_);
  }

 private:
  // Declarations.
  void item() {
    const Token& first = peek();
    if (accept("mode")) {
      if (!program_.mode.empty()) report(first.place, "the mode is declared twice", "");
      mode();
    } else if (accept("input")) {
      declaration(Declaration::Kind::kInput);
    } else if (accept("output")) {
      declaration(Declaration::Kind::kOutput);
    } else if (accept("inout")) {
      declaration(Declaration::Kind::kInout);
    } else if (accept("shared")) {
      declaration(Declaration::Kind::kShared);
    } else if (accept("const")) {
      declaration(Declaration::Kind::kConst);
    } else if (accept("function")) {
      function();
    } else if (first.is("processors")) {
      processors();
    } else {
      statement(program_.body, 0);
    }
  }

  /// One word, two after CRCW, three with `combining`.
  void mode() {
    const auto word = [&] {
      program_.mode.push_back({peek().text, peek().place});
      return take().text;
    };
    if (peek().kind != Token::Kind::kName || is_keyword(peek().text)) {
      lose("which mode?", "EREW, CREW, CRCW common, CRCW arbitrary, CRCW priority or CRCW combining +");
    }
    if (word() != "CRCW" || peek().kind != Token::Kind::kName || is_keyword(peek().text)) return;
    if (word() == "combining" && peek().kind != Token::Kind::kEnd) word();
  }

  void declaration(Declaration::Kind kind) {
    Declaration made;
    made.kind = kind;
    made.name = expect_name("a name");
    if (kind != Declaration::Kind::kConst && accept("[")) {
      made.extents = list("]");
      if (made.extents.empty() || made.extents.size() > 2) {
        report(made.name.place, "an array has one or two dimensions", "A[n] or W[n, m]");
      }
    }
    made.type = optional_type();
    if (accept("=")) made.value = expression();
    // Not a keyword: a variable may have that name.
    if (peek().is("combining") && !peek(1).is("=") && !peek(1).is("[") && !peek(1).is(",")) {
      take();
      made.combining = Name{peek().text, peek().place};
      if (peek().kind != Token::Kind::kEnd) take();
    }
    program_.declarations.push_back(std::move(made));
  }

  std::optional<Type> optional_type() {
    if (!accept(":")) return std::nullopt;
    return type();
  }

  Type type() {
    for (const Type type : {Type::kBool, Type::kInt32, Type::kInt, Type::kReal}) {
      if (accept(name(type))) return type;
    }
    lose(fmt::format("a type is missing; here {}", stands()), "int, int32, real or bool");
  }

  void function() {
    Function made;
    made.name = expect_name("a name");
    expect("(", "after the function's name");
    while (!peek().is(")")) {
      const Name parameter = expect_name("a parameter");
      expect(":", "after the parameter", "f(x : int, y : real) : int = ...");
      made.parameters.push_back({parameter, type()});
      if (!accept(",")) break;
    }
    expect(")", "after the parameters");
    expect(":", "before the function's type", "f(x : int) : int = x + 1");
    made.type = type();
    expect("=", "before the function's value", "a function is one expression: f(x : int) : int = x + 1");
    made.value = expression();
    program_.functions.push_back(std::move(made));
  }

  /// For the rest of the program, or with its own block.
  void processors() {
    const Place place = peek().place;
    const size_t begin = at_;
    take();
    std::vector<Dimension> found = dimensions();
    if (peek().is("{")) {
      at_ = begin;
      statement(program_.body, 0);
      return;
    }
    if (program_.header) report(place, "the processors are declared twice", "");
    if (!program_.body.empty()) {
      report(place, "statements stand before the processors that run them",
             "declare the processors first, or give them a block: processors n { ... }");
    }
    program_.header = place;
    program_.dimensions = std::move(found);
  }

  std::vector<Dimension> dimensions() {
    std::vector<Dimension> result;
    do {
      const Token& first = peek();
      if (first.kind == Token::Kind::kName && !is_keyword(first.text) && peek(1).is("<")) {
        Name index = expect_name("a name");
        take();
        result.push_back({index, sum(0)});
      } else {
        result.push_back({{"p", first.place}, sum(0)});
      }
    } while (accept(","));
    if (result.size() > 3) report(last_, "processors have at most three dimensions", "");
    return result;
  }

  // Statements.
  std::vector<Statement> body(uint32_t depth, std::string_view advice = "") {
    std::vector<Statement> result;
    expect("{", "before the statements", advice);
    while (!peek().is("}") && peek().kind != Token::Kind::kEnd) {
      recovering([&] { statement(result, depth + 1); });
    }
    expect("}", "after the statements");
    return result;
  }

  void statement(std::vector<Statement>& to, uint32_t depth) {
    if (depth > kDeepest)
      lose("statements are nested too deeply", fmt::format("{} levels at most", kDeepest));
    if (accept(";")) return;
    Statement made;
    made.place = peek().place;
    if (accept("private")) {
      made.kind = Statement::Kind::kPrivate;
      made.name = expect_name("a name");
      if (peek().is("[")) lose("a private variable holds one value", "declare an array of n cells as shared");
      made.type = optional_type();
      if (accept("=")) made.values.push_back(expression());
      made.place = spanning(made.place, last_);
    } else if (accept("if")) {
      branch(made, depth);
    } else if (accept("while")) {
      made.kind = Statement::Kind::kWhile;
      made.condition = expression();
      made.body = body(depth);
    } else if (accept("for")) {
      loop(made, depth);
    } else if (begins_parallel_loop(peek().text) && (peek(1).kind == Token::Kind::kName || peek(1).is("("))) {
      lose(fmt::format("there is no '{}'", peek().text), kLoops);
    } else if (accept("processors")) {
      made.kind = Statement::Kind::kProcessors;
      made.dimensions = dimensions();
      made.body = body(depth);
    } else {
      assignment(made);
    }
    to.push_back(std::move(made));
  }

  void branch(Statement& made, uint32_t depth) {
    made.kind = Statement::Kind::kIf;
    made.condition = expression();
    made.body = body(depth);
    if (!accept("else")) return;
    if (peek().is("if")) {
      statement(made.otherwise, depth + 1);
    } else {
      made.otherwise = body(depth);
    }
  }

  void loop(Statement& made, uint32_t depth) {
    made.kind = Statement::Kind::kFor;
    if (peek().kind != Token::Kind::kName) lose(fmt::format("a name is missing; here {}", stands()), kLoops);
    made.name = expect_name("a name");
    expect("=", "after the loop's variable", kLoops);
    made.values.push_back(expression());
    made.down = accept("down");
    expect("to", "after the first value", "for k = 0 to n - 1 { ... }, for k = n - 1 down to 0 { ... }");
    made.values.push_back(expression());
    if (accept("step")) made.values.push_back(expression());
    made.body = body(depth, kLoops);
  }

  void assignment(Statement& made) {
    const size_t begin = at_;
    const Token& first = peek();
    if (first.kind != Token::Kind::kName || is_keyword(first.text)) {
      lose(fmt::format("no statement begins with {}", shown(first)),
           first.is("mode") || first.is("input") || first.is("output") || first.is("shared") ||
                   first.is("inout") || first.is("const") || first.is("function")
               ? "declarations stand outside of all braces"
               : "");
    }
    do {
      made.targets.push_back(postfix(0));
    } while (accept(","));
    if (peek().is("==")) lose("'==' compares; an assignment has one '='", "");
    const auto hint =
        made.targets.size() == 1 ? assignment_hint(tokens_, begin, at_) : std::optional<AssignmentHint>();
    if (hint) {
      report(spanning(peek().place, peek(1).place), fmt::format("there is no '{}'", hint->written),
             hint->advice);
      take();
      take();
      if (!hint->has_value) throw Lost();
    } else {
      const std::string_view meant = made.targets.size() == 1 ? nearest_keyword(first.text) : "";
      expect("=", "in the assignment", meant.empty() ? "" : fmt::format("is '{}' meant?", meant));
    }
    do {
      made.values.push_back(expression());
    } while (accept(","));
    made.place = spanning(made.place, last_);
  }

  // Expressions: each level of precedence is a function.
  Expr expression() { return choice(0); }

  /// A node above `args`, or an error if the tree is too high.
  Expr node(Expr::Kind kind, std::string_view text, const Place& place, std::vector<Expr> args) {
    const uint32_t height = height_above(args);
    if (height > kDeepest) {
      report(place, "the expression is too long", "give a part of it to a private variable");
      throw Lost();
    }
    return {kind, place, text, std::move(args), height};
  }
  Expr binary(const Token& operation, Expr left, Expr right) {
    const Place place = spanning(left.place, last_);
    std::vector<Expr> args;
    args.push_back(std::move(left));
    args.push_back(std::move(right));
    return node(Expr::Kind::kBinary, operation.text, place, std::move(args));
  }
  using Level = Expr (Parser::*)(uint32_t);
  Expr chain(std::initializer_list<std::string_view> operations, Level next, uint32_t depth) {
    Expr left = (this->*next)(depth);
    while (std::any_of(operations.begin(), operations.end(), [&](auto op) { return peek().is(op); })) {
      const Token& operation = take();
      left = binary(operation, std::move(left), (this->*next)(depth));
    }
    return left;
  }

  Expr choice(uint32_t depth) {
    if (depth > kDeepest) lose("the expression is nested too deeply", "");
    Expr condition = disjunction(depth);
    if (!accept("?")) return condition;
    std::vector<Expr> args;
    const Place first = condition.place;
    args.push_back(std::move(condition));
    args.push_back(choice(depth + 1));
    expect(":", "in the choice", "condition ? a : b");
    args.push_back(choice(depth + 1));
    return node(Expr::Kind::kChoice, "?", spanning(first, last_), std::move(args));
  }
  Expr disjunction(uint32_t depth) { return chain({"or"}, &Parser::conjunction, depth); }
  Expr conjunction(uint32_t depth) { return chain({"and"}, &Parser::negation, depth); }
  Expr negation(uint32_t depth) {
    if (!peek().is("not")) return comparison(depth);
    if (depth > kDeepest) lose("the expression is nested too deeply", "");
    const Token& operation = take();
    std::vector<Expr> args;
    args.push_back(negation(depth + 1));
    return node(Expr::Kind::kUnary, "not", spanning(operation.place, last_), std::move(args));
  }
  static bool compares(const Token& token) {
    return token.is("==") || token.is("!=") || token.is("<") || token.is("<=") || token.is(">") ||
           token.is(">=");
  }
  Expr comparison(uint32_t depth) {
    Expr left = sum(depth);
    if (peek().is("=")) return left;
    if (!compares(peek())) return left;
    const Token& operation = take();
    left = binary(operation, std::move(left), sum(depth));
    if (compares(peek())) lose("comparisons do not chain", "write a < b and b < c");
    return left;
  }
  Expr sum(uint32_t depth) { return chain({"+", "-"}, &Parser::product, depth); }
  Expr product(uint32_t depth) { return chain({"*", "/", "%"}, &Parser::negative, depth); }
  Expr negative(uint32_t depth) {
    if (!peek().is("-")) {
      if (peek().kind == Token::Kind::kName && peek().place.line > last_.line && peek(1).is("=") &&
          operator_before()) {
        report(last_, fmt::format("an expression is missing after '{}'", tokens_[at_ - 1].text), "");
        throw Lost();  // the next assignment starts here
      }
      return postfix(depth);
    }
    if (depth > kDeepest) lose("the expression is nested too deeply", "");
    const Token& operation = take();
    std::vector<Expr> args;
    args.push_back(negative(depth + 1));
    return node(Expr::Kind::kUnary, "-", spanning(operation.place, last_), std::move(args));
  }

  Expr postfix(uint32_t depth) {
    const Token& first = peek();
    switch (first.kind) {
      case Token::Kind::kInteger:
        take();
        return {Expr::Kind::kInteger, first.place, first.text, {}, 1};
      case Token::Kind::kReal:
        take();
        return {Expr::Kind::kReal, first.place, first.text, {}, 1};
      case Token::Kind::kName:
        return named(depth);
      default:
        break;
    }
    if (accept("(")) {
      Expr inner = choice(depth + 1);
      expect(")", "after the expression");
      inner.place = spanning(first.place, last_);
      return inner;
    }
    lose(fmt::format("an expression is missing; here {}", stands()), "");
  }

  Expr named(uint32_t depth) {
    const Token& first = peek();
    if (first.is("true") || first.is("false")) {
      take();
      return {first.is("true") ? Expr::Kind::kTrue : Expr::Kind::kFalse, first.place, first.text, {}, 1};
    }
    const bool converts = first.is("int") || first.is("int32") || first.is("real") || first.is("bool");
    if (is_keyword(first.text) && !(converts && peek(1).is("("))) {
      lose(fmt::format("an expression is missing; here {}", stands()), "");
    }
    take();
    if (accept("(")) {
      std::vector<Expr> args = list(")", depth + 1);
      return node(Expr::Kind::kCall, first.text, spanning(first.place, last_), std::move(args));
    }
    if (accept("[")) {
      std::vector<Expr> args = list("]", depth + 1);
      if (accept("[")) {  // parses A[i][j] as A[i, j]
        for (Expr& arg : list("]", depth + 1)) args.push_back(std::move(arg));
      }
      return node(Expr::Kind::kElement, first.text, spanning(first.place, last_), std::move(args));
    }
    return {Expr::Kind::kName, first.place, first.text, {}, 1};
  }

  /// Whether the previous token needs an operand.
  bool operator_before() const {
    if (at_ == 0) return false;
    const Token& last = tokens_[at_ - 1];
    if (last.kind == Token::Kind::kSymbol) {
      return std::string_view("{};)]").find(last.text) == std::string_view::npos;
    }
    return last.is("and") || last.is("or") || last.is("not");
  }

  std::vector<Expr> list(std::string_view end, uint32_t depth = 0) {
    std::vector<Expr> result;
    if (accept(end)) return result;
    do {
      result.push_back(choice(depth));
    } while (accept(","));
    expect(end, "after the list");
    return result;
  }

  Program program_;
};

}  // namespace
}  // namespace syntax

syntax::Program parse(std::string_view text, std::vector<Diagnostic>& diagnostics) {
  if (text.size() > syntax::kLongest) {
    diagnostics.push_back({.place = {}, .message = "the program is longer than 1 MiB", .advice = ""});
    return {};
  }
  std::vector<Token> tokens = tokenize(text, diagnostics);
  std::erase_if(tokens, [](const Token& token) { return token.kind == Token::Kind::kComment; });
  return syntax::Parser(std::move(tokens), diagnostics).run();
}

}  // namespace lanewise::pram
