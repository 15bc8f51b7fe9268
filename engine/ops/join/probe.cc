#include "ops/join/probe.h"

#include <algorithm>

#include "base/error.h"
#include "ops/join/candidates.h"
#include "ops/join/mark.h"

namespace lanewise::ops {

namespace {

using plan::JoinKind;

uint64_t* no_bits(uint32_t rows, Arena& arena) {
  const size_t words = bits::words(rows);
  auto* bitmap = arena.allocate<uint64_t>(words + 1);
  std::fill_n(bitmap, words, 0);
  return bitmap;
}

/// The output's columns of the chunk.
std::vector<Vector> chosen(const plan::Join& join, const Chunk& chunk) {
  std::vector<Vector> columns;
  for (const size_t column : join.left) columns.push_back(chunk.columns[column]);
  return columns;
}

/// Joins that only test whether a row has a match: kSemi, kAnti; kRightSemi and kRightAnti for rows of the
/// build side, which are then returned from there.
class ExistenceProbe : public Step {
 public:
  explicit ExistenceProbe(Candidates candidates) : candidates_(std::move(candidates)) {}

  void run(Chunk& chunk, EvalContext& context) const override {
    const JoinKind kind = candidates_.join().kind;
    if (kind == JoinKind::kRightSemi || kind == JoinKind::kRightAnti) {
      mark(chunk, candidates_.find(chunk, context), context);
      chunk.active.truncate(0);
    } else {
      const uint64_t* const matched = find_matched(chunk, context);
      kind == JoinKind::kSemi ? chunk.active.narrow(matched) : chunk.active.remove(matched);
    }
    chunk.columns = chosen(candidates_.join(), chunk);
  }

 private:
  void mark(const Chunk& chunk, Runs runs, EvalContext& context) const {
    if (candidates_.condition() == nullptr) return candidates_.mark_runs(runs, chunk.active);
    candidates_.for_matches(chunk, runs, nullptr, context,
                            [&](const uint32_t*, const uint32_t* matches, const ActiveSet& pairs) {
                              candidates_.mark(matches, pairs);
                            });
  }

  const uint64_t* find_matched(const Chunk& chunk, EvalContext& context) const {
    if (candidates_.finds_rows() && candidates_.condition() == nullptr)
      return candidates_.find_rows(chunk, context).found;
    const Runs runs = candidates_.find(chunk, context);
    uint64_t* const matched = no_bits(chunk.rows, *context.arena);
    if (candidates_.condition() == nullptr) {
      chunk.active.for_each([&](uint32_t row) {
        matched[row / 64] |= static_cast<uint64_t>(runs.count[row] != 0) << row % 64;
      });
      return matched;
    }
    candidates_.for_matches(chunk, runs, matched, context,
                            [&](const uint32_t* rows, const uint32_t*, const ActiveSet& pairs) {
                              pairs.for_each([&](uint32_t i) { bits::set(matched, rows[i]); });
                            });
    return matched;
  }

  Candidates candidates_;
};

/// Joins in which each row has at most one match, so that the chunk's rows stay in place.
class UniqueProbe : public Step {
 public:
  explicit UniqueProbe(Candidates candidates) : candidates_(std::move(candidates)) {}

  void run(Chunk& chunk, EvalContext& context) const override {
    const JoinKind kind = candidates_.join().kind;
    const Candidates::Matches rows = find(chunk, context);
    const ActiveSet matched = with_condition(chunk, chunk.active.narrowed(rows.found), rows.matches, context);
    if (kind == JoinKind::kRight || kind == JoinKind::kFull) candidates_.mark(rows.matches, matched);
    if (kind == JoinKind::kInner || kind == JoinKind::kRight) chunk.active = matched;
    std::vector<Vector> columns = chosen(candidates_.join(), chunk);
    candidates_.append_right(rows, chunk.active, columns);
    chunk.columns = std::move(columns);
  }

 private:
  /// Whether rows may have several matches, of which find_single() takes one that fulfils the condition.
  bool finds_single() const {
    return candidates_.join().kind == JoinKind::kSingle && !candidates_.build().unique();
  }

  Candidates::Matches find(const Chunk& chunk, EvalContext& context) const {
    if (candidates_.finds_rows()) return candidates_.find_rows(chunk, context);
    const Runs runs = candidates_.find(chunk, context);
    const Candidates::Matches rows{context.arena->allocate<uint32_t>(chunk.rows),
                                   no_bits(chunk.rows, *context.arena)};
    std::fill_n(rows.matches, chunk.rows, kNoRow);
    if (finds_single()) {
      find_single(chunk, runs, rows, context);
    } else {
      chunk.active.for_each([&](uint32_t row) {
        if (runs.count[row] == 0) return;
        bits::set(rows.found, row);
        rows.matches[row] = candidates_.build().row(runs.first[row]);
      });
    }
    return rows;
  }

