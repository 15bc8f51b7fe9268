#include <optional>

#include "expr/evaluation/evaluation.h"
#include "expr/function.h"

namespace lanewise::expr {

namespace {

/// The rows for which a strict call is computed.
struct Strict {
  const uint64_t* validity = nullptr;  // rows without a NULL argument; null: all
  bool always_null = false;
};

Strict strict(std::span<const Vector> args, const ActiveSet& rows) {
  Strict result;
  for (const Vector& arg : args) {
    if (arg.validity == nullptr) continue;
    if (arg.constant) {
      result.always_null |= arg.is_null(0);
    } else {
      result.validity = both(result.validity, arg.validity, rows.rows(), rows.arena());
    }
  }
  return result;
}

/// Whether all arguments are constant.
bool all_constant(const Expr& expr, std::span<const Vector> args) {
  if (expr.function->varies) return false;
  for (const Vector& arg : args) {
    if (!arg.constant) return false;
  }
  return true;
}

/// The only argument that is not constant, if it is a dictionary and computing the function once per
/// entry is correct (a strict function that raises nothing: unused entries do no harm) and cheaper
/// than once per row.
const Vector* dictionary_argument(const Function& function, std::span<const Vector> args,
                                  const ActiveSet& rows) {
  if (function.raises || function.nulls != Function::Nulls::kStrict) return nullptr;
  const Vector* found = nullptr;
  for (const Vector& arg : args) {
    if (arg.constant) continue;
    if (found != nullptr || arg.form != Vector::Form::kDictionary) return nullptr;
    found = &arg;
  }
  if (found == nullptr || found->dictionary->rows > rows.count()) return nullptr;
  return found;
}

/// The same arguments with the dictionary's entries instead of the rows.
std::vector<Vector> with_entries(std::span<const Vector> args, const Vector& dictionary, Arena& arena) {
  std::vector<Vector> entries(args.begin(), args.end());
  const auto count = static_cast<uint32_t>(dictionary.dictionary->rows);
  entries[static_cast<size_t>(&dictionary - args.data())] = slice(*dictionary.dictionary, 0, count, arena);
  return entries;
}

/// Dictionaries of numbers are expanded: evaluators read plain values.
std::vector<Vector> plain(std::span<const Vector> args, const ActiveSet& rows) {
  std::vector<Vector> result(args.begin(), args.end());
  for (Vector& arg : result) {
    if (arg.form == Vector::Form::kDictionary && !arg.constant) arg = flatten(arg, rows);
  }
  return result;
}

Vector run(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Function& function = *expr.function;
  if (function.evaluate != nullptr) return function.evaluate(expr, args, rows, context);
  return vector_of({function.select(expr, args, rows, context), nullptr}, rows);
}

std::vector<Vector> arguments(const Expr& expr, Columns columns, const ActiveSet& rows,
                              EvalContext& context) {
  std::vector<Vector> args;
  args.reserve(expr.args.size());
  for (const ExprPtr& arg : expr.args) args.push_back(evaluate(*arg, columns, rows, context));
  return args;
}

}  // namespace

Vector apply(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  Arena& arena = rows.arena();
  if (rows.none()) return null_vector(expr.type, arena);
  const bool is_strict = expr.function->nulls == Function::Nulls::kStrict;
  const Strict nulls = is_strict ? strict(args, rows) : Strict{};
  if (nulls.always_null) return null_vector(expr.type, arena);
  if (all_constant(expr, args)) {
    Vector result = run(expr, args, ActiveSet(1, arena), context);
    result.constant = true;
    return result;
  }
  const ActiveSet valid = nulls.validity == nullptr ? rows : rows.narrowed(nulls.validity);
  if (valid.none()) return null_vector(expr.type, arena);

  Vector result;
  if (const Vector* dictionary = dictionary_argument(*expr.function, args, valid)) {
    const ActiveSet entries(static_cast<uint32_t>(dictionary->dictionary->rows), arena);
    const Vector per_entry = run(expr, with_entries(args, *dictionary, arena), entries, context);
    result = gather(per_entry, dictionary->as<uint32_t>(), valid);
  } else {
    result = run(expr, plain(args, rows), valid, context);
  }
  if (nulls.validity != nullptr) {
    if (result.constant) result = flatten(result, valid);
    result.validity = both(result.validity, nulls.validity, rows.rows(), arena);
  }
  return result;
}

Truth apply_condition(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                      EvalContext& context) {
  const Function& function = *expr.function;
  if (function.select == nullptr || rows.none() || all_constant(expr, args)) {
    return truth_of(apply(expr, args, rows, context), rows);
  }
  const bool is_strict = function.nulls == Function::Nulls::kStrict;
  const Strict nulls = is_strict ? strict(args, rows) : Strict{};
  if (nulls.always_null) return truth_of(null_vector(expr.type, rows.arena()), rows);
  const ActiveSet valid = nulls.validity == nullptr ? rows : rows.narrowed(nulls.validity);
  if (valid.none() || dictionary_argument(function, args, valid) != nullptr) {
    return truth_of(apply(expr, args, rows, context), rows);
  }
  Truth truth{function.select(expr, plain(args, rows), valid, context), nullptr};
  if (nulls.validity != nullptr) {
    auto* unknown = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
    for (size_t word = 0; word < bits::words(rows.rows()); ++word) {
      unknown[word] = rows.bitmap()[word] & ~nulls.validity[word];
    }
    truth.unknown = unknown;
  }
  return truth;
}

Vector evaluate_call(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  if (rows.none()) return null_vector(expr.type, rows.arena());
  return apply(expr, arguments(expr, columns, rows, context), rows, context);
}

Truth truth_of_call(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  if (expr.function->form == Function::Form::kNot) {
    const Truth inner = truth(*expr.args[0], columns, rows, context);
    auto* no = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
    for (size_t word = 0; word < bits::words(rows.rows()); ++word) {
      no[word] = rows.bitmap()[word] & ~inner.yes[word] &
                 (inner.unknown == nullptr ? ~uint64_t{0} : ~inner.unknown[word]);
    }
    return {no, inner.unknown};
  }
  const std::vector<Vector> args = arguments(expr, columns, rows, context);
  if (expr.function->truth != nullptr) return expr.function->truth(expr, args, rows, context);
  return apply_condition(expr, args, rows, context);
}

}  // namespace lanewise::expr
