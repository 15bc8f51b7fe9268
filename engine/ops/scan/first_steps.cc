#include "ops/scan/first_steps.h"

#include <algorithm>
#include <numeric>

#include "expr/functions/predicates.h"
#include "ops/filter/filter.h"
#include "ops/join/probe.h"
#include "ops/scan/stored_input.h"

namespace lanewise::ops {

namespace {

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

}  // namespace

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
