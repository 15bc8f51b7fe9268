#include "ops/window/frames/rows.h"

#include <algorithm>

#include "expr/functions/build.h"
#include "ops/take.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kComparedRows = 2048;            // rows compared at a time
constexpr uint32_t kTaskRows = kComparedRows * 32;  // rows processed per task

size_t run_of(const Starts& starts, uint32_t row) {
  const uint32_t* begin = starts.data();
  return static_cast<size_t>(std::upper_bound(begin, begin + starts.size(), row) - begin) - 1;
}

}  // namespace

Vector WindowRows::values(const Expr& expr, uint32_t first, uint32_t count, Arena& arena) const {
  if (expr.kind == Expr::Kind::kLiteral) return constant(expr.literal, arena);
  return slice(*columns[expr.column], first, count, arena);
}

Vector WindowRows::values_at(const Expr& expr, const uint32_t* at, const ActiveSet& active) const {
  if (expr.kind == Expr::Kind::kLiteral) return constant(expr.literal, active.arena());
  return take(*columns[expr.column], at, active);
}

EvalContext context_like(const EvalContext& context, Arena& arena) {
  return {.arena = &arena,
          .target = context.target,
          .budget = context.budget,
          .cancellation = context.cancellation,
          .lanes = nullptr,
          .tuning = context.tuning};
}

Starts starts_of_runs(const std::vector<ColumnPtr>& columns, uint32_t rows, const EvalContext& context) {
  std::vector<ExprPtr> differs;
  for (const ColumnPtr& key : columns)
    differs.push_back(call("IS DISTINCT FROM", {column(0, key->type), column(1, key->type)}));
  std::vector<std::vector<uint32_t>> found(rows / kTaskRows + 1);
  parallel_for(found.size(), [&](size_t task) {
    Arena arena(context.budget, kWindow);
    EvalContext local = context_like(context, arena);
    const uint32_t begin = std::max(static_cast<uint32_t>(task) * kTaskRows, 1U);
    const uint32_t end = static_cast<uint32_t>(std::min<uint64_t>((task + 1) * uint64_t{kTaskRows}, rows));
    for (uint32_t first = begin; first < end; first += kComparedRows) {
      if (context.cancellation != nullptr) context.cancellation->check();
      arena.reset();
      const uint32_t count = std::min(kComparedRows, end - first);
      // Rows that differ in one key are not compared by the next.
      ActiveSet same(count, arena);
      std::vector<uint64_t> starts(bits::words(count));
      for (size_t k = 0; k < columns.size(); ++k) {
        const Vector sides[] = {slice(*columns[k], first - 1, count, arena),
                                slice(*columns[k], first, count, arena)};
        const ActiveSet different = narrow(*differs[k], sides, same, local);
        const uint64_t* bitmap = different.bitmap();
        for (size_t w = 0; w < starts.size(); ++w) starts[w] |= bitmap[w];
        same.remove(bitmap);
      }
      bits::for_each(starts.data(), count,
                     [&](size_t row) { found[task].push_back(first + static_cast<uint32_t>(row)); });
    }
  });
  std::vector<size_t> at(found.size() + 1, 1);  // start of each task's output; 0 is the first row
  for (size_t task = 0; task < found.size(); ++task) at[task + 1] = at[task] + found[task].size();
  Starts all(context.budget, kWindow);
  all.resize(at.back() + (rows != 0));
  all[0] = 0;
  if (rows != 0) all[at.back()] = rows;
  parallel_for(found.size(), [&](size_t task) { std::ranges::copy(found[task], all.data() + at[task]); });
  return all;
}

WindowCursor::WindowCursor(const WindowRows& rows, uint32_t row)
    : rows_(rows), row_(row), partition_(run_of(rows.partitions, row)), peers_(run_of(rows.peers, row)) {
  first_group_ = run_of(rows_.peers, partition_begin());
}

void WindowCursor::advance() {
  ++row_;
  if (row_ == rows_.rows) return;
  if (row_ == peers_end()) ++peers_;
  if (row_ != partition_end()) return;
  ++partition_;
  first_group_ = peers_;  // a partition starts with a group of peers
}

}  // namespace lanewise::ops
