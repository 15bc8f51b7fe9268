#pragma once

#include <span>
#include <vector>

#include "expr/evaluation/evaluate.h"
#include "ops/chunk.h"
#include "plan/node.h"
#include "primitives/sort/row_sort.h"

namespace lanewise::ops {

inline constexpr const char* kOrderBy = "Sort (ORDER BY)";

/// Negative if `a` comes first, 0 if neither does.
int compare(const Value& a, const Value& b, SortDirection direction);

/// The columns that a sort keeps: those of its input, then the keys that are not among them.
class SortColumns {
 public:
  SortColumns(const std::vector<plan::SortKey>& keys, const Schema& input);

  const Schema& schema() const { return schema_; }
  /// The columns of a chunk.
  std::vector<Vector> of(const Chunk& chunk, EvalContext& context) const;

  size_t keys() const { return keys_.size(); }
  size_t key(size_t i) const { return keys_[i].column; }  ///< index of its column
  SortDirection direction(size_t i) const { return keys_[i].direction; }
  std::vector<RowKey> row_keys(std::span<const Batch* const> parts) const;

 private:
  struct Key {
    size_t column;
    SortDirection direction;
  };
  Schema schema_;
  std::vector<ExprPtr> computed_;
  std::vector<Key> keys_;
};

}  // namespace lanewise::ops
