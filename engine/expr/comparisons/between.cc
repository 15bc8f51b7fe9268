#include "expr/comparisons/between.h"

#include "expr/comparisons/functions.h"
#include "expr/evaluation/evaluation.h"

namespace lanewise::expr {

namespace {

/// The two comparisons; they are called with vectors, and their own arguments are never evaluated.
struct Bounds final : Prepared {
  ExprPtr at_least;
  ExprPtr at_most;
};

uint64_t bits_of(const uint64_t* bitmap, size_t word) { return bitmap == nullptr ? 0 : bitmap[word]; }

}  // namespace

std::shared_ptr<const Prepared> prepare_between(std::span<const ExprPtr> args) {
  auto bounds = std::make_shared<Bounds>();
  bounds->at_least = compared(Function::Form::kAtLeast, args[0], args[1]);
  bounds->at_most = compared(Function::Form::kAtMost, args[0], args[2]);
  return bounds;
}

Truth truth_of_between(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context) {
  const auto& bounds = static_cast<const Bounds&>(*expr.prepared);
  const Vector low[] = {args[0], args[1]};
  const Vector high[] = {args[0], args[2]};
  const Truth above = apply_condition(*bounds.at_least, low, rows, context);
  const size_t words = bits::words(rows.rows());
  auto* open = rows.arena().allocate<uint64_t>(words + 1);
  for (size_t word = 0; word < words; ++word) open[word] = above.yes[word] | bits_of(above.unknown, word);
  const Truth below = apply_condition(*bounds.at_most, high, rows.narrowed(open), context);
  auto* yes = rows.arena().allocate<uint64_t>(words + 1);
  for (size_t word = 0; word < words; ++word) yes[word] = above.yes[word] & below.yes[word];
  if (above.unknown == nullptr && below.unknown == nullptr) return {yes, nullptr};
  // NULL if neither is false and one is NULL.
  auto* unknown = rows.arena().allocate<uint64_t>(words + 1);
  for (size_t word = 0; word < words; ++word) {
    const uint64_t a = bits_of(above.unknown, word);
    const uint64_t b = bits_of(below.unknown, word);
    unknown[word] = (a & b) | (a & below.yes[word]) | (b & above.yes[word]);
  }
  return {yes, unknown};
}

Vector evaluate_between(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                        EvalContext& context) {
  return vector_of(truth_of_between(expr, args, rows, context), rows);
}

Value reference_between(const Expr&, std::span<const Value> args) {
  bool unknown = args[0].is_null();
  for (size_t bound = 1; bound <= 2; ++bound) {
    if (args[0].is_null() || args[bound].is_null()) {
      unknown = true;
    } else if (bound == 1 ? compare(args[0], args[1]) < 0 : compare(args[0], args[2]) > 0) {
      return Value::boolean(false);
    }
  }
  return unknown ? Value(TypeId::kBool) : Value::boolean(true);
}

}  // namespace lanewise::expr
