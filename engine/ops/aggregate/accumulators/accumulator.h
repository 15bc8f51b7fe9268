#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "active/active_set.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/vector.h"
#include "lanes/targets/target.h"

namespace lanewise::ops {

/// The operator's name in memory errors.
inline constexpr std::string_view kGroupBy = "Aggregation (GROUP BY)";

/// The rows of one chunk that one aggregate processes.
struct AggregateInput {
  std::span<const Vector> args;
  std::span<const Vector> order;  ///< values of the call's ORDER BY keys
  const ActiveSet& rows;          ///< those that pass the call's FILTER
  const uint32_t* groups;         ///< group of each active row; null: there is one group, 0
  uint64_t chunk_order;           ///< see Chunk::order
  uint64_t first_row;             ///< see Chunk::first_row
  bool every_new_group;           ///< each group made since the last update() has at least one of the rows
  lanes::Target target;
};

/// The rows of the input where argument `arg` is not NULL.
inline ActiveSet present(const AggregateInput& input, size_t arg = 0) {
  const Vector& vector = input.args[arg];
  if (vector.validity == nullptr) return input.rows;
  if (!vector.constant) return input.rows.narrowed(vector.validity);
  ActiveSet rows = input.rows;
  if (vector.is_null(0)) rows.truncate(0);
  return rows;
}

/// Calls f(row, group) for the rows in ascending order.
template <class F>
void for_each_row(const AggregateInput& input, const ActiveSet& rows, F f) {
  if (const uint32_t* groups = input.groups) {
    rows.for_each([&](uint32_t row) { f(row, groups[row]); });
  } else {
    rows.for_each([&](uint32_t row) { f(row, 0); });
  }
}

/// The running values of one aggregate call for all groups, column by column. Used by one thread until
/// seal().
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  /// Makes room for groups [0, groups); new ones are empty.
  virtual void resize(uint32_t groups) = 0;
  virtual void update(const AggregateInput& input) = 0;
  /// Adds the state of `other`, of the same call and sealed, for group from[i] to our group to[i]. `other`
  /// may be read from several threads, and outlives this one.
  virtual void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) = 0;
  /// Whether merge() copies all data, so that `other` need not outlive this one.
  virtual bool merge_copies() const { return true; }
  /// Called after the last update() or merge().
  virtual void seal() {}
  /// The results of groups [first, first + count); callable from several threads, after seal().
  virtual ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const = 0;
};

}  // namespace lanewise::ops
