#include "expr/evaluation/evaluation.h"
#include "expr/evaluation/one_pass.h"

namespace lanewise::expr {

Vector evaluate_case(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  Merger merger(expr.type, rows);
  ActiveSet open = rows;
  const auto* together = static_cast<const Conditions*>(expr.prepared.get());
  std::vector<const uint64_t*> known;  // by argument
  if (together != nullptr && !rows.none()) known = together->find(columns, rows, context);
  size_t arg = 0;
  for (; arg + 1 < expr.args.size() && !open.none(); arg += 2) {
    const uint64_t* yes = arg < known.size() ? known[arg] : nullptr;
    if (yes == nullptr) yes = truth(*expr.args[arg], columns, open, context).yes;
    const ActiveSet branch = open.narrowed(yes);
    if (branch.none()) continue;
    merger.put(evaluate(*expr.args[arg + 1], columns, branch, context), branch);
    open.remove(yes);
  }
  if (expr.args.size() % 2 == 1 && !open.none()) {
    merger.put(evaluate(*expr.args.back(), columns, open, context), open);
  }
  return merger.finish();
}

Vector evaluate_coalesce(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  Merger merger(expr.type, rows);
  ActiveSet open = rows;
  for (const ExprPtr& arg : expr.args) {
    if (open.none()) break;
    const Vector values = evaluate(*arg, columns, open, context);
    if (values.constant && values.is_null(0)) continue;
    if (values.constant || values.validity == nullptr) {
      merger.put(values, open);
      break;
    }
    const ActiveSet valid = open.narrowed(values.validity);
    merger.put(values, valid);
    open.remove(values.validity);
  }
  return merger.finish();
}

}  // namespace lanewise::expr
