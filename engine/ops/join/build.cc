#include "ops/join/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/error.h"
#include "ops/concat.h"
#include "ops/join/parts.h"
#include "ops/operator.h"
#include "ops/ordered_rows.h"
#include "ops/pick.h"
#include "ops/sorted_rows.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr int64_t kBuildBatchRows = int64_t{1} << 20;
constexpr int64_t kPartSliceRows = 8192;
constexpr int kBatchShift = 32;  // of an order: the batch, then its slices

/// Bytes per row that a hash table of these keys takes at most, with its filter.
size_t lookup_bytes(const Schema& columns, const std::vector<size_t>& keys) {
  constexpr size_t kShort = 24, kLong = 48;
  if (keys.size() != 1 || columns[keys[0]].type.is_string()) return kLong;
  return width(columns[keys[0]].type.physical()) <= sizeof(uint32_t) ? kShort : kLong;
}

std::vector<uint32_t> rows_of_nulls(const plan::Join& join, const std::vector<ColumnPtr>& keys,
                                    uint32_t rows) {
  std::vector<uint32_t> found;
  for (uint32_t row = 0; row < rows; ++row) {
    for (size_t k = 0; k < keys.size(); ++k) {
      if (join.keys[k].null_is_equal || !keys[k]->is_null(row)) continue;
      found.push_back(row);
      break;
    }
  }
  return found;
}

/// Whether each number is its index: the order of rows that came sorted by their keys.
bool counts_up(const Buffer& order, size_t rows) {
  constexpr size_t kSlice = size_t{1} << 16;
  const auto* const numbers = order.as<uint32_t>();
  std::atomic<bool> does{true};
  parallel_for((rows + kSlice - 1) / kSlice, [&](size_t slice) {
    for (size_t i = slice * kSlice; i < std::min(rows, (slice + 1) * kSlice); ++i) {
      if (numbers[i] == i && does.load(std::memory_order_relaxed)) continue;
      does = false;
      return;
    }
  });
  return does;
}

/// Whether all that probes read of the build side is one short value of a row.
bool reads_one_value(const plan::Join& join, const Build& build) {
  using plan::JoinKind;
  if (join.kind != JoinKind::kInner && join.kind != JoinKind::kLeft) return false;
  if (join.condition != nullptr || join.range || build.columns.size() != 1) return false;
  const Column& column = *build.columns[0];
  if (column.dictionary != nullptr || column.nulls != 0) return false;
  return !column.type.is_string() && width(column.type.physical()) <= sizeof(uint32_t);
}

void check_rows(size_t rows) {
  if (rows >= UINT32_MAX) throw UserError("a join's build side has more than 2^32 rows");
}

}  // namespace

std::string Build::describe() const {
  return lookup == nullptr ? "" : fmt::format("{} rows, {}", rows, lookup->describe());
}

double Build::lookup_time() const {
  constexpr uint32_t kCached = 1 << 16;
  constexpr double kSearch = 3, kNotCached = 2;
  const bool searches = lookup != nullptr && !lookup->is_array();
  return kLookupTime * ((searches ? kSearch : 1) + (rows > kCached ? kNotCached : 0));
}

