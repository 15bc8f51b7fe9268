#include "expr/nested/fold.h"

#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace folds {

namespace {

Vector run(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const auto* fold = dynamic_cast<const Fold*>(expr.prepared.get());
  invariant(fold != nullptr, "list_aggregate knows its aggregate");
  return fold->run(expr.type, elements_of(args[0], rows), rows, context);
}

Value reference(const Expr& expr, std::span<const Value> args) {
  Arena arena;
  EvalContext context{.arena = &arena};
  const Vector list = constant(args[0], arena);
  return value_at(run(expr, std::span(&list, 1), ActiveSet(1, arena), context), 0);
}

std::optional<Type> resolve(std::span<const Type> args) {
  const bool takes = args.size() == 2 && is_list(args[0]) && args[1] == TypeId::kVarchar;
  return takes ? std::optional(args[0].element()) : std::nullopt;
}

constexpr Function kFunctions[] = {
    {.name = "list_aggregate",
     .raises = true,
     .resolve = resolve,
     .evaluate = run,
     .reference = reference,
     .documentation = "The result of an aggregate function over the elements.",
     .example = "list_aggregate([1, 2, NULL], 'sum')"},
};

}  // namespace

}  // namespace folds

ExprPtr fold(ExprPtr list, std::string_view name, Type type, std::shared_ptr<const Fold> fold) {
  auto expr = std::make_shared<Expr>(
      *call(folds::kFunctions[0], {std::move(list), literal(Value::varchar(std::string(name)))}));
  expr->type = type;
  expr->prepared = std::move(fold);
  return expr;
}

std::span<const Function> fold_functions() { return folds::kFunctions; }

}  // namespace lanewise::expr
