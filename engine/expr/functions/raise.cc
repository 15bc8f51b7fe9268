#include <vector>

#include "base/error.h"
#include "expr/functions/functions.h"

namespace lanewise {

namespace {

/// The planner guards scalar subqueries with it: CASE WHEN count > 1 THEN error('...') ...
std::optional<Type> resolve_raise(std::span<const Type> args) {
  if (args.size() != 1 || args[0].id != TypeId::kVarchar) return std::nullopt;
  return Type(TypeId::kNull);
}

Vector raise(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  rows.for_each([&](uint32_t row) { throw UserError(std::string(args[0].text(row))); });
  return constant(Value(), *context.arena);
}

Value raise_reference(const Expr&, std::span<const Value> args) { throw UserError(args[0].text()); }

}  // namespace

std::span<const Function> raise_functions() {
  static const std::vector<Function> all = [] {
    Function error;
    error.name = "error";
    error.form = Function::Form::kError;
    error.raises = true;
    error.resolve = resolve_raise;
    error.evaluate = raise;
    error.reference = raise_reference;
    error.documentation = "Raises its argument as an error.";
    error.example = "CASE WHEN 1 > 2 THEN error('no') ELSE NULL END";
    return std::vector<Function>{error};
  }();
  return all;
}

}  // namespace lanewise
