#include <algorithm>

#include "expr/evaluation/evaluation.h"
#include "expr/evaluation/one_pass.h"

namespace lanewise::expr {

namespace {

/// AND with `decisive` false, OR with `decisive` true: the first argument that equals it decides a row; rows
/// that none decides are NULL if an argument was NULL, else the opposite.
Truth connect(const Expr& expr, bool decisive, Columns columns, const ActiveSet& rows, EvalContext& context) {
  const size_t words = bits::words(rows.rows());
  auto* decided = context.arena->allocate<uint64_t>(words + 1);
  auto* unknown = context.arena->allocate<uint64_t>(words + 1);
  std::fill_n(decided, words, 0);
  std::fill_n(unknown, words, 0);
  ActiveSet open = rows;
  const auto* either = static_cast<const Either*>(expr.prepared.get());
  for (size_t i = 0; i < expr.args.size() && !open.none(); ++i) {
    const bool held = either != nullptr && either->holds(i);
    if (held && i != either->args.front()) continue;
    const Truth truth = expr::truth(held ? *either->test : *expr.args[i], columns, open, context);
    auto* now = context.arena->allocate<uint64_t>(words + 1);
    const uint64_t* active = open.bitmap();
    for (size_t word = 0; word < words; ++word) {
      const uint64_t null = truth.unknown == nullptr ? 0 : truth.unknown[word];
      now[word] = decisive ? truth.yes[word] : active[word] & ~truth.yes[word] & ~null;
      decided[word] |= now[word];
      unknown[word] = (unknown[word] | null) & ~now[word];
    }
    open.remove(now);
  }
  if (!decisive) {
    const uint64_t* active = rows.bitmap();
    for (size_t word = 0; word < words; ++word)
      decided[word] = active[word] & ~decided[word] & ~unknown[word];
  }
  return {decided, unknown};
}

}  // namespace

Truth truth_of_and(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  return connect(expr, false, columns, rows, context);
}

Truth truth_of_or(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  return connect(expr, true, columns, rows, context);
}

}  // namespace lanewise::expr
