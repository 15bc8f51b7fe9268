#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/type.h"
#include "data/value.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"

namespace lanewise {

struct Function;
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// What a function prepares once from its constant arguments: a compiled pattern, a parsed date part.
struct Prepared {
  virtual ~Prepared() = default;
  /// One line for --explain: the matcher that a target's lanes use with this tuning, and why.
  virtual std::string describe(lanes::Target, const lanes::Tuning&) const { return {}; }
  /// Whether it replaces argument `arg`, which then is not evaluated.
  virtual bool holds(size_t) const { return false; }
  /// The same for arguments that read other columns; null: it serves them, too.
  virtual std::shared_ptr<const Prepared> for_args(std::span<const ExprPtr>) const { return nullptr; }
};

/// A typed expression over the columns of a chunk. Immutable; shared between threads.
struct Expr {
  enum class Kind : uint8_t {
    kColumn,    ///< column `column` of the chunk
    kLiteral,   ///< `literal`
    kCall,      ///< function(args...)
    kCast,      ///< CAST or, with try_cast, TRY_CAST of args[0] to `type`
    kAnd,       ///< of all args, three-valued; later args see only rows that earlier ones left undecided
    kOr,        ///< likewise
    kCase,      ///< args: condition, value, condition, value, ..., else; a branch sees only its own rows
    kCoalesce,  ///< the first arg that is not NULL
    kIn,        ///< args[0] IN (args[1..]), three-valued
  };

  Kind kind;
  Type type;
  size_t column = 0;
  Value literal;
  const Function* function = nullptr;
  std::shared_ptr<const Prepared> prepared;  ///< of constant arguments (kCall, kIn, kOr, kCase); may be null
  bool try_cast = false;
  std::vector<ExprPtr> args;
  /// For list_transform and similar functions: over the element's number if lambda_index, the element, the
  /// accumulator (list_reduce), and args from 1 on, or from 2 if args[1] is the start value.
  ExprPtr lambda;
  bool lambda_index = false;
  bool lambda_start = false;

  /// SQL-like text for messages: "(path LIKE '%x%')". Columns are named by `names` or #i.
  std::string to_string(const std::vector<std::string>* names = nullptr) const;
};

ExprPtr column(size_t index, Type type);
ExprPtr literal(Value value);
/// A call of `function`; throws InternalError if it does not take the arguments. By name: functions/build.h.
ExprPtr call(const Function& function, std::vector<ExprPtr> args);
/// A cast to the argument's own type is the argument.
ExprPtr cast(ExprPtr arg, Type type, bool try_cast = false);
/// A node of one of the other kinds, for builders.
std::shared_ptr<Expr> new_expr(Expr::Kind kind, Type type, std::vector<ExprPtr> args = {});

/// Whether both give the same value in every row, as their structure shows; both may be null. Volatile
/// expressions, such as random(), are not equal to any.
bool equal(const ExprPtr& a, const ExprPtr& b);
/// The columns that the expression reads, ascending, each once.
std::vector<size_t> columns_of(const Expr& expr);
/// The same expression with each column i replaced by column map[i].
ExprPtr remap(const ExprPtr& expr, const std::vector<size_t>& map);
/// Calls f on the expression and all below it.
template <class F>
void walk(const Expr& expr, F f) {
  f(expr);
  for (const ExprPtr& arg : expr.args) walk(*arg, f);
}

}  // namespace lanewise
