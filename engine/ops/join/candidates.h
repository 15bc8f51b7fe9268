#pragma once

#include "ops/join/pairs.h"
#include "ops/step.h"
#include "ops/take.h"

namespace lanewise::ops {

/// Shared by all probes: the join, its build side, and how to find a chunk's candidates.
class Candidates {
 public:
  Candidates(const plan::Join& join, const Schema& left, const Schema& right,
             std::shared_ptr<const Build> build);

  const plan::Join& join() const { return join_; }
  const Build& build() const { return *build_; }
  const ExprPtr& condition() const { return columns_.condition; }
  /// Whether a row finds one row of the build side at most, by its keys alone: find_rows().
  bool finds_rows() const { return build_->unique() && !join_.range; }

  /// The run of each active row of the chunk; 0 rows if a key is NULL.
  Runs find(const Chunk& chunk, EvalContext& context) const;
  /// matches[row] of each active row is the row that it finds, its value if the lookup holds values, or
  /// kNoRow. `found` has the bits of rows with a match.
  struct Matches {
    uint32_t* matches;
    uint64_t* found;
  };
  Matches find_rows(const Chunk& chunk, EvalContext& context) const;
  /// Columns to evaluate `expr`, such as the condition, for pairs: rows[i] of the chunk, and
  /// matches[i] of the build side. Columns that it does not read are empty. The build side's keys follow its
  /// kept columns.
  std::vector<Vector> columns_for(const Expr& expr, const Chunk& chunk, const uint32_t* rows,
                                  const uint32_t* matches, const ActiveSet& pairs) const;
  /// Calls f(rows, matches, pairs) for all pairs of the chunk's rows and their runs, in blocks, whether
  /// the condition holds or not. Rows whose bit is set in `done`, which may be null, are skipped.
  template <class F>
  void for_pairs(const Chunk& chunk, Runs runs, const uint64_t* done, EvalContext& context, F f) const;

  /// The same for the pairs for which the condition holds.
  template <class F>
  void for_matches(const Chunk& chunk, Runs runs, const uint64_t* done, EvalContext& context, F f) const {
    for_pairs(chunk, runs, done, context,
              [&](const uint32_t* rows, const uint32_t* matches, ActiveSet pairs) {
                if (const Expr* const holds = condition().get()) {
                  const auto columns = columns_for(*holds, chunk, rows, matches, pairs);
                  pairs = narrow(*holds, columns, pairs, context);
                }
                f(rows, matches, pairs);
              });
  }

  /// Appends the output's columns of the build side for rows matches[i], or NULL.
  void append_right(const uint32_t* matches, const ActiveSet& active, std::vector<Vector>& columns) const;
  /// The same for what find_rows() found, which may be values.
  void append_right(const Matches& found, const ActiveSet& active, std::vector<Vector>& columns) const;
  size_t kept_columns() const { return columns_.kept.size(); }
  /// Appends NULLs as the output's columns of the build side.
  void append_right_nulls(Arena& arena, std::vector<Vector>& columns) const;
  /// Marks rows of the build side as matched.
  void mark(const uint32_t* matches, const ActiveSet& pairs) const;
  void mark_runs(Runs runs, const ActiveSet& rows) const;

 private:
  /// The same by the keys only.
  Runs find_keys(const Chunk& chunk, EvalContext& context) const;
  /// The values of the keys, and the rows in which none is a NULL that finds nothing.
  std::pair<std::vector<Vector>, ActiveSet> keys_of(const Chunk& chunk, EvalContext& context) const;

  const plan::Join& join_;
  size_t left_columns_;
  JoinColumns columns_;
  std::shared_ptr<const Build> build_;
};

inline constexpr uint32_t kPairs = 8192;

template <class F>
void Candidates::for_pairs(const Chunk& chunk, Runs runs, const uint64_t* done, EvalContext& context,
                           F f) const {
  Arena* const outer = context.arena;
  Arena arena(context.budget, kJoin);
  Pairs pairs(build(), chunk.active, runs, context);
  std::vector<uint32_t> rows(kPairs + Pairs::kPadding), matches(kPairs + Pairs::kPadding);
  context.arena = &arena;
  while (const uint32_t count = pairs.next(kPairs, rows.data(), matches.data(), done, context)) {
    if (context.cancellation != nullptr) context.cancellation->check();
    arena.reset();
    f(rows.data(), matches.data(), ActiveSet(count, arena));
  }
  context.arena = outer;
}

}  // namespace lanewise::ops
