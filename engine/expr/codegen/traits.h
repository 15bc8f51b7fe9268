#pragma once

#include <functional>
#include <optional>

#include "base/error.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "lanes/automata/automaton.h"

/// What is known of expressions on devices without writing their sources.
namespace lanewise::expr {

class PreparedPattern;

/// An expression or a type that devices do not support; what() names it.
class NotOnDevice : public UserError {
 public:
  using UserError::UserError;
};

struct DeviceTraits {
  bool may_be_null = false;  ///< its value; the others are those of its parts, too
  bool makes_texts = false;  ///< it needs a kernel's heap
  bool is_long = false;      ///< it needs headers, whose functions have loops and take long to compile
  bool may_fail = false;     ///< for some row it may raise an error
};

/// `may_be_null`: of a column, and of a match (see is_match()). Throws NotOnDevice where Emitter::emit()
/// does.
DeviceTraits device_traits(const Expr& expr, const std::function<bool(const Expr&)>& may_be_null);
/// The same but `may_be_null`, which depends on the columns.
DeviceTraits device_traits(const Expr& expr);

/// Whether the call matches a column's strings against a constant pattern and cannot fail: an
/// automaton evaluates it before the kernel runs.
bool is_match(const Expr& expr);
/// The constant pattern that a call matches with its first argument; null: it is another expression.
const PreparedPattern* matched_pattern(const Expr& expr);
/// The automaton of a constant pattern; throws NotOnDevice that names it.
lanes::AutomatonView automaton_of(const PreparedPattern& pattern);
/// The same, where the kernel itself walks through it; throws NotOnDevice if its table is too large.
lanes::AutomatonView walked_automaton(const Expr& match, const PreparedPattern& pattern);

/// The device functions of a call whose form is kCall or a comparison, and of a cast of a type that is not
/// NULL. Throw NotOnDevice.
DeviceFunction called_on_device(const Expr& call);
DeviceFunction cast_on_device(const Expr& cast);
/// Whether some value of the argument cannot be cast, and is not NULL instead.
bool cast_may_fail(const Expr& cast);
/// The expression in front of a cast of NULL that may raise an error, error(); null: nothing is to be
/// evaluated. Throws NotOnDevice.
const Expr* evaluated_before_null(const Expr& cast);

}  // namespace lanewise::expr