  /// The rows of `matched` whose match fulfils the condition; the others lose theirs.
  ActiveSet with_condition(const Chunk& chunk, ActiveSet matched, uint32_t* matches,
                           EvalContext& context) const {
    if (candidates_.condition() == nullptr || finds_single() || matched.none()) return matched;
    const Expr& condition = *candidates_.condition();
    auto* const rows = context.arena->allocate<uint32_t>(chunk.rows);
    for (uint32_t i = 0; i < chunk.rows; ++i) rows[i] = i;
    const auto columns = candidates_.columns_for(condition, chunk, rows, matches, matched);
    const ActiveSet kept = narrow(condition, columns, matched, context);
    matched.remove(kept.bitmap());
    matched.for_each([&](uint32_t row) { matches[row] = kNoRow; });
    return kept;
  }

  /// kSingle over a build side with repeated keys.
  void find_single(const Chunk& chunk, Runs runs, const Candidates::Matches& to, EvalContext& context) const {
    const std::string& message = candidates_.join().message;
    candidates_.for_matches(chunk, runs, message.empty() ? to.found : nullptr, context,
                            [&](const uint32_t* rows, const uint32_t* places, const ActiveSet& pairs) {
                              pairs.for_each([&](uint32_t i) {
                                uint32_t& match = to.matches[rows[i]];
                                if (match != kNoRow && !message.empty()) throw UserError(message);
                                if (match == kNoRow) match = places[i];
                                bits::set(to.found, rows[i]);
                              });
                            });
  }

  Candidates candidates_;
};

/// kInner, kLeft, kRight and kFull over a build side with repeated keys.
class PairProbe : public Expander {
 public:
  explicit PairProbe(Candidates candidates) : candidates_(std::move(candidates)) {}

  std::unique_ptr<Expansion> expand(const Chunk& in, uint32_t rows, EvalContext& context) const override {
    return std::make_unique<PairExpansion>(candidates_, in, rows, candidates_.find(in, context), context);
  }

 private:
  class PairExpansion : public Expansion {
   public:
    PairExpansion(const Candidates& candidates, const Chunk& in, uint32_t rows, Runs runs,
                  EvalContext& context)
        : candidates_(candidates),
          in_(in),
          rows_(rows),
          pairs_(candidates.build(), in.active, runs, context) {
      const JoinKind kind = candidates.join().kind;
      if (kind == JoinKind::kLeft || kind == JoinKind::kFull) matched_ = no_bits(in.rows, *context.arena);
      marks_ = kind == JoinKind::kRight || kind == JoinKind::kFull;
    }

    bool next(Chunk& out, EvalContext& context) override {
      Arena& arena = *context.arena;
      auto* const rows = arena.allocate<uint32_t>(rows_ + Pairs::kPadding);
      auto* const matches = arena.allocate<uint32_t>(rows_ + Pairs::kPadding);
      const uint32_t count = pairs_.next(rows_, rows, matches, nullptr, context);
      if (count == 0) return unmatched(out, arena);
      out.rows = count;
      out.active = ActiveSet(count, arena);
      if (const ExprPtr& condition = candidates_.condition()) {
        const auto columns = candidates_.columns_for(*condition, in_, rows, matches, out.active);
        out.active = narrow(*condition, columns, out.active, context);
      }
      if (matched_ != nullptr) out.active.for_each([&](uint32_t i) { bits::set(matched_, rows[i]); });
      if (marks_) candidates_.mark(matches, out.active);
      if (out.active.none()) return true;
      out.columns.clear();
      for (const size_t column : candidates_.join().left)
        out.columns.push_back(take(in_.columns[column], rows, out.active));
      candidates_.append_right(matches, out.active, out.columns);
      return true;
    }

   private:
    /// Rows of kLeft and kFull without a match, after all pairs.
    bool unmatched(Chunk& out, Arena& arena) {
      if (matched_ == nullptr) return false;
      out.rows = in_.rows;
      out.active = in_.active;
      out.active.remove(matched_);
      out.columns = chosen(candidates_.join(), in_);
      candidates_.append_right_nulls(arena, out.columns);
      matched_ = nullptr;
      return true;
    }

    const Candidates& candidates_;
    const Chunk& in_;
    const uint32_t rows_;
    Pairs pairs_;
    uint64_t* matched_ = nullptr;  // rows that have a match
    bool marks_ = false;
  };

  Candidates candidates_;
};

}  // namespace

Probe make_probe(const plan::Join& join, const Schema& left, const Schema& right,
                 std::shared_ptr<const Build> build) {
  const bool unique = build->unique() || (join.range && join.range->nearest);
  Candidates candidates(join, left, right, std::move(build));
  switch (join.kind) {
    case JoinKind::kMark:
      return {make_mark_probe(std::move(candidates), left), nullptr};
    case JoinKind::kSemi:
    case JoinKind::kAnti:
    case JoinKind::kRightSemi:
    case JoinKind::kRightAnti:
      return {std::make_unique<ExistenceProbe>(std::move(candidates)), nullptr};
    case JoinKind::kSingle:
      return {std::make_unique<UniqueProbe>(std::move(candidates)), nullptr};
    case JoinKind::kInner:
    case JoinKind::kLeft:
    case JoinKind::kRight:
    case JoinKind::kFull:
      if (unique) return {std::make_unique<UniqueProbe>(std::move(candidates)), nullptr};
      return {nullptr, std::make_unique<PairProbe>(std::move(candidates))};
  }
  throw InternalError("unknown kind of join");
}

}  // namespace lanewise::ops
