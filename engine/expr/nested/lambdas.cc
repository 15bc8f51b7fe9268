#include <algorithm>

#include "base/error.h"
#include "expr/conversion_error.h"
#include "expr/evaluation/evaluate.h"
#include "expr/nested/functions.h"
#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"

/// Functions of a list and an expression over its elements, Expr::lambda, whose columns are its parameters,
/// the last one first, then the call's arguments after the list.
namespace lanewise::expr {

namespace lambdas {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

/// The numbers of elements within their lists, from 1 on.
Vector numbers_of(const Elements& elements, const ActiveSet& rows) {
  int64_t* numbers;
  Vector result = new_vector<int64_t>(TypeId::kInt64, elements.count, rows.arena(), numbers);
  rows.for_each([&](uint32_t row) {
    for (uint32_t i = elements.starts[row]; i < elements.starts[row + 1]; ++i)
      numbers[i] = i - elements.starts[row] + 1;
  });
  return result;
}

/// What the lambda reads for all elements.
std::vector<Vector> columns_for(const Expr& expr, Args args, const Elements& elements,
                                const ActiveSet& rows) {
  std::vector<Vector> columns;
  if (expr.lambda_index) columns.push_back(numbers_of(elements, rows));
  columns.push_back(elements.values);
  const uint32_t* row_of = rows_of(elements, rows);
  for (const Vector& arg : args.subspan(1)) {
    const Vector plain =
        arg.form == Vector::Form::kDictionary && !arg.type.is_string() ? flatten(arg, rows) : arg;
    columns.push_back(repeated(plain, row_of, elements.count, rows.arena()));
  }
  return columns;
}

/// The lambda's values; what a cast in it cannot convert is of an element, not of a row.
Vector body(const Expr& expr, Args columns, const ActiveSet& elements, EvalContext& context) {
  try {
    return evaluate(*expr.lambda, columns, elements, context);
  } catch (const ConversionError& error) {
    throw ConversionError(error.what());
  }
}

/// Rows whose list is there.
ActiveSet present(const Vector& lists, const ActiveSet& rows) {
  if (lists.validity == nullptr) return rows;
  if (!lists.constant) return rows.narrowed(lists.validity);
  ActiveSet none = rows;
  if (lists.is_null(0)) none.truncate(0);
  return none;
}

const uint64_t* validity_of(const Vector& lists, const ActiveSet& rows) {
  if (lists.validity == nullptr) return nullptr;
  return lists.constant ? present(lists, rows).bitmap() : lists.validity;
}

Vector transform(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  const ActiveSet there = present(args[0], rows);
  const Elements elements = elements_of(args[0], there);
  const ActiveSet all(elements.count, rows.arena());
  Vector values = null_vector(expr.type.element(), rows.arena());
  if (!all.none()) values = flatten(body(expr, columns_for(expr, args, elements, there), all, context), all);
  Vector result = lists_of(expr.type, values, elements.starts, there);
  result.validity = validity_of(args[0], rows);
  return result;
}

Vector filter(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  const ActiveSet there = present(args[0], rows);
  const Elements elements = elements_of(args[0], there);
  const ActiveSet all(elements.count, rows.arena());
  const uint64_t* keep = nullptr;
  if (!all.none())
    keep = truth_of(body(expr, columns_for(expr, args, elements, there), all, context), all).yes;
  const SlotWriter slots(elements.values);
  Vector result = packed_rows(expr.type, there, [&](uint32_t row, packed::Writer& to) {
    for (uint32_t i = elements.starts[row]; i < elements.starts[row + 1]; ++i) {
      if (bits::test(keep, i)) slots.append(i, to);
    }
    to.end();
  });
  result.validity = validity_of(args[0], rows);
  return result;
}

/// Step by step, all rows that still have an element at once. args[1] is where it begins, if Expr::lambda has
/// a start.
Vector reduce(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  const ActiveSet there = present(args[0], rows);
  Arena& arena = rows.arena();
  const Elements elements = elements_of(args[0], there);
  const size_t start = expr.lambda_start ? 1 : 0;
  uint32_t longest = 0;
  there.for_each([&](uint32_t row) {
    const uint32_t count = elements.starts[row + 1] - elements.starts[row];
    if (count == 0 && start == 0) throw UserError("Cannot perform list_reduce on an empty input list");
    longest = std::max(longest, count);
  });
  auto* at = arena.allocate<uint32_t>(rows.rows());
  const auto elements_at = [&](uint32_t step, const ActiveSet& active) {
    active.for_each([&](uint32_t row) { at[row] = elements.starts[row] + step; });
    return gather(elements.values, at, active);
  };
  Vector state = start == 1     ? flatten(args[1], there)
                 : there.none() ? null_vector(expr.type, arena)
                                : elements_at(0, there);
  for (uint32_t step = start == 1 ? 0 : 1; step < longest; ++step) {
    auto* goes_on = arena.allocate<uint64_t>(bits::words(rows.rows()) + 1);
    std::fill_n(goes_on, bits::words(rows.rows()) + 1, 0);
    there.for_each([&](uint32_t row) {
      if (elements.starts[row + 1] - elements.starts[row] > step) bits::set(goes_on, row);
    });
    const ActiveSet active = there.narrowed(goes_on);
    std::vector<Vector> columns;
    if (expr.lambda_index) columns.push_back(constant(Value::int64(int64_t{step} + 1), arena));
    columns.push_back(elements_at(step, active));
    columns.push_back(state);
    for (const Vector& arg : args.subspan(1 + start)) columns.push_back(arg);
    Merger merger(expr.type, there);
    merger.put(body(expr, columns, active, context), active);
    auto* ended = arena.allocate<uint64_t>(bits::words(rows.rows()) + 1);
    for (size_t word = 0; word < bits::words(rows.rows()); ++word) ended[word] = ~active.bitmap()[word];
    merger.put(state, there.narrowed(ended));
    state = merger.finish();
  }
  Vector result = state.constant ? flatten(state, there) : state;
  result.validity = both(result.validity, validity_of(args[0], rows), rows.rows(), arena);
  return result;
}

// The references evaluate the lambda element by element.

ValueList inputs(const Expr& expr, int64_t number, ValueList own, Given args, size_t first) {
  ValueList row;
  if (expr.lambda_index) row.push_back(Value::int64(number));
  row.insert(row.end(), own.begin(), own.end());
  row.insert(row.end(), args.begin() + static_cast<ptrdiff_t>(first), args.end());
  return row;
}

Value transform_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  ValueList results;
  int64_t number = 0;
  for (const Value& element : packed::unpack(args[0]))
    results.push_back(evaluate_reference(*expr.lambda, inputs(expr, ++number, {element}, args, 1)));
  return packed::pack(expr.type, results);
}

Value filter_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  ValueList kept;
  int64_t number = 0;
  for (const Value& element : packed::unpack(args[0])) {
    if (evaluate_reference(*expr.lambda, inputs(expr, ++number, {element}, args, 1)).is_true())
      kept.push_back(element);
  }
  return packed::pack(expr.type, kept);
}

