#include "ops/join/mark.h"
#include "expr/functions/build.h"

#include <algorithm>

namespace lanewise::ops {

namespace {

class MarkProbe : public Step {
 public:
  MarkProbe(Candidates candidates, const Schema& left) : candidates_(std::move(candidates)) {
    const plan::Join& join = candidates_.join();
    std::vector<ExprPtr> all;
    size_t key_column = left.size() + candidates_.kept_columns();
    for (const plan::JoinKey& key : join.keys) {
      all.push_back(call(key.null_is_equal ? "IS NOT DISTINCT FROM" : "=",
                         {key.left, column(key_column++, key.right->type)}));
      may_be_unknown_ |= !key.null_is_equal;
      only_keys_ &= !key.null_is_equal;
    }
    only_keys_ &= candidates_.condition() == nullptr;
    if (candidates_.condition() != nullptr) all.push_back(candidates_.condition());
    whole_ = all.size() == 1 ? all[0] : conjunction(std::move(all));
  }

  void run(Chunk& chunk, EvalContext& context) const override {
    const Runs runs = candidates_.find(chunk, context);
    const size_t words = bits::words(chunk.rows);
    Marks marks{context.arena->allocate<uint8_t>(chunk.rows), context.arena->allocate<uint64_t>(words + 1),
                context.arena->allocate<uint64_t>(words + 1)};
    std::fill_n(marks.unknown, words, 0);
    std::fill_n(marks.true_rows, words, 0);
    if (candidates_.condition() == nullptr) {
      chunk.active.for_each([&](uint32_t row) {
        if (runs.count[row] != 0) bits::set(marks.true_rows, row);
      });
    } else {
      judge(*candidates_.condition(), chunk, runs, marks, context);
    }
    if (may_be_unknown_) find_unknown(chunk, marks, context);
    append(chunk, marks);
  }

 private:
  struct Marks {
    uint8_t* values;
    uint64_t* unknown;
    uint64_t* true_rows;
  };

  /// Evaluates `expr` for all pairs of the rows and their runs.
  void judge(const Expr& expr, const Chunk& chunk, Runs runs, const Marks& marks,
             EvalContext& context) const {
    candidates_.for_pairs(chunk, runs, marks.true_rows, context,
                          [&](const uint32_t* rows, const uint32_t* matches, const ActiveSet& pairs) {
                            const auto columns = candidates_.columns_for(expr, chunk, rows, matches, pairs);
                            const Vector holds = evaluate(expr, columns, pairs, context);
                            pairs.for_each([&](uint32_t i) {
                              if (holds.is_null(i)) {
                                bits::set(marks.unknown, rows[i]);
                              } else if (holds.as<uint8_t>()[holds.constant ? 0 : i] != 0) {
                                bits::set(marks.true_rows, rows[i]);
                              }
                            });
                          });
  }

  /// Rows that are not true: NULLs in their keys, or in those of the build side, may make them NULL.
  void find_unknown(const Chunk& chunk, const Marks& marks, EvalContext& context) const {
    const Build& build = candidates_.build();
    if (build.rows == 0) return;
    ActiveSet open = chunk.active;
    open.remove(marks.true_rows);
    // DuckDB: of rows of several values, too, any NULL makes FALSE unknown.
    if (only_keys_ && !build.rows_of_nulls.empty()) {
      open.for_each([&](uint32_t row) { bits::set(marks.unknown, row); });
      return;
    }
    auto* const has_null = context.arena->allocate<uint64_t>(bits::words(chunk.rows) + 1);
    std::fill_n(has_null, bits::words(chunk.rows), 0);
    for (const plan::JoinKey& key : candidates_.join().keys) {
      if (key.null_is_equal || open.none()) continue;
      const Vector values = evaluate(*key.left, chunk.columns, open, context);
      open.for_each([&](uint32_t row) {
        if (values.is_null(row)) bits::set(has_null, row);
      });
    }
    if (only_keys_) {
      open.for_each([&](uint32_t row) {
        if (bits::test(has_null, row)) bits::set(marks.unknown, row);
      });
      return;
    }
    Chunk rest = chunk;
    rest.active = open.narrowed(has_null);
    judge_all(rest, nullptr, build.rows, marks, context);
    rest.active = open;
    rest.active.remove(has_null);
    judge_all(rest, build.rows_of_nulls.data(), static_cast<uint32_t>(build.rows_of_nulls.size()), marks,
              context);
  }

  /// All conditions for the chunk's rows, each with all of `count` rows of the build side.
  void judge_all(const Chunk& chunk, const uint32_t* of_build, uint32_t count, const Marks& marks,
                 EvalContext& context) const {
    const auto row_of = [&](uint32_t i) { return of_build == nullptr ? i : of_build[i]; };
    Arena* const outer = context.arena;
    Arena arena(context.budget, kJoin);
    context.arena = &arena;
    std::vector<uint32_t> rows(kPairs), matches(kPairs);
    chunk.active.for_each([&](uint32_t row) {
      for (uint32_t first = 0; first < count && !bits::test(marks.unknown, row); first += kPairs) {
        if (context.cancellation != nullptr) context.cancellation->check();
        arena.reset();
        const uint32_t now = std::min(kPairs, count - first);
        for (uint32_t i = 0; i < now; ++i) {
          rows[i] = row;
          matches[i] = row_of(first + i);
        }
        const ActiveSet pairs(now, arena);
        const auto columns = candidates_.columns_for(*whole_, chunk, rows.data(), matches.data(), pairs);
        const Vector holds = evaluate(*whole_, columns, pairs, context);
        pairs.for_each([&](uint32_t i) {
          if (holds.is_null(i)) bits::set(marks.unknown, row);
        });
      }
    });
    context.arena = outer;
  }

  void append(Chunk& chunk, const Marks& marks) const {
    auto* const known = marks.unknown;
    for (size_t word = 0; word < bits::words(chunk.rows); ++word)
      known[word] = marks.true_rows[word] | ~marks.unknown[word];
    for (uint32_t row = 0; row < chunk.rows; ++row)
      marks.values[row] = static_cast<uint8_t>(bits::test(marks.true_rows, row));
    Vector mark;
    mark.type = TypeId::kBool;
    mark.values = marks.values;
    mark.validity = known;
    std::vector<Vector> columns;
    for (const size_t column : candidates_.join().left) columns.push_back(chunk.columns[column]);
    columns.push_back(mark);
    chunk.columns = std::move(columns);
  }

  Candidates candidates_;
  ExprPtr whole_;                // all conditions, over the left child's columns, the kept ones and the keys
  bool may_be_unknown_ = false;  // because of a key
  bool only_keys_ = true;        // of which none takes NULLs as equal
};

}  // namespace

std::unique_ptr<Step> make_mark_probe(Candidates candidates, const Schema& left) {
  return std::make_unique<MarkProbe>(std::move(candidates), left);
}

}  // namespace lanewise::ops