JoinColumns::JoinColumns(const plan::Join& join, const Schema& of_left, const Schema& of_right)
    : kept(join.right) {
  const size_t first = of_left.size();
  if (join.condition != nullptr) {
    for (const size_t column : columns_of(*join.condition))
      if (column >= first) kept.push_back(column - first);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  const auto number = [&](size_t column) {
    return static_cast<size_t>(std::lower_bound(kept.begin(), kept.end(), column) - kept.begin());
  };
  for (const size_t column : join.right) right.push_back(number(column));
  if (join.condition == nullptr) return;
  std::vector<size_t> map;
  for (size_t column = 0; column < first; ++column) map.push_back(column);
  for (size_t column = 0; column < of_right.size(); ++column) map.push_back(first + number(column));
  condition = remap(join.condition, map);
}

BuildSink::BuildSink(const plan::Join& join, const Schema& left, const Schema& right)
    : join_(join), columns_(join, left, right), form_{.join = join, .keys = {}} {
  for (const size_t column : columns_.kept) gathered_.push_back(right[column]);
  form_.kept = columns_.kept.size();
  for (const plan::JoinKey& key : join.keys) form_.keys.push_back(gathered(key.right));
  if (join.range) form_.range = gathered(join.range->right);
}

size_t BuildSink::gathered(const ExprPtr& expr) {
  const auto& kept = columns_.kept;
  const auto found =
      expr->kind == Expr::Kind::kColumn ? std::find(kept.begin(), kept.end(), expr->column) : kept.end();
  if (found != kept.end()) return static_cast<size_t>(found - kept.begin());
  gathered_.push_back({"", expr->type});
  computed_.push_back(expr);
  return gathered_.size() - 1;
}

std::unique_ptr<Sink::Local> BuildSink::local() const {
  return std::make_unique<OrderedRows>(gathered_, kJoin, kBuildBatchRows);
}

void BuildSink::consume(Local& local, const Chunk& chunk, EvalContext& context) const {
  Chunk gathered{chunk.order, chunk.rows, {}, chunk.active};
  for (const size_t column : columns_.kept) gathered.columns.push_back(chunk.columns[column]);
  for (const ExprPtr& expr : computed_)
    gathered.columns.push_back(evaluate(*expr, chunk.columns, chunk.active, context));
  static_cast<OrderedRows&>(local).append(gathered, context.budget);
}

std::vector<ColumnPtr> BuildSink::columns_by_range(std::vector<std::unique_ptr<Local>>& locals,
                                                   const EvalContext& context) const {
  SortedRows rows(locals, context.budget, kJoin);
  const SortColumns order({{column(form_.range, gathered_[form_.range].type), false, false}}, gathered_);
  rows.sort(order, 1, 0, rows.size(), context.cancellation);
  std::vector<ColumnPtr> columns(gathered_.size());
  parallel_for(columns.size(), [&](size_t i) {
    std::vector<const Column*> parts;
    for (const Batch* part : rows.parts()) parts.push_back(part->columns[i].get());
    columns[i] = pick(gathered_[i].type, parts, rows.rows(), context.budget, kJoin);
  });
  return columns;
}

size_t BuildSink::parts_for(const std::vector<std::unique_ptr<Local>>& locals,
                            const MemoryBudget* budget) const {
  // kMark depends on NULLs, and a range on neighbours, in all parts.
  if (join_.keys.empty() || join_.range || join_.kind == plan::JoinKind::kMark) return 1;
  if (forced_parts_ != 0) return forced_parts_;
  size_t bytes = 0;
  bool spilled = false;
  for (const auto& local : locals) {
    auto& rows = static_cast<OrderedRows&>(*local);
    rows.seal();
    bytes += rows.bytes() + static_cast<size_t>(rows.rows()) * lookup_bytes(gathered_, form_.keys);
    spilled |= rows.spilled();
  }
  if (!spilled || budget == nullptr) return 1;
  return std::clamp(std::bit_ceil(bytes / std::max<size_t>(budget->limit() / 4, 1) + 1), size_t{2},
                    kMostParts);
}

std::vector<Table> BuildSink::in_parts(std::vector<std::unique_ptr<Local>>& locals, size_t parts,
                                       const EvalContext& context) const {
  const Table all = OrderedRows::merge(gathered_, locals, 0, -1, context.budget, kJoin);
  locals.clear();
  std::mutex mutex;
  std::vector<std::unique_ptr<Local>> idle;
  parallel_for(all.batches.size(), [&](size_t b) {
    std::unique_lock lock(mutex);
    if (idle.empty()) idle.push_back(std::make_unique<RowsInParts>(gathered_, parts));
    std::unique_ptr<Local> mine = std::move(idle.back());
    idle.pop_back();
    lock.unlock();
    const Batch& batch = all.batches[b];
    Arena arena(context.budget, kJoin);
    for (int64_t first = 0; first < batch.rows; first += kPartSliceRows) {
      if (context.cancellation != nullptr) context.cancellation->check();
      arena.reset();
      const auto rows = static_cast<uint32_t>(std::min(kPartSliceRows, batch.rows - first));
      Chunk chunk{
          b << kBatchShift | static_cast<uint64_t>(first / kPartSliceRows), rows, {}, ActiveSet(rows, arena)};
      for (const ColumnPtr& column : batch.columns)
        chunk.columns.push_back(slice(*column, first, rows, arena));
      std::vector<Vector> keys;
      for (const size_t key : form_.keys) keys.push_back(chunk.columns[key]);
      static_cast<RowsInParts&>(*mine).append(chunk, keys, arena, context.budget);
    }
    lock.lock();
    idle.push_back(std::move(mine));
  });
  return RowsInParts::merge(gathered_, idle, parts, context.budget);
}

Table BuildSink::finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) {
  if (const size_t parts = parts_for(locals, context.budget); parts > 1) {
    parts_ = std::make_shared<BuildParts>(form_, in_parts(locals, parts, context), context.budget);
    return {};
  }
  size_t rows = 0;
  for (const auto& local : locals)
    rows += static_cast<size_t>(static_cast<const OrderedRows&>(*local).rows());
  if (join_.range) {
    check_rows(rows);
    build_ = form_.make(columns_by_range(locals, context), rows, context.budget);
    return {};
  }
  const Table all = OrderedRows::merge(gathered_, locals, 0, -1, context.budget, kJoin);
  locals.clear();
  build_ = form_.make(all, context.budget);
  return {};
}

std::shared_ptr<Build> BuildForm::make(const Table& rows, MemoryBudget* budget) const {
  check_rows(static_cast<size_t>(rows.rows()));
  std::vector<ColumnPtr> columns(rows.schema.size());
  parallel_for(columns.size(), [&](size_t i) {
    std::vector<ColumnPtr> parts;
    for (const Batch& batch : rows.batches) parts.push_back(batch.columns[i]);
    if (parts.empty()) parts.push_back(make_column(rows.schema[i].type, {}));
    columns[i] = concat(parts, budget, kJoin);
  });
  return make(std::move(columns), static_cast<size_t>(rows.rows()), budget);
}

std::shared_ptr<Build> BuildForm::make(std::vector<ColumnPtr> columns, size_t rows,
                                       MemoryBudget* budget) const {
  auto build = std::make_shared<Build>();
  build->rows = static_cast<uint32_t>(rows);
  build->columns.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(kept));
  for (size_t k = 0; k < keys.size(); ++k) {
    build->keys.push_back(columns[keys[k]]);
    build->finds_nulls.push_back(join.keys[k].null_is_equal && build->keys.back()->nulls != 0);
  }
  if (join.range) build->range = columns[range];
  if (!keys.empty())
    build->lookup =
        make_lookup(build->keys, build->finds_nulls, rows, plan::asks_existence(join), lookup, budget);
  if (build->unique() && reads_one_value(join, *build)) build->lookup->hold(*build->columns[0]);
  if (build->lookup != nullptr && build->lookup->order())
    build->in_order = counts_up(build->lookup->order(), build->lookup->order().size() / sizeof(uint32_t));
  if (join.kind == plan::JoinKind::kMark)
    build->rows_of_nulls = rows_of_nulls(join, build->keys, build->rows);
  if (plan::asks_right(join.kind)) build->matched = std::make_unique<std::atomic<uint8_t>[]>(rows);
  return build;
}

}  // namespace lanewise::ops
