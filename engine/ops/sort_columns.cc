#include "ops/sort_columns.h"

namespace lanewise::ops {

int compare(const Value& a, const Value& b, SortDirection direction) {
  if (a.is_null() || b.is_null()) {
    const int nulls_last = static_cast<int>(a.is_null()) - static_cast<int>(b.is_null());
    return direction.nulls_first ? -nulls_last : nulls_last;
  }
  const int order = compare(a, b);
  return direction.descending ? -order : order;
}

SortColumns::SortColumns(const std::vector<plan::SortKey>& keys, const Schema& input) : schema_(input) {
  for (const plan::SortKey& key : keys) {
    size_t column = key.expr->column;
    if (key.expr->kind != Expr::Kind::kColumn) {
      column = schema_.size();
      schema_.push_back({"", key.expr->type});
      computed_.push_back(key.expr);
    }
    keys_.push_back({column, {key.descending, key.nulls_first}});
  }
}

std::vector<Vector> SortColumns::of(const Chunk& chunk, EvalContext& context) const {
  std::vector<Vector> columns = chunk.columns;
  for (const ExprPtr& expr : computed_)
    columns.push_back(evaluate(*expr, chunk.columns, chunk.active, context));
  return columns;
}

std::vector<RowKey> SortColumns::row_keys(std::span<const Batch* const> parts) const {
  std::vector<RowKey> keys;
  for (const Key& key : keys_) {
    RowKey& made = keys.emplace_back(RowKey{schema_[key.column].type, key.direction, {}});
    for (const Batch* part : parts) made.parts.push_back(part->columns[key.column].get());
  }
  return keys;
}

}  // namespace lanewise::ops