Value reduce_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  const ValueList elements = packed::unpack(args[0]);
  const size_t start = expr.lambda_start ? 1 : 0;
  if (elements.empty() && start == 0) throw UserError("Cannot perform list_reduce on an empty input list");
  Value state = start == 1 ? args[1] : elements[0];
  for (size_t i = 1 - start; i < elements.size(); ++i)
    state = evaluate_reference(
        *expr.lambda, inputs(expr, static_cast<int64_t>(i) + 1, {elements[i], state}, args, 1 + start));
  return state;
}

/// Who builds the call says what it gives (call_lambda()).
std::optional<Type> resolve(Types args) {
  return !args.empty() && is_list(args[0]) ? std::optional(args[0]) : std::nullopt;
}

constexpr Function::Nulls kOwn = Function::Nulls::kOwn;
constexpr Function kLambdaFunctions[] = {
    {.name = "list_transform",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve,
     .evaluate = transform,
     .reference = transform_reference,
     .documentation = "A list of the values that the lambda gives for the elements.",
     .example = "list_transform([1, 2, 3], lambda x: x * 10)"},
    {.name = "list_filter",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve,
     .evaluate = filter,
     .reference = filter_reference,
     .documentation = "The elements for which the lambda is true.",
     .example = "list_filter([1, 2, 3], lambda x: x > 1)"},
    {.name = "list_reduce",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve,
     .evaluate = reduce,
     .reference = reduce_reference,
     .documentation = "The last value of the lambda, which is given its value so far and the next element.",
     .example = "list_reduce([1, 2, 3], lambda sum, x: sum + x)"},
};

}  // namespace

}  // namespace lambdas

std::span<const Function> lambda_functions() { return lambdas::kLambdaFunctions; }

}  // namespace lanewise::expr
