#include "sql/translate/first_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "expr/function.h"
#include "ops/window/functions.h"

namespace lanewise::sql {

namespace {

constexpr int64_t kMost = 1024;  // beyond, a sort is as fast

/// Whether the call's value depends on no rows that follow its own and differ in order.
bool looks_back(const plan::WindowCall& call) {
  const ops::NamedWindowFunction* function = ops::find_window_function(call.call.function);
  return function != nullptr && function->looks_back && call.call.order.empty();
}

/// Whether its value is more than n for rows that follow n others.
bool counts_rows(const plan::WindowCall& call) {
  const ops::NamedWindowFunction* function = ops::find_window_function(call.call.function);
  return function != nullptr && function->counts_rows;
}

std::optional<int64_t> whole_number(const Expr& expr) {
  if (expr.kind != Expr::Kind::kLiteral || expr.type != TypeId::kInt64 || expr.literal.is_null()) return {};
  return static_cast<int64_t>(expr.literal.integer());
}

/// The largest value of column `column` that satisfies the predicate, if that is known.
std::optional<int64_t> greatest(const Expr& predicate, size_t column) {
  if (predicate.kind == Expr::Kind::kAnd) {
    std::optional<int64_t> least;
    for (const ExprPtr& arg : predicate.args) {
      const auto one = greatest(*arg, column);
      if (one) least = std::min(least.value_or(*one), *one);
    }
    return least;
  }
  if (predicate.kind != Expr::Kind::kCall || predicate.args.size() != 2) return {};
  const bool swapped = predicate.args[0]->kind == Expr::Kind::kLiteral;
  const Expr& value = *predicate.args[swapped];
  const auto bound = whole_number(*predicate.args[!swapped]);
  if (!bound || value.kind != Expr::Kind::kColumn || value.column != column) return {};
  using Form = Function::Form;
  const Form form = predicate.function->form;
  if (form == Form::kEqual || form == (swapped ? Form::kAtLeast : Form::kAtMost)) return bound;
  if (form == (swapped ? Form::kGreater : Form::kLess) && *bound > INT64_MIN) return *bound - 1;
  return {};
}

}  // namespace

plan::NodePtr with_first_rows(plan::NodePtr input, const std::vector<ExprPtr>& predicates) {
  const auto* window = std::get_if<plan::Window>(&input->payload);
  if (window == nullptr || window->order.empty() || !std::ranges::all_of(window->calls, looks_back))
    return input;
  const size_t before = input->schema.size() - window->calls.size();
  std::optional<int64_t> rows;
  for (size_t i = 0; i < window->calls.size(); ++i) {
    if (!counts_rows(window->calls[i])) continue;
    for (const ExprPtr& predicate : predicates) {
      const auto one = greatest(*predicate, before + i);
      if (one) rows = std::min(rows.value_or(*one), *one);
    }
  }
  if (!rows || *rows > kMost) return input;
  return plan::with_first_rows(input, static_cast<uint32_t>(std::max<int64_t>(*rows, 1)));
}

}  // namespace lanewise::sql
