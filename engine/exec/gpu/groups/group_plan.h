#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exec/gpu/aggregate/aggregates.h"
#include "exec/pipeline/options.h"

namespace lanewise::exec {

/// What a group's rows come to: a cell of its slot, or a part of another one.
struct GroupCell {
  enum class Kind : uint8_t {
    kFold,    ///< what an aggregate `keeps`
    kMonths,  ///< the sum of a part of intervals
    kDays,
    kMicros,
    kRow,       ///< the row of a Pick; without `ranks` and `last` the first one
    kPicked,    ///< the input in the row of the cell `of`
    kIsPicked,  ///< whether there is one
    kSquares    ///< of the moments of the cell `of`
  };
  /// A key by which rows are picked: the greatest or the least.
  struct Rank {
    size_t input;
    bool greatest;
    bool must_be_there = false;  ///< rows where it is NULL do not take part
    bool nulls_first = false;
    friend bool operator==(const Rank&, const Rank&) = default;
  };

  DeviceAggregate::Takes takes;
  DeviceAggregate::Keeps keeps;
  size_t input;                ///< of GroupPlan::inputs, an argument and a filter; kNoInput: none
  Type type;                   ///< of its column: BIGINT, HUGEINT, DOUBLE, or that of an extreme
  std::optional<size_t> seen;  ///< the cell that counts this one's values: without one its column has NULL
  bool is_column;              ///< else it only says something about others
  Kind kind = Kind::kFold;
  std::optional<size_t> of = {};  ///< the cell that holds it
  std::vector<Rank> ranks = {};
  bool last = false;

  /// Whether both hold the same.
  bool same(const GroupCell& other) const {
    return takes == other.takes && keeps == other.keeps && input == other.input && kind == other.kind &&
           of == other.of && ranks == other.ranks && last == other.last;
  }
};
inline constexpr size_t kNoInput = static_cast<size_t>(-1);

/// GROUP BY, and DISTINCT: aggregates taken apart into cells, of which each is kept once, and put together
/// again on the host. Device and host meet in **partial groups**: a table of the keys, then of the cells that
/// are columns. What aggregates of DISTINCT values take is one more key after the others: each of its values
/// comes once for a group.
class GroupPlan {
 public:
  /// For an Aggregate, or for all columns of `schema` (DISTINCT). Throws expr::NotOnDevice.
  explicit GroupPlan(const plan::Aggregate& aggregate);
  explicit GroupPlan(const Schema& schema);

  struct Input {
    ExprPtr arg, filter;       ///< null: none
    bool is_computed = false;  ///< for each row; else for those that are picked, and others may fail
  };
  const std::vector<ExprPtr>& keys() const { return keys_; }
  /// Of the sink's expressions 2 i and 2 i + 1, a value and the condition under which it is needed: that of a
  /// key, of an input.
  static size_t key_pair(size_t key) { return 2 * key; }
  size_t input_pair(size_t input) const { return 2 * (keys_.size() + input); }
  /// Whether the key's values themselves are the result, and -0.0 is not 0.0.
  bool is_exact(size_t key) const { return ranked_ && key == group_keys_ && keys_[key]->type.is_float(); }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<GroupCell>& cells() const { return cells_; }
  /// The cell of the row whose value is the group's key; none: all equal values are the same one.
  std::optional<size_t> row_of_key(size_t key) const;

  const Schema& partial() const { return partial_; }
  /// The partial groups' columns that are the operator's result; none: the host makes some of them.
  std::optional<std::vector<size_t>> result_columns() const;
  /// Whether partial groups are to be merged even where each comes once.
  bool needs_merge() const;
  /// Whether only the number of groups with a value is needed: count(DISTINCT).
  bool counts_values() const;
  /// What the operator gives then.
  Table finish(uint64_t values, const Schema& output) const;
  /// Partial groups each once: a table of the keys, the cells that are columns, the aggregates of DISTINCT
  /// values. Those of several batches may come more than once in `partial`; of one batch each is there once.
  Table merged(Table partial, bool several, const Options& options) const;
  /// The operator's result for groups, which are `merged` or distinct.
  Table finish(const Table& groups, bool merged, const Schema& output, MemoryBudget* budget) const;

 private:
  struct Call {
    plan::AggregateCall call;
    size_t cell = kNoCell;           ///< kNoCell: the host aggregates what it takes
    std::vector<size_t> parts = {};  ///< cells: of these instead of DISTINCT values
  };
  static constexpr size_t kNoCell = static_cast<size_t>(-1);
  void add(const plan::AggregateCall& call);
  void add_keys(std::vector<ExprPtr> keys);
  void add_distinct(const plan::AggregateCall& call);
  void add_pick(const plan::AggregateCall& call, const Pick& pick);
  void add_average(const plan::AggregateCall& of_intervals);
  void add_columns();
  size_t input(const ExprPtr& arg, const ExprPtr& filter, bool computed = true);
  size_t cell(const GroupCell& wanted);
  size_t count(size_t input, bool is_column);
  plan::AggregateCall merging(const Call& call, bool several) const;
  ColumnPtr finish(const Call& call, const Batch& batch, MemoryBudget* budget) const;
  ColumnPtr average(const Call& call, const Batch& batch, MemoryBudget* budget) const;
  const Column& column(const Batch& batch, size_t cell) const {
    return *batch.columns[group_keys_ + columns_[cell]];
  }

  std::vector<ExprPtr> keys_;
  size_t group_keys_ = 0;  // of keys_: without the one that is distinct_
  ExprPtr distinct_;
  std::optional<size_t> first_row_;  // a cell: intervals that are equal are not the same
  bool ranked_ = false;  // the only call takes values by rank: how often each of them is there is its cell
  std::vector<Input> inputs_;
  std::vector<GroupCell> cells_;
  std::vector<Call> calls_;
  std::vector<size_t> columns_;  // after the keys, by cell
  Schema partial_;
};

}  // namespace lanewise::exec
