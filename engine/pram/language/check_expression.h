#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pram/language/names.h"
#include "pram/language/syntax.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// The state of the checker: the tree under construction, the names in scope, the errors so far. An invalid
/// expression is null and causes no further errors.
class ExpressionChecker {
 public:
  ExpressionChecker(const syntax::Program& program, std::vector<Diagnostic>& diagnostics)
      : program_(program), diagnostics_(diagnostics), incomplete_(!diagnostics.empty()) {}

 protected:
  ExprPtr check(const syntax::Expr& expr);
  /// The same as a value of type `type`; `what` names its purpose: "an index".
  ExprPtr check(const syntax::Expr& expr, Type type, std::string_view what);
  /// One index for each dimension of the variable.
  std::optional<std::vector<ExprPtr>> check_cell(const syntax::Expr& expr, const Variable& variable);
  /// A private variable of the current block or, outside of blocks, of the only processor.
  uint32_t add_private(std::string name, Type type, const Place& place);
  /// Reports a name that is not declared.
  void unknown(const syntax::Expr& expr);
  void report(const Place& place, std::string message, std::string advice = "");

  const syntax::Program& program_;
  std::vector<Diagnostic>& diagnostics_;
  const bool incomplete_;  ///< the parser skipped some of the program: a missing name may be declared there
  Tree tree_;
  Names names_;
  std::optional<uint32_t> block_;  ///< the current one
  size_t functions_known_ = 0;     ///< functions declared above the current position

 private:
  ExprPtr integer(const syntax::Expr& expr, bool negative);
  ExprPtr real_number(const syntax::Expr& expr);
  ExprPtr name(const syntax::Expr& expr);
  ExprPtr symbol(const syntax::Expr& expr, const Symbol& found);
  ExprPtr element(const syntax::Expr& expr);
  ExprPtr unary(const syntax::Expr& expr);
  ExprPtr binary(const syntax::Expr& expr);
  ExprPtr combined(Op op, const Place& place, std::string_view shown, const ExprPtr& left,
                   const ExprPtr& right, bool (*accepts)(Type), std::string_view takes);
  ExprPtr choice(const syntax::Expr& expr);
  ExprPtr call(const syntax::Expr& expr);
  ExprPtr conversion(const syntax::Expr& expr, Type to);
  ExprPtr built_in(const syntax::Expr& expr);
  ExprPtr function(const syntax::Expr& expr, const syntax::Function& called);
  ExprPtr node(Op op, Type type, const Place& place, std::vector<ExprPtr> args, uint32_t index = 0);

  size_t nodes_ = 0;
  bool too_large_ = false;
};

}  // namespace lanewise::pram
