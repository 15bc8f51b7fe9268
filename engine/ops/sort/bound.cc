#include "ops/sort/bound.h"

#include "expr/expr.h"
#include "expr/functions/build.h"

namespace lanewise::ops {

namespace {

ExprPtr either(ExprPtr a, ExprPtr b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return disjunction({std::move(a), std::move(b)});
}

// No `a ? call(…, {…}) : …`: gcc 12 destroys such lists wrongly when an allocation fails.

/// A condition for keys that come before `value`; null: there are none.
ExprPtr before_value(const ExprPtr& key, const Value& value, SortDirection direction) {
  if (value.is_null() && direction.nulls_first) return nullptr;
  if (value.is_null()) return call("IS NOT NULL", {key});
  ExprPtr before = call(direction.descending ? ">" : "<", {key, literal(value)});
  if (!direction.nulls_first) return before;
  return either(call("IS NULL", {key}), std::move(before));
}

ExprPtr equal_to(const ExprPtr& key, const Value& value) {
  if (value.is_null()) return call("IS NULL", {key});
  return call("=", {key, literal(value)});
}

}  // namespace

void Bound::tighten(const Batch& batch, int64_t row, uint64_t order) {
  Row tighter{{}, order};
  for (size_t k = 0; k < columns_.keys(); ++k)
    tighter.keys.push_back(batch.columns[columns_.key(k)]->value(row));
  ExprPtr before;
  ExprPtr up_to = literal(Value::boolean(true));
  for (size_t k = columns_.keys(); k-- > 0;) {
    const ExprPtr key = column(columns_.key(k), columns_.schema()[columns_.key(k)].type);
    const ExprPtr before_this = before_value(key, tighter.keys[k], columns_.direction(k));
    const ExprPtr equal = equal_to(key, tighter.keys[k]);
    const auto then = [&](const ExprPtr& rest) {
      return rest == nullptr ? nullptr : conjunction({equal, rest});
    };
    const bool last = k + 1 == columns_.keys();
    before = either(before_this, last ? nullptr : then(before));
    up_to = either(before_this, last ? equal : then(up_to));
  }
  if (before == nullptr) before = literal(Value::boolean(false));

  std::lock_guard lock(mutex_);
  if (up_to_ != nullptr && !is_before(tighter, row_)) return;
  row_ = std::move(tighter);
  before_ = std::move(before);
  up_to_ = std::move(up_to);
}

ExprPtr Bound::before(uint64_t order) const {
  std::lock_guard lock(mutex_);
  return up_to_ == nullptr || order > row_.order ? before_ : up_to_;
}

bool Bound::is_before(const Row& a, const Row& b) const {
  for (size_t k = 0; k < a.keys.size(); ++k) {
    const int order = compare(a.keys[k], b.keys[k], columns_.direction(k));
    if (order != 0) return order < 0;
  }
  return a.order < b.order;
}

}  // namespace lanewise::ops
