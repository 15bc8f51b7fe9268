#include "ops/scan/bounds/needed_ranges.h"

#include <algorithm>
#include <utility>

#include "expr/vectors/comparison.h"

namespace lanewise::ops {

namespace {

using kernels::Comparison;

/// Whether both are of one type whose values are in order.
bool bounds_column(const Expr& column, const Expr& constant) {
  return column.kind == Expr::Kind::kColumn && constant.kind == Expr::Kind::kLiteral &&
         constant.type == column.type && !constant.literal.is_null();
}

NeededRange& range_of(std::vector<NeededRange>& ranges, size_t column) {
  const auto found = std::ranges::find(ranges, column, &NeededRange::column);
  return found != ranges.end() ? *found : ranges.emplace_back(NeededRange{column, {}, {}});
}

void narrow(NeededRange& range, const Value* least, const Value* greatest) {
  if (least != nullptr && (range.least.is_null() || compare(*least, range.least) > 0)) range.least = *least;
  if (greatest != nullptr && (range.greatest.is_null() || compare(*greatest, range.greatest) < 0))
    range.greatest = *greatest;
}

void add_comparison(const Expr& call, std::vector<NeededRange>& ranges) {
  auto op = expr::comparison_of(call.function->form);
  if (!op || call.args.size() != 2) return;
  const Expr *column = call.args[0].get(), *constant = call.args[1].get();
  if (constant->kind == Expr::Kind::kColumn) {
    std::swap(column, constant);
    op = expr::mirrored(*op);
  }
  if (!bounds_column(*column, *constant)) return;
  const bool least = op == Comparison::eq || op == Comparison::ge || op == Comparison::gt;
  const bool greatest = op == Comparison::eq || op == Comparison::le || op == Comparison::lt;
  if (!least && !greatest) return;
  narrow(range_of(ranges, column->column), least ? &constant->literal : nullptr,
         greatest ? &constant->literal : nullptr);
}

void add_list(const Expr& in, std::vector<NeededRange>& ranges) {
  const Value *least = nullptr, *greatest = nullptr;
  for (size_t i = 1; i < in.args.size(); ++i) {
    if (!bounds_column(*in.args[0], *in.args[i])) return;
    const Value& value = in.args[i]->literal;
    if (least == nullptr || compare(value, *least) < 0) least = &value;
    if (greatest == nullptr || compare(value, *greatest) > 0) greatest = &value;
  }
  if (least != nullptr) narrow(range_of(ranges, in.args[0]->column), least, greatest);
}

}  // namespace

std::vector<NeededRange> needed_ranges(const std::vector<ExprPtr>& predicates) {
  std::vector<NeededRange> ranges;
  for (const ExprPtr& predicate : predicates) {
    if (predicate->kind == Expr::Kind::kCall) add_comparison(*predicate, ranges);
    if (predicate->kind == Expr::Kind::kIn) add_list(*predicate, ranges);
  }
  return ranges;
}

}  // namespace lanewise::ops
