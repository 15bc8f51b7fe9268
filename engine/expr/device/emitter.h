#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "expr/expr.h"

namespace lanewise::expr {

/// An expression or a type that devices do not compute; what() names it.
class NotOnDevice : public UserError {
 public:
  using UserError::UserError;
};

/// A value in the source that is written: a C++ expression for it, and one for whether it is there.
struct Emitted {
  std::string value;
  std::string valid = {};  ///< empty: never NULL

  std::string is_valid() const { return valid.empty() ? "true" : valid; }
};

/// "i64": the type of values of `type` in sources, see values-inl.h. Booleans are bool, in memory u8. Throws
/// NotOnDevice.
std::string device_type(Type type);
/// A literal as a C++ expression. Throws NotOnDevice.
Emitted device_literal(const Value& value);

/// Whether the call asks whether a column's strings match a constant pattern: an automaton's work, done
/// before.
bool is_match(const Expr& expr);

/// Writes expressions as C++ for one row: a subset that NVRTC and host compilers take, with the headers of
/// this folder as its library. Conditions are three-valued; what an expression does not evaluate for a row is
/// skipped by a branch, so that it cannot fail. Where a function fails, the variable `failed` becomes true.
class Emitter {
 public:
  /// What reads a column, or the answer of an is_match() call.
  using Leaf = std::function<Emitted(const Expr&)>;
  /// Writes lines indented by `depth` levels.
  Emitter(Leaf leaf, int depth) : leaf_(std::move(leaf)), depth_(depth) {}

  /// Writes what computes `expr`; throws NotOnDevice.
  Emitted emit(const Expr& expr);
  /// An emitted condition as one expression: true where it is true, not where it is NULL.
  static std::string is_true(const Emitted& condition);

  void line(std::string_view text);
  /// Begins a block: "if (x) {"; close() ends it.
  void open(std::string_view head);
  void close(std::string_view tail = "}");
  /// What was written so far.
  std::string take();

 private:
  Emitted call(const Expr& expr);
  Emitted function(const std::string& name, std::string_view result, const std::vector<Emitted>& args,
                   const std::string& constants, bool may_be_null, bool fails, bool fails_to_null);
  Emitted cast(const Expr& expr);
  Emitted connect(const Expr& expr, bool decisive);
  Emitted case_when(const Expr& expr);
  Emitted coalesce(const Expr& expr);
  Emitted in_list(const Expr& expr);
  Emitted between(const Expr& expr);
  Emitted distinct(const Expr& expr, bool negated);
  /// A name that is not taken: a word and a number. Names of one letter are the kernel's, but for v.
  std::string fresh(const char* word) { return word + std::to_string(names_++); }

  const Leaf leaf_;
  int depth_;
  int names_ = 0;
  std::string text_;
};

}  // namespace lanewise::expr
