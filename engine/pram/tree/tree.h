#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pram/tree/diagnostic.h"
#include "pram/tree/value.h"

/// The typed tree of a checked program: names are resolved to indexes, types are explicit, functions are
/// inlined, `for` is a while. Input of the interpreter, the optimiser and the executors.
namespace lanewise::pram {

enum class Op : uint8_t {
  kLiteral,    ///< word
  kParameter,  ///< parameters[index]: known to all processors
  kProcessor,  ///< the processor's number in dimension `index`
  kPrivate,    ///< privates[index] of this processor
  kControl,    ///< privates[index] of the single processor outside of blocks, copied to all
  kCell,       ///< variables[index], the cell at args (none for a scalar)
  kLet,        ///< privates[index] = args[0], then args[1]
  kConvert,    ///< args[0] as `type`
  kNegate,
  kNot,
  kAbs,
  kSqrt,
  kFloor,
  kCeil,
  kLog2,  ///< of an integer, rounded down
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  ///< of integers: rounded down
  kModulo,  ///< has the sign of its divisor
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,     ///< args[1] is evaluated only if args[0] is true
  kOr,      ///< args[1] is evaluated only if args[0] is false
  kChoose,  ///< args[0] ? args[1] : args[2]; only the chosen one is evaluated
};

struct Expr;
/// Immutable; passes share unchanged subtrees.
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  Op op = Op::kLiteral;
  Type type = Type::kInt;
  Place place;
  Word word = 0;       ///< of a literal; of kProcessor: its block
  uint32_t index = 0;  ///< of a parameter, dimension, private or shared variable
  std::vector<ExprPtr> args;
  uint32_t height = 1;  ///< of the tree; bounded by the checker
};

/// The target of an assignment: a cell of a shared variable or a private variable.
struct Target {
  bool shared = false;
  uint32_t index = 0;  ///< in variables or privates
  Type type = Type::kInt;
  std::vector<ExprPtr> cell;  ///< indexes; none for scalars and private variables
  Place place;
};

struct Statement {
  enum class Kind : uint8_t {
    kAssign,  ///< all targets = all values, at once
    kIf,      ///< condition, body, otherwise
    kWhile,   ///< condition, body
    kBlock,   ///< blocks[block] runs body; never inside of another block
  };

  Kind kind = Kind::kAssign;
  Place place;
  std::vector<Target> targets;
  std::vector<ExprPtr> values;
  ExprPtr condition;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  uint32_t block = 0;
};

/// The rule for CRCW writes to one cell in one step: all must write the same; a random processor wins; the
/// smallest number wins; the values are combined.
enum class Mode : uint8_t { kErew, kCrew, kCommon, kArbitrary, kPriority, kCombining };

/// A number that every processor knows: a size (the extent of an input), a scalar input, a constant.
struct Parameter {
  enum class Kind : uint8_t { kSize, kInput, kConst };
  std::string name;
  Type type = Type::kInt;
  Kind kind = Kind::kSize;
  ExprPtr value;  ///< of a kConst, over the parameters before it
  Place place;
};

/// A variable that all processors share.
struct Variable {
  enum class Role : uint8_t { kInput, kOutput, kInout, kShared };
  std::string name;
  Type type = Type::kInt;
  Role role = Role::kShared;
  std::vector<ExprPtr> extents;  ///< over parameters
  ExprPtr initial;               ///< of every cell, over parameters; null: zero
  Place place;
  std::optional<Op> combine = {};  ///< in mode kCombining, instead of the mode's

  bool given() const { return role == Role::kInput || role == Role::kInout; }
  bool result() const { return role == Role::kOutput || role == Role::kInout; }
};

/// A variable that each processor of a block has for itself.
struct Private {
  std::string name;  ///< contains a dot if the program cannot name it: k.last, f.x
  Type type = Type::kInt;
  std::optional<uint32_t> block;  ///< absent: it belongs to the processor that runs outside of blocks
  Place place;
};

/// Processors that run together; their numbers count from 0, the last dimension fastest.
struct Block {
  struct Dimension {
    std::string name;
    ExprPtr extent;  ///< over parameters and control
  };
  std::vector<Dimension> dimensions;
  Place place;
};

struct Tree {
  /// Calls are inlined, so nothing else of a function remains.
  struct Function {
    std::string name;
    Place place;
    bool called = false;
  };

  Mode mode = Mode::kErew;
  std::optional<Op> combine;  ///< in mode kCombining: kAdd, kMultiply, kMin, kMax, kAnd, kOr, kXor
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;
  std::vector<Private> privates;
  std::vector<Block> blocks;
  std::vector<Function> functions;
  std::vector<Statement> body;

  /// In mode kCombining: how writes to the variable's cells are combined.
  Op combine_of(uint32_t variable) const { return variables[variable].combine.value_or(*combine); }
};

/// "CRCW arbitrary"; with `combine` "CRCW combining +".
std::string to_text(Mode mode, std::optional<Op> combine = {});
/// An operator or function as a program writes it: "+", "min", "and".
std::string_view name(Op op);
/// The same in the program's language, with a minimum of brackets.
std::string to_text(const Expr& expr, const Tree& tree);
std::string to_text(const Target& target, const Tree& tree);

/// Calls f on the expression and all its subexpressions.
template <class F>
void walk(const Expr& expr, F f) {
  f(expr);
  for (const ExprPtr& arg : expr.args) walk(*arg, f);
}

/// Calls f on each statement and all nested ones, in program order.
template <class F>
void walk(const std::vector<Statement>& statements, F f) {
  for (const Statement& statement : statements) {
    f(statement);
    walk(statement.body, f);
    walk(statement.otherwise, f);
  }
}

/// Calls f on each expression of the statement itself: indexes, values, condition.
template <class F>
void for_each_expression(const Statement& statement, F f) {
  for (const Target& target : statement.targets) {
    for (const ExprPtr& index : target.cell) f(*index);
  }
  for (const ExprPtr& value : statement.values) f(*value);
  if (statement.condition) f(*statement.condition);
}

}  // namespace lanewise::pram
