#include "ops/join/candidates.h"

#include <algorithm>
#include <cstring>

#include "data/physical_value.h"
#include "data/visit_width.h"
#include "ops/join/range.h"
#include "primitives/kernels.h"

namespace lanewise::ops {

Candidates::Candidates(const plan::Join& join, const Schema& left, const Schema& right,
                       std::shared_ptr<const Build> build)
    : join_(join), left_columns_(left.size()), columns_(join, left, right), build_(std::move(build)) {}

Runs Candidates::find(const Chunk& chunk, EvalContext& context) const {
  const Runs runs = find_keys(chunk, context);
  if (join_.range && build_->rows != 0) {
    const Vector values = evaluate(*join_.range->left, chunk.columns, chunk.active, context);
    narrow_runs(*join_.range, *build_, values, chunk.active, runs);
  }
  return runs;
}

Runs Candidates::find_keys(const Chunk& chunk, EvalContext& context) const {
  Arena& arena = *context.arena;
  const Runs runs{arena.allocate<uint32_t>(chunk.rows), arena.allocate<uint32_t>(chunk.rows)};
  if (build_->lookup == nullptr || build_->rows == 0) {  // the keys need not be computed
    std::fill_n(runs.first, chunk.rows, 0);
    std::fill_n(runs.count, chunk.rows, build_->rows);
    return runs;
  }
  if (build_->rows_of_nulls.size() == build_->rows) {  // nor here
    std::fill_n(runs.count, chunk.rows, 0);
    return runs;
  }
  const auto [keys, findable] = keys_of(chunk, context);
  if (findable.count() != chunk.active.count()) std::fill_n(runs.count, chunk.rows, 0);
  if (!findable.none()) build_->lookup->find(keys, findable, runs);
  return runs;
}

std::pair<std::vector<Vector>, ActiveSet> Candidates::keys_of(const Chunk& chunk,
                                                              EvalContext& context) const {
  std::vector<Vector> keys;
  ActiveSet findable = chunk.active;
  for (size_t k = 0; k < join_.keys.size(); ++k) {
    const Vector& values =
        keys.emplace_back(evaluate(*join_.keys[k].left, chunk.columns, chunk.active, context));
    if (build_->finds_nulls[k] || values.validity == nullptr) continue;
    if (!values.constant) {
      findable.narrow(values.validity);
    } else if (values.is_null(0)) {
      findable.truncate(0);
    }
  }
  return {std::move(keys), findable};
}

Candidates::Matches Candidates::find_rows(const Chunk& chunk, EvalContext& context) const {
  Arena& arena = *context.arena;
  const Matches found{arena.allocate<uint32_t>(chunk.rows),
                      arena.allocate<uint64_t>(bits::words(chunk.rows) + 1)};
  const auto find_none = [&] { std::fill_n(found.matches, chunk.rows, kNoRow); };
  if (build_->rows == 0) {  // the keys need not be computed
    find_none();
  } else {
    const auto [keys, findable] = keys_of(chunk, context);
    if (!findable.all()) find_none();
    if (!findable.none()) build_->lookup->find_rows(keys, findable, found.matches);
  }
  kernels::of<uint32_t>(context.target)
      .compare_constant(kernels::Comparison::ne, found.matches, kNoRow, chunk.rows, found.found);
  return found;
}

std::vector<Vector> Candidates::columns_for(const Expr& expr, const Chunk& chunk, const uint32_t* rows,
                                            const uint32_t* matches, const ActiveSet& pairs) const {
  std::vector<Vector> columns(left_columns_ + build_->columns.size() + build_->keys.size());
  for (const size_t column : columns_of(expr)) {
    const size_t right = column - left_columns_;
    columns[column] = column < left_columns_ ? take(chunk.columns[column], rows, pairs)
                      : right < build_->columns.size()
                          ? take(*build_->columns[right], matches, pairs)
                          : take(*build_->keys[right - build_->columns.size()], matches, pairs);
  }
  return columns;
}

void Candidates::append_right(const uint32_t* matches, const ActiveSet& active,
                              std::vector<Vector>& columns) const {
  for (const size_t column : columns_.right)
    columns.push_back(take(*build_->columns[column], matches, active));
}

void Candidates::append_right(const Matches& found, const ActiveSet& active,
                              std::vector<Vector>& columns) const {
  if (build_->lookup == nullptr || !build_->lookup->holds_values())
    return append_right(found.matches, active, columns);
  const Column& column = *build_->columns[0];
  Vector held;
  held.type = column.type;
  held.values = found.matches;
  if (join_.kind == plan::JoinKind::kLeft) held.validity = found.found;
  if (width(column.type.physical()) < sizeof(uint32_t)) {
    visit_width(width(column.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      auto* const narrow = active.arena().allocate<T>(active.rows());
      for (uint32_t i = 0; i < active.rows(); ++i) {
        const uint32_t value = found.matches[i] == kNoRow ? 0 : found.matches[i];
        std::memcpy(&narrow[i], &value, std::min(sizeof(T), sizeof(value)));
      }
      held.values = narrow;
    });
  }
  for (size_t i = 0; i < columns_.right.size(); ++i) columns.push_back(held);
}

void Candidates::append_right_nulls(Arena& arena, std::vector<Vector>& columns) const {
  for (const size_t column : columns_.right)
    columns.push_back(constant(Value(build_->columns[column]->type), arena));
}

void Candidates::mark(const uint32_t* matches, const ActiveSet& pairs) const {
  pairs.for_each([&](uint32_t i) {
    std::atomic<uint8_t>& matched = build_->matched[matches[i]];
    if (matched.load(std::memory_order_relaxed) == 0) matched.store(1, std::memory_order_relaxed);
  });
}

void Candidates::mark_runs(Runs runs, const ActiveSet& rows) const {
  const bool is_cut_behind = join_.range && !reaches_end(join_.range->order);
  rows.for_each([&](uint32_t row) {
    // The thread that marks the first row of a run (or the last, if runs are cut after it) also marks the
    // others, before the probes end.
    const uint32_t count = runs.count[row];
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t place = runs.first[row] + (is_cut_behind ? count - 1 - i : i);
      std::atomic<uint8_t>& matched = build_->matched[build_->row(place)];
      if (matched.load(std::memory_order_relaxed) != 0) break;
      matched.store(1, std::memory_order_relaxed);
    }
  });
}

}  // namespace lanewise::ops
