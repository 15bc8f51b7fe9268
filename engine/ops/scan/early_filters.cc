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
      const plan::Node& node = *branch_.steps[at].node;
      if (!visit_step(node, [&](const auto& step) { return pass(step, at); })) return;
      std::vector<size_t> columns = columns_below(node);
      for (size_t& column : columns)
        if (column != plan::kComputed) column = scanned_[column];
      scanned_ = std::move(columns);
    }
  }

  EarlyFilters filters;

 private:
  size_t scanned(const Expr& expr) const {
    return expr.kind == Expr::Kind::kColumn ? scanned_[expr.column] : plan::kComputed;
  }
  bool are_scanned(const Expr& expr) const {
    return std::ranges::all_of(columns_of(expr),
                               [&](size_t column) { return scanned_[column] != plan::kComputed; });
  }

  // What a step needs of the scan's rows. False: what later steps drop matters to it.
  bool pass(const plan::Filter& filter, size_t) {
    if (are_scanned(*filter.predicate)) filters.predicates.push_back(remap(filter.predicate, scanned_));
    return true;
  }
  bool pass(const OneOf<plan::Project, plan::ScalarJoin, plan::Unnest> auto&, size_t) { return true; }
  bool pass(const plan::Join& join, size_t at) {
    if (plan::needs_match(join.kind) && !join.keys.empty()) {
      NeededMatch match{at, {}};
      for (const plan::JoinKey& key : join.keys) match.columns.push_back(scanned(*key.left));
      filters.matches.push_back(std::move(match));
    }
    // Rows mark their matches, or raise an error if there are several.
    return !plan::asks_right(join.kind) && join.message.empty();
  }

  const plan::Branch& branch_;
  std::vector<size_t> scanned_;  // which of the scan's columns a step's column is
};

const plan::Join& join_of(const plan::StepSpec& step) { return std::get<plan::Join>(step.node->payload); }

/// Rows with keys in a build side.
class SemiJoin : public Step {
 public:
  SemiJoin(const plan::Join& join, const NeededMatch& match, const Schema& left, const Schema& right,
           std::shared_ptr<const Build> build) {
    join_.kind = plan::JoinKind::kSemi;
    for (size_t k = 0; k < join.keys.size(); ++k) {
      const plan::JoinKey& key = join.keys[k];
      join_.keys.push_back({column(match.columns[k], key.left->type), key.right, key.null_is_equal});
    }
    join_.left.resize(left.size());
    std::iota(join_.left.begin(), join_.left.end(), size_t{0});
    probe_ = make_probe(join_, left, right, std::move(build)).step;
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

/// A rough time per row, in units of a probe of an array that lies in a cache.
double time_of(const Build& build) {
  constexpr uint32_t kCached = 1 << 16;
  const bool searches = build.lookup != nullptr && !build.lookup->is_array();
  return (searches ? 3 : 1) + (build.rows > kCached ? 2 : 0);
}
double time_of(const Expr& expr) {
  constexpr double kComparison = 0.1;
  return kComparison * expr::cost(expr);
}
double time_of(const plan::StepSpec& step, const Build* build) {
  if (build != nullptr) return time_of(*build) * (build->unique() ? 1 : 2);
  return visit_step(
      *step.node, [](const plan::Filter& filter) { return time_of(*filter.predicate); },
      [](const plan::Project& project) {
        double sum = 0;
        for (const ExprPtr& expr : project.exprs)
          sum += expr->kind == Expr::Kind::kColumn ? 0 : time_of(*expr);
        return sum;
      },
      [](const OneOf<plan::ScalarJoin, plan::Join, plan::Unnest> auto&) { return 1.0; });
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
std::optional<KeyRange> key_range(const plan::Join& join, const Build& build, size_t k) {
  constexpr uint32_t kMostRead = 1 << 20;
  const Type type = build.keys[k]->type;
  if (join.keys[k].null_is_equal) return std::nullopt;
  if (join.keys.size() == 1) return build.lookup->range();
  if (build.rows > kMostRead || type.is_string() || type.is_float()) return std::nullopt;
  Bounds bounds = bounds_of(*build.keys[k], 0, build.rows);
  if (!bounds.known) return std::nullopt;
  return KeyRange{std::move(bounds.low), std::move(bounds.high)};
}

std::vector<ExprPtr> within_ranges(const NeededMatch& match, const plan::Join& join) {
  std::vector<ExprPtr> within;
  for (size_t k = 0; k < join.keys.size(); ++k) {
    if (match.columns[k] == plan::kComputed) continue;
    const auto range = key_range(join, *match.build, k);
    if (range) add_within(within, column(match.columns[k], join.keys[k].left->type), *range);
  }
  return within;
}

/// The column is one of a few keys; null: there are more, or several columns.
ExprPtr listed(const NeededMatch& match, const plan::Join& join) {
  constexpr uint32_t kMostListed = 256;
  const Build& build = *match.build;
  const bool one = match.columns.size() == 1 && match.all_scanned() && !join.keys[0].null_is_equal;
  if (!one || build.rows > kMostListed) return nullptr;
  std::vector<ExprPtr> values;
  for (uint32_t row = 0; row < build.rows; ++row)
    if (!build.keys[0]->is_null(row)) values.push_back(literal(build.keys[0]->value(row)));
  if (values.empty()) return literal(Value::boolean(false));
  return in_list(column(match.columns[0], join.keys[0].left->type), std::move(values));
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
    const plan::Join& join = join_of(branch.steps[match.step]);
    match.within = within_ranges(match, join);
    std::vector<ExprPtr>& predicates = filters.predicates;
    if (ExprPtr few = listed(match, join)) {
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
  for (const plan::StepSpec& step : branch.steps) costs.push_back(time_of(step, build_of(step).get()));
  std::vector<Candidate> candidates;
  const auto add = [&](const NeededMatch& match, std::unique_ptr<Step> step, const char* kind, double time) {
    Candidate candidate{match.step, std::move(step), kind, 1, time};
    std::vector<size_t> read;
    for (const size_t column : match.columns) {
      if (column == plan::kComputed) continue;
      read.push_back(column);
      candidate.name += (read.size() == 1 ? " " : ", ") + branch.schema[column].name;
    }
    if (can_sample) candidate.share = share_of_sample(*candidate.step, read, columns, options);
    shares[match.step] = std::min(shares[match.step], candidate.share);
    candidates.push_back(std::move(candidate));
  };
  for (const NeededMatch& match : matches) {
    const plan::StepSpec& step = branch.steps[match.step];
    if (match.all_scanned()) {
      const Schema& right = step.node->children[1]->schema;
      add(match, std::make_unique<SemiJoin>(join_of(step), match, branch.schema, right, match.build),
          "semi join on", time_of(*match.build));
    }
    if (match.within.empty()) continue;
    double time = 0;
    for (const ExprPtr& one : match.within) time += time_of(*one);
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
