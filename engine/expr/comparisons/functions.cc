#include "expr/comparisons/functions.h"

#include <algorithm>
#include <array>

#include "expr/comparisons/between.h"
#include "expr/vectors/compare_vectors.h"
#include "expr/vectors/vectors.h"

namespace lanewise {

using namespace expr;

namespace {

using Types = std::span<const Type>;
using Values = std::span<const Value>;
using Args = std::span<const Vector>;

/// Types with the same representation: equal types, or decimals of the same scale and width.
bool comparable(const Type& a, const Type& b) {
  if (a == b) return true;
  return a.id == TypeId::kDecimal && b.id == TypeId::kDecimal && a.scale == b.scale &&
         a.physical() == b.physical();
}

std::optional<Type> resolve_pair(Types args) {
  if (args.size() != 2 || !comparable(args[0], args[1])) return std::nullopt;
  return TypeId::kBool;
}

std::optional<Type> resolve_between(Types args) {
  if (args.size() != 3 || !comparable(args[0], args[1]) || !comparable(args[0], args[2])) return std::nullopt;
  return TypeId::kBool;
}

std::optional<Type> resolve_any(Types args) {
  if (args.size() != 1) return std::nullopt;
  return TypeId::kBool;
}

std::optional<Type> resolve_not(Types args) {
  if (args.size() != 1 || args[0].id != TypeId::kBool) return std::nullopt;
  return TypeId::kBool;
}

/// rows & ~bits.
const uint64_t* except(const ActiveSet& rows, const uint64_t* bits) {
  auto* result = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
  for (size_t word = 0; word < bits::words(rows.rows()); ++word)
    result[word] = rows.bitmap()[word] & ~bits[word];
  return result;
}

template <Comparison op>
const uint64_t* select_pair(const Expr&, Args args, const ActiveSet& rows, EvalContext& context) {
  return rows_where(op, args[0], args[1], rows, context);
}

/// The active rows whose value is not NULL.
const uint64_t* valid_rows(const Vector& vector, const ActiveSet& rows) {
  if (vector.constant && vector.is_null(0)) return except(rows, rows.bitmap());
  return vector.constant ? rows.bitmap() : both(rows.bitmap(), vector.validity, rows.rows(), rows.arena());
}

const uint64_t* select_null(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return except(rows, valid_rows(args[0], rows));
}
const uint64_t* select_not_null(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return valid_rows(args[0], rows);
}

const uint64_t* select_not_distinct(const Expr&, Args args, const ActiveSet& rows, EvalContext& context) {
  const uint64_t* a_valid = valid_rows(args[0], rows);
  const uint64_t* b_valid = valid_rows(args[1], rows);
  const ActiveSet valid = rows.narrowed(both(a_valid, b_valid, rows.rows(), rows.arena()));
  const uint64_t* same = rows_where(Comparison::eq, args[0], args[1], valid, context);
  auto* result = context.arena->allocate<uint64_t>(bits::words(rows.rows()) + 1);
  for (size_t word = 0; word < bits::words(rows.rows()); ++word) {
    result[word] = same[word] | (rows.bitmap()[word] & ~a_valid[word] & ~b_valid[word]);
  }
  return result;
}
const uint64_t* select_distinct(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return except(rows, select_not_distinct(expr, args, rows, context));
}

const uint64_t* select_not(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return except(rows, truth_of(args[0], rows).yes);
}

Value reference_equal(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) == 0); }
Value reference_unequal(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) != 0); }
Value reference_less(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) < 0); }
Value reference_greater(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) > 0); }
Value reference_at_most(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) <= 0); }
Value reference_at_least(const Expr&, Values args) { return Value::boolean(compare(args[0], args[1]) >= 0); }
Value reference_null(const Expr&, Values args) { return Value::boolean(args[0].is_null()); }
Value reference_not_null(const Expr&, Values args) { return Value::boolean(!args[0].is_null()); }
Value reference_not(const Expr&, Values args) { return Value::boolean(!args[0].is_true()); }

bool distinct(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return a.is_null() != b.is_null();
  return compare(a, b) != 0;
}
Value reference_distinct(const Expr&, Values args) { return Value::boolean(distinct(args[0], args[1])); }
Value reference_not_distinct(const Expr&, Values args) { return Value::boolean(!distinct(args[0], args[1])); }

