#include "ops/scan/early_filters.h"

#include <algorithm>
#include <numeric>

#include "expr/functions/build.h"
#include "ops/scan/bounds/bounds.h"

namespace lanewise::ops {

namespace {

/// Follows the scan's columns through the steps of its branch.
class StepWalk {
 public:
  StepWalk(const plan::Scan& scan, const plan::Branch& branch)
      : branch_(branch), scanned_(scan.columns.size()) {
    filters.predicates = scan.predicates;
    std::iota(scanned_.begin(), scanned_.end(), size_t{0});
  }

  void run() {
    for (size_t at = 0; at < branch_.steps.size(); ++at) {
      const plan::StepSpec& step = branch_.steps[at];
      const StepOperator& step_operator = ops::step_operator(*step.node);
      const RowNeeds needs = step_operator.needs(step);
      add(needs, at);
      if (needs.sees_all) return;
      std::vector<size_t> columns = step_operator.columns(step).below;
      for (size_t& column : columns)
        if (column != kComputed) column = scanned_[column];
      scanned_ = std::move(columns);
    }
  }

  EarlyFilters filters;

 private:
  size_t scanned(const Expr& expr) const {
    return expr.kind == Expr::Kind::kColumn ? scanned_[expr.column] : kComputed;
  }
  bool are_scanned(const Expr& expr) const {
    return std::ranges::all_of(columns_of(expr),
                               [&](size_t column) { return scanned_[column] != kComputed; });
  }

  // Adds what step number `at` needs.
  void add(const RowNeeds& needs, size_t at) {
    for (const ExprPtr& predicate : needs.predicates)
      if (are_scanned(*predicate)) filters.predicates.push_back(remap(predicate, scanned_));
    if (!needs.match || needs.keys.empty()) return;
    NeededMatch match{at, needs.keys, {}};
    for (const plan::JoinKey& key : match.keys) match.columns.push_back(scanned(*key.left));
    filters.matches.push_back(std::move(match));
  }

  const plan::Branch& branch_;
  std::vector<size_t> scanned_;  // which of the scan's columns a step's column is
};

/// The least and the greatest key number `k`, if they are known or found at little cost.
std::optional<KeyRange> key_range(const NeededMatch& match, size_t k) {
  constexpr uint32_t kMostRead = 1 << 20;
  const Build& build = *match.build;
  const Type type = build.keys[k]->type;
  if (match.keys[k].null_is_equal) return std::nullopt;
  if (match.keys.size() == 1) return build.lookup->range();
  if (build.rows > kMostRead || type.is_string() || type.is_float()) return std::nullopt;
  Bounds bounds = bounds_of(*build.keys[k], 0, build.rows);
  if (!bounds.known) return std::nullopt;
  return KeyRange{std::move(bounds.low), std::move(bounds.high)};
}

std::vector<ExprPtr> within_ranges(const NeededMatch& match) {
  std::vector<ExprPtr> within;
  for (size_t k = 0; k < match.keys.size(); ++k) {
    if (match.columns[k] == kComputed) continue;
    const auto range = key_range(match, k);
    if (range) add_within(within, column(match.columns[k], match.keys[k].left->type), *range);
  }
  return within;
}

/// The column is one of a few keys; null: there are more, or several columns.
ExprPtr listed(const NeededMatch& match) {
  constexpr uint32_t kMostListed = 256;
  const Build& build = *match.build;
  const bool one = match.columns.size() == 1 && match.all_scanned() && !match.keys[0].null_is_equal;
  if (!one || build.rows > kMostListed) return nullptr;
  std::vector<ExprPtr> values;
  for (uint32_t row = 0; row < build.rows; ++row)
    if (!build.keys[0]->is_null(row)) values.push_back(literal(build.keys[0]->value(row)));
  if (values.empty()) return literal(Value::boolean(false));
  return in_list(column(match.columns[0], match.keys[0].left->type), std::move(values));
}

}  // namespace

EarlyFilters early_filters(const plan::Scan& scan, const plan::Branch& branch) {
  StepWalk walk(scan, branch);
  walk.run();
  return std::move(walk.filters);
}

void add_within(std::vector<ExprPtr>& predicates, const ExprPtr& value, const KeyRange& range) {
  predicates.push_back(call(">=", {value, literal(range.least)}));
  predicates.push_back(call("<=", {value, literal(range.greatest)}));
}

void read_builds(EarlyFilters& filters, const plan::Branch& branch, const BuildOf& build_of) {
  for (NeededMatch& match : filters.matches) match.build = build_of(branch.steps[match.step]);
  std::erase_if(filters.matches, [](const NeededMatch& match) {
    return match.build == nullptr || match.build->lookup == nullptr;
  });
  for (NeededMatch& match : filters.matches) {
    match.within = within_ranges(match);
    std::vector<ExprPtr>& predicates = filters.predicates;
    if (ExprPtr few = listed(match)) {
      predicates.push_back(std::move(few));
    } else {
      predicates.insert(predicates.end(), match.within.begin(), match.within.end());
    }
  }
}

}  // namespace lanewise::ops
