#pragma once

#include "ops/join/pairs.h"
#include "ops/step.h"
#include "ops/take.h"

namespace lanewise::ops {

/// What all probes share: the join, its build side, and how a chunk's candidates are found.
class Candidates {
 public:
  Candidates(const plan::Join& join, const Schema& left, const Schema& right,
             std::shared_ptr<const Build> build);

  const plan::Join& join() const { return join_; }
  const Build& build() const { return *build_; }
  const ExprPtr& condition() const { return columns_.condition; }

  /// For each active row of the chunk its run; 0 rows where a key is NULL.
  Runs find(const Chunk& chunk, EvalContext& context) const;
  /// Columns over which `expr`, such as the condition, is evaluated for pairs: rows[i] of the chunk, and
  /// matches[i] of the build side. Those that it does not read are left empty. After the kept columns of the
  /// build side its keys may be read, too.
  std::vector<Vector> columns_for(const Expr& expr, const Chunk& chunk, const uint32_t* rows,
                                  const uint32_t* matches, const ActiveSet& pairs) const;
  /// Calls f(rows, matches, pairs) for all pairs of the chunk's rows and their runs, some at a time, whether
  /// the condition holds or not. Rows whose bit is set in `done`, which may be null, are left out.
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

  /// The output's columns of the build side for rows matches[i], or NULL.
  void append_right(const uint32_t* matches, const ActiveSet& active, std::vector<Vector>& columns) const;
  size_t kept_columns() const { return columns_.kept.size(); }
  /// NULLs instead.
  void append_right_nulls(Arena& arena, std::vector<Vector>& columns) const;
  /// Notes that rows of the build side have a match.
  void mark(const uint32_t* matches, const ActiveSet& pairs) const;
  void mark_runs(Runs runs, const ActiveSet& rows) const;

 private:
  /// The same by the keys alone.
  Runs find_keys(const Chunk& chunk, EvalContext& context) const;

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
  Pairs pairs(build(), chunk.active, runs);
  std::vector<uint32_t> rows(kPairs), matches(kPairs);
  context.arena = &arena;
  while (const uint32_t count = pairs.next(kPairs, rows.data(), matches.data(), done)) {
    if (context.cancellation != nullptr) context.cancellation->check();
    arena.reset();
    f(rows.data(), matches.data(), ActiveSet(count, arena));
  }
  context.arena = outer;
}

}  // namespace lanewise::ops
