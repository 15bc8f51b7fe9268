#include "ops/scan/early_filters.h"

#include <algorithm>
#include <numeric>

#include "expr/functions/build.h"
#include "expr/functions/predicates.h"
#include "ops/filter/filter.h"
#include "ops/join/probe.h"
#include "ops/scan/stored_input.h"

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

/// Rows with keys in a build side.
class SemiJoin : public Step {
 public:
  SemiJoin(const NeededMatch& match, const Schema& left, const Schema& right) {
    join_.kind = plan::JoinKind::kSemi;
    for (size_t k = 0; k < match.keys.size(); ++k) {
      const plan::JoinKey& key = match.keys[k];
      join_.keys.push_back({column(match.columns[k], key.left->type), key.right, key.null_is_equal});
    }
    join_.left.resize(left.size());
    std::iota(join_.left.begin(), join_.left.end(), size_t{0});
    probe_ = make_probe(join_, left, right, match.build).step;
  }
  void run(Chunk& chunk, EvalContext& context) const override { probe_->run(chunk, context); }

 private:
  plan::Join join_;
  std::unique_ptr<Step> probe_;
};

/// The stored column from this row on.
Span from_row(const std::vector<StoredChunk>& chunks, int64_t row) {
  size_t chunk = 0;
  while (row >= chunks[chunk].column->rows) row -= chunks[chunk++].column->rows;
  return {chunks[chunk].column, row};
}

/// The share of rows that pass the step, of some rows here and there. It reads the columns `read`.
double share_of_sample(const Step& step, const std::vector<size_t>& read,
                       const std::vector<ColumnStore::Chunks>& columns, const Options& options) {
  constexpr int64_t kBlocks = 16, kBlockRows = 256;
  const int64_t distance = (rows_of(*columns[0]) - kBlockRows) / (kBlocks - 1);
  uint64_t seen = 0, kept = 0;
  for (int64_t block = 0; block < kBlocks; ++block) {
    Arena arena(options.budget, "Scratch memory");
    EvalContext context = context_for(options, arena);
    int64_t rows = kBlockRows;
    std::vector<Span> spans;
    for (const size_t column : read) {
      const Span& span = spans.emplace_back(from_row(*columns[column], distance * block));
      rows = std::min(rows, span.column->rows - span.first);
    }
    const auto count = static_cast<uint32_t>(rows);
    Chunk chunk{0, count, std::vector<Vector>(columns.size()), ActiveSet(count, arena)};
    for (size_t i = 0; i < read.size(); ++i)
      chunk.columns[read[i]] = slice(*spans[i].column, spans[i].first, count, arena);
    step.run(chunk, context);
    seen += count;
    kept += chunk.active.count();
  }
  return static_cast<double>(kept) / static_cast<double>(seen);
}

/// A step that may be run early.
struct Candidate {
  size_t of;  ///< the branch's step whose rows it finds
  std::unique_ptr<Step> step;
  std::string name;
  double share, cost;
};

/// The time per row of the scan if these candidates are run before the steps. Each row that a candidate drops
/// would be dropped by its step: if the range of a key leaves half of the rows, and its semi join a tenth,
/// the semi join leaves a fifth of those within the range.
double time_with(const std::vector<const Candidate*>& early, const std::vector<double>& costs,
                 const std::vector<double>& shares) {
  double time = 0, left = 1;
  std::vector<double> done(shares.size(), 1);  // the share that is left of a step's rows
  const auto pass = [&](size_t step, double step_cost, double share) {
    time += left * step_cost;
    if (share >= done[step]) return;
    left *= share / done[step];
    done[step] = share;
  };
  for (const Candidate* candidate : early) pass(candidate->of, candidate->cost, candidate->share);
  for (size_t step = 0; step < costs.size(); ++step) pass(step, costs[step], shares[step]);
  return time;
}

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

FirstSteps first_steps(const std::vector<NeededMatch>& matches, const plan::Branch& branch,
                       const BuildOf& build_of, const std::vector<ColumnStore::Chunks>& columns,
                       const Options& options) {
  constexpr int64_t kFewRows = 1 << 16;
  constexpr double kGain = 0.9;  // the estimate is rough
  const bool can_sample = !columns.empty() && rows_of(*columns[0]) >= kFewRows;
  if (matches.empty() || !(can_sample || options.semi_joins_first)) return {};
  std::vector<double> costs, shares(branch.steps.size(), 1);
  for (const plan::StepSpec& step : branch.steps)
    costs.push_back(step_operator(*step.node).time(step, {.build = build_of(step)}));
  std::vector<Candidate> candidates;
  const auto add = [&](const NeededMatch& match, std::unique_ptr<Step> step, const char* kind, double time) {
    Candidate candidate{match.step, std::move(step), kind, 1, time};
    std::vector<size_t> read;
    for (const size_t column : match.columns) {
      if (column == kComputed) continue;
      read.push_back(column);
      candidate.name += (read.size() == 1 ? " " : ", ") + branch.schema[column].name;
    }
    if (can_sample) candidate.share = share_of_sample(*candidate.step, read, columns, options);
    shares[match.step] = std::min(shares[match.step], candidate.share);
    candidates.push_back(std::move(candidate));
  };
  for (const NeededMatch& match : matches) {
    if (match.all_scanned()) {
      const Schema& right = branch.steps[match.step].node->children[1]->schema;
      add(match, std::make_unique<SemiJoin>(match, branch.schema, right), "semi join on",
          match.build->lookup_time());
    }
    if (match.within.empty()) continue;
    double time = 0;
    for (const ExprPtr& one : match.within) time += expr::cost(*one);
    add(match, std::make_unique<Filter>(match.within), "range of", time);
  }
  std::ranges::stable_sort(candidates, {},
                           [](const Candidate& one) { return one.cost / (1.001 - one.share); });
  FirstSteps chosen;
  std::vector<const Candidate*> early;
  for (Candidate& candidate : candidates) {
    const double before = time_with(early, costs, shares);
    early.push_back(&candidate);
    if (!options.semi_joins_first && time_with(early, costs, shares) > kGain * before) {
      early.pop_back();
      continue;
    }
    chosen.steps.push_back(std::move(candidate.step));
    chosen.names += (chosen.names.empty() ? "" : "; ") + candidate.name;
  }
  return chosen;
}

}  // namespace lanewise::ops