using Form = Function::Form;
constexpr auto kOwn = Function::Nulls::kOwn;

constexpr std::array kComparisonTable = std::to_array<Function>({
    {.name = "=",
     .form = Form::kEqual,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::eq>,
     .reference = reference_equal,
     .device = on_device<"equal">,
     .documentation = "Whether both are equal.",
     .example = "'a' = 'b'"},
    {.name = "<>",
     .form = Form::kUnequal,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::ne>,
     .reference = reference_unequal,
     .device = on_device<"unequal">,
     .documentation = "Whether both differ.",
     .example = "1 <> 2"},
    {.name = "<",
     .form = Form::kLess,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::lt>,
     .reference = reference_less,
     .device = on_device<"less">,
     .documentation = "Whether the first is less; NaN is greater than all other numbers.",
     .example = "'a' < 'b'"},
    {.name = ">",
     .form = Form::kGreater,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::gt>,
     .reference = reference_greater,
     .device = on_device<"greater">,
     .documentation = "Whether the first is greater; NaN is greater than all other numbers.",
     .example = "'nan'::DOUBLE > 'inf'::DOUBLE"},
    {.name = "<=",
     .form = Form::kAtMost,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::le>,
     .reference = reference_at_most,
     .device = on_device<"at_most">,
     .documentation = "Whether the first is less or both are equal.",
     .example = "DATE '2024-02-29' <= DATE '2024-03-01'"},
    {.name = ">=",
     .form = Form::kAtLeast,
     .resolve = resolve_pair,
     .select = select_pair<Comparison::ge>,
     .reference = reference_at_least,
     .device = on_device<"at_least">,
     .documentation = "Whether the first is greater or both are equal.",
     .example = "INTERVAL 30 DAYS >= INTERVAL 1 MONTH"},
    {.name = "BETWEEN",
     .form = Form::kBetween,
     .nulls = kOwn,
     .resolve = resolve_between,
     .prepare = prepare_between,
     .evaluate = evaluate_between,
     .truth = truth_of_between,
     .reference = reference_between,
     .documentation = "Whether the first is at least the second and at most the third.",
     .example = "2 BETWEEN 1 AND 3"},
    {.name = "IS DISTINCT FROM",
     .form = Form::kIsDistinct,
     .nulls = kOwn,
     .resolve = resolve_pair,
     .select = select_distinct,
     .reference = reference_distinct,
     .documentation = "Whether both differ, where NULL equals NULL.",
     .example = "1 IS DISTINCT FROM NULL"},
    {.name = "IS NOT DISTINCT FROM",
     .form = Form::kIsNotDistinct,
     .nulls = kOwn,
     .resolve = resolve_pair,
     .select = select_not_distinct,
     .reference = reference_not_distinct,
     .documentation = "Whether both are equal, where NULL equals NULL.",
     .example = "NULL IS NOT DISTINCT FROM NULL"},
    {.name = "IS NULL",
     .form = Form::kIsNull,
     .nulls = kOwn,
     .resolve = resolve_any,
     .select = select_null,
     .reference = reference_null,
     .documentation = "Whether it is NULL.",
     .example = "NULL IS NULL"},
    {.name = "IS NOT NULL",
     .form = Form::kIsNotNull,
     .nulls = kOwn,
     .resolve = resolve_any,
     .select = select_not_null,
     .reference = reference_not_null,
     .documentation = "Whether it is not NULL.",
     .example = "'' IS NOT NULL"},
    {.name = "NOT",
     .form = Form::kNot,
     .resolve = resolve_not,
     .select = select_not,
     .reference = reference_not,
     .device = on_device<"logical_not">,
     .documentation = "True for false, false for true.",
     .example = "NOT true"},
});

}  // namespace

std::span<const Function> comparison_functions() { return kComparisonTable; }

ExprPtr expr::compared(Function::Form form, ExprPtr a, ExprPtr b) {
  const auto* function = std::ranges::find(kComparisonTable, form, &Function::form);
  return call(*function, {std::move(a), std::move(b)});
}

}  // namespace lanewise
