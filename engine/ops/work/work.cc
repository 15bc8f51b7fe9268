#include "ops/work/work.h"

#include <algorithm>
#include <cmath>

#include "expr/codegen/traits.h"
#include "expr/functions/predicates.h"
#include "expr/patterns/prepared_pattern.h"
#include "text/forms/form.h"

namespace lanewise::ops {

double usual_bytes(Type type) {
  return type.is_string() ? 4 + kUsualText : static_cast<double>(width(type.physical()));
}

double usual_bytes(const Schema& schema) {
  double bytes = 0;
  for (const Field& field : schema) bytes += usual_bytes(field.type);
  return bytes;
}

double words(Type type) {
  return std::ceil((type.is_string() ? kUsualText : usual_bytes(type)) / kWordBytes);
}

BranchWork::BranchWork(const InputSize& size, Work& work)
    : work_(work), all_(size.rows), rows_(size.rows), text_(size.text) {
  work.rows += size.rows;
  work.scanned += size.fixed;
  work.missing += size.missing;
  work.fetched += size.fetched;
}

void BranchWork::evaluate(const std::vector<ExprPtr>& exprs) {
  for (const ExprPtr& expr : exprs) {
    if (expr != nullptr) evaluate(*expr);
  }
}

void BranchWork::narrow(const std::vector<ExprPtr>& predicates) {
  for (const ExprPtr& predicate : expr::order_by_cost(expr::conjuncts(predicates))) {
    evaluate(*predicate);
    rows_ *= kPasses;
  }
}

void BranchWork::look_up(double words, double build_rows) {
  work_.lookups.push_back({rows_ * words, build_rows});
}

void BranchWork::evaluate(const Expr& expr) {
  double cost = expr::cost(expr);
  walk(expr, [&](const Expr& part) {
    if (expr::is_match(part)) {
      cost -= expr::cost(part);
      match(static_cast<const expr::PreparedPattern&>(*part.prepared));
      return;
    }
    for (const ExprPtr& arg : part.args) {
      if (arg->type.is_string() && arg->kind == Expr::Kind::kColumn) work_.scanned += rows_ * text_;
    }
  });
  work_.computed += rows_ * cost;
}

void BranchWork::match(const expr::PreparedPattern& prepared) {
  constexpr double kSector = 32;  // bytes fetched by one access
  using text::forms::GpuCost;
  switch (text::forms::gpu_form(prepared.pattern().compiled(), rows_ == all_).gpu->cost) {
    case GpuCost::kEnds:
      work_.scanned += rows_ * std::min(kSector, text_);
      break;
    case GpuCost::kText:
      work_.searched += rows_ * text_;
      break;
    case GpuCost::kSteps:
      work_.walked += rows_ * text_;
      break;
  }
}

/// If DuckDB has no statistics of the keys, it assumes half of the rows.
double groups_of(const plan::Node& sink, double rows) {
  const double told = sink.estimated_rows;
  const bool is_known = told >= 0 && std::abs(told - sink.children[0]->estimated_rows / 2) > 1;
  return std::clamp(is_known ? told : rows / kRowsOfGroup, std::min(rows, 1.0), rows);
}

void add_groups(Work& work, const plan::Node& sink, double rows, double words_of_row) {
  if (words_of_row == 0) return;
  work.grouped += rows * words_of_row;
  work.groups = groups_of(sink, rows);
}

double limited(double rows, int64_t limit, int64_t offset) {
  const double left = std::max(0.0, rows - static_cast<double>(offset));
  return limit < 0 ? left : std::min(left, static_cast<double>(limit));
}

}  // namespace lanewise::ops
