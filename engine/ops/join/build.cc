#include "ops/join/build.h"

#include <algorithm>

#include "base/error.h"
#include "ops/concat.h"
#include "ops/ordered_rows.h"
#include "ops/pick.h"
#include "ops/sorted_rows.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr int64_t kBuildBatchRows = int64_t{1} << 20;

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

}  // namespace

bool asks_right(plan::JoinKind kind) {
  using plan::JoinKind;
  return kind == JoinKind::kRight || kind == JoinKind::kFull || kind == JoinKind::kRightSemi ||
         kind == JoinKind::kRightAnti;
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
    : join_(join), columns_(join, left, right), build_(std::make_shared<Build>()) {
  for (const size_t column : columns_.kept) gathered_.push_back(right[column]);
  for (const plan::JoinKey& key : join.keys) keys_.push_back(gathered(key.right));
  if (join.range) range_ = gathered(join.range->right);
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

std::vector<ColumnPtr> BuildSink::columns_in_order(std::vector<std::unique_ptr<Local>>& locals,
                                                   const EvalContext& context) const {
  const Table all = OrderedRows::merge(gathered_, locals, 0, -1, context.budget, kJoin);
  locals.clear();
  std::vector<ColumnPtr> columns(gathered_.size());
  parallel_for(columns.size(), [&](size_t i) {
    std::vector<ColumnPtr> parts;
    for (const Batch& batch : all.batches) parts.push_back(batch.columns[i]);
    if (parts.empty()) parts.push_back(make_column(gathered_[i].type, {}));
    columns[i] = concat(parts, context.budget, kJoin);
  });
  return columns;
}

std::vector<ColumnPtr> BuildSink::columns_by_range(std::vector<std::unique_ptr<Local>>& locals,
                                                   const EvalContext& context) const {
  SortedRows rows(locals, context.budget, kJoin);
  const SortColumns order({{column(range_, gathered_[range_].type), false, false}}, gathered_);
  rows.sort(order, 1, 0, rows.size(), context.cancellation);
  std::vector<ColumnPtr> columns(gathered_.size());
  parallel_for(columns.size(), [&](size_t i) {
    std::vector<const Column*> parts;
    for (const Batch* part : rows.parts()) parts.push_back(part->columns[i].get());
    columns[i] = pick(gathered_[i].type, parts, rows.rows(), context.budget, kJoin);
  });
  return columns;
}

Table BuildSink::finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) {
  int64_t rows = 0;
  for (const auto& local : locals) rows += static_cast<const OrderedRows&>(*local).rows();
  if (rows >= int64_t{UINT32_MAX}) throw UserError("a join's build side has more than 2^32 rows");
  const auto columns = join_.range ? columns_by_range(locals, context) : columns_in_order(locals, context);
  Build& build = *build_;
  build.rows = static_cast<uint32_t>(rows);
  build.columns.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(columns_.kept.size()));
  std::vector<bool> null_is_equal;
  for (size_t k = 0; k < keys_.size(); ++k) {
    build.keys.push_back(columns[keys_[k]]);
    null_is_equal.push_back(join_.keys[k].null_is_equal);
  }
  if (join_.range) build.range = columns[range_];
  if (!build.keys.empty()) build.lookup = make_lookup(build.keys, null_is_equal, build.rows, context.budget);
  if (join_.kind == plan::JoinKind::kMark) build.rows_of_nulls = rows_of_nulls(join_, build.keys, build.rows);
  if (asks_right(join_.kind)) build.matched = std::make_unique<std::atomic<uint8_t>[]>(build.rows);
  return {};
}

}  // namespace lanewise::ops
