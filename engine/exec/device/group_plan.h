#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exec/device/aggregates.h"
#include "exec/execute.h"

namespace lanewise::exec {

/// A cell of a group's slot.
struct GroupCell {
  DeviceAggregate::Takes takes;
  DeviceAggregate::Keeps keeps;
  size_t input;                ///< of GroupPlan::inputs, an argument and a filter; kNoInput: none
  Type type;                   ///< of its column: BIGINT, HUGEINT, DOUBLE, or that of an extreme
  std::optional<size_t> seen;  ///< the cell that counts this one's values: without one its column has NULL
  bool is_column;              ///< else it only says whether another one has seen a value
};
inline constexpr size_t kNoInput = static_cast<size_t>(-1);

/// GROUP BY, and DISTINCT: aggregates taken apart into cells, of which each is kept once, and put together
/// again on the host. Device and host meet in **partial groups**: a table of the keys, then of the cells that
/// are columns. What aggregates of DISTINCT values take is one more key behind the others: each of its values
/// comes once for a group.
class GroupPlan {
 public:
  /// Of an Aggregate, or of all columns of `schema` (DISTINCT). Throws expr::NotOnDevice.
  explicit GroupPlan(const plan::Aggregate& aggregate);
  explicit GroupPlan(const Schema& schema);

  struct Input {
    ExprPtr arg, filter;  ///< null: none
  };
  const std::vector<ExprPtr>& keys() const { return keys_; }
  /// Whether the key's values themselves are the result, and -0.0 is not 0.0.
  bool is_exact(size_t key) const { return ranked_ && key == group_keys_ && keys_[key]->type.is_float(); }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<GroupCell>& cells() const { return cells_; }

  const Schema& partial() const { return partial_; }
  /// Whether partial groups are to be merged even where each comes once.
  bool needs_merge() const { return distinct_ != nullptr || group_keys_ == 0; }
  /// Partial groups each once: a table of the keys, the cells that are columns, the aggregates of DISTINCT
  /// values. Those of several batches may come more than once in `partial`; of one batch each is there once.
  Table merged(Table partial, bool several, const Options& options) const;
  /// What the operator gives for merged groups.
  Table finish(const Table& groups, const Schema& output, MemoryBudget* budget) const;

 private:
  struct Call {
    plan::AggregateCall call;
    DeviceAggregate::Keeps keeps;
    size_t cell;  ///< kNoCell: it is one of DISTINCT values
  };
  static constexpr size_t kNoCell = static_cast<size_t>(-1);
  void add_keys(std::vector<ExprPtr> keys);
  void add_distinct(const plan::AggregateCall& call);
  size_t input(const plan::AggregateCall& call);
  size_t cell(const GroupCell& wanted);
  ColumnPtr finish(const Call& call, const Batch& batch, MemoryBudget* budget) const;
  const Column& column(const Batch& batch, size_t cell) const {
    return *batch.columns[group_keys_ + columns_[cell]];
  }

  std::vector<ExprPtr> keys_;
  size_t group_keys_ = 0;  // of keys_: without the one that is distinct_
  ExprPtr distinct_;
  bool ranked_ = false;  // the only call asks for values by rank: how often each of them is there is its cell
  std::vector<Input> inputs_;
  std::vector<GroupCell> cells_;
  std::vector<Call> calls_;
  std::vector<size_t> columns_;  // behind the keys, by cell
  Schema partial_;
};

}  // namespace lanewise::exec
