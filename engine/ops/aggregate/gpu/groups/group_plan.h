#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/aggregate/gpu/aggregates.h"
#include "ops/run/options.h"

namespace lanewise::ops {

/// A value that is computed from a group's rows: a cell of its slot, or a part of another cell.
struct GroupCell {
  enum class Kind : uint8_t {
    kFold,    ///< the reduction of the input's values
    kMonths,  ///< the sum of intervals' months, and so on
    kDays,
    kMicros,
    kRow,       ///< the row of a Pick; without `ranks` and `last`, the first one
    kPicked,    ///< the input's value in the row that the cell `of` picked
    kIsPicked,  ///< whether the cell `of` picked a row
    kSquares    ///< the sum of squares in the moments of the cell `of`
  };
  /// A sort key of a Pick: the row with the greatest or the least value is picked.
  struct Rank {
    size_t input;
    bool greatest;
    bool must_be_there = false;  ///< rows where it is NULL are ignored
    bool nulls_first = false;
    friend bool operator==(const Rank&, const Rank&) = default;
  };

  Reduction reduction;
  size_t input;                ///< place in GroupPlan::inputs(); kNoInput: none
  Type type;                   ///< of the cell's column: BIGINT, HUGEINT, DOUBLE, or that of min and max
  std::optional<size_t> seen;  ///< the cell that counts this one's values: the column has NULL if it is 0
  bool is_column;              ///< false: only other cells use it
  Kind kind = Kind::kFold;
  std::optional<size_t> of = {};  ///< the cell that this one is a part of
  std::vector<Rank> ranks = {};
  bool last = false;

  /// Whether both cells always have the same value.
  bool same(const GroupCell& other) const {
    return reduction == other.reduction && input == other.input && kind == other.kind && of == other.of &&
           ranks == other.ranks && last == other.last;
  }
};
inline constexpr size_t kNoInput = static_cast<size_t>(-1);

/// Aggregates with and without keys, and DISTINCT: aggregates are split into cells, each stored once, and the
/// host combines them. The device returns **partial groups**: a table of the keys, followed by the cells that
/// are columns. The argument of DISTINCT aggregates is one more key after the others, so that a group has
/// each of its values once.
class GroupPlan {
 public:
  /// For an Aggregate, or for all columns of `schema` (DISTINCT). Throws expr::NotOnDevice.
  explicit GroupPlan(const plan::Aggregate& aggregate);
  explicit GroupPlan(const Schema& schema);

  struct Input {
    ExprPtr arg, filter;       ///< null: none
    bool is_computed = false;  ///< for each row; false: only for picked rows, as others may fail
  };
  const std::vector<ExprPtr>& keys() const { return keys_; }
  /// The sink's expressions are pairs: a value, and the condition under which it is needed. These are the
  /// indexes of the pairs of a key and of an input.
  static size_t key_pair(size_t key) { return 2 * key; }
  size_t input_pair(size_t input) const { return 2 * (keys_.size() + input); }
  /// Whether the key distinguishes -0.0 from 0.0, as its values are the result.
  bool is_exact(size_t key) const { return ranked_ && key == group_keys_ && keys_[key]->type.is_float(); }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<GroupCell>& cells() const { return cells_; }
  /// The cell with the row whose value is shown as the group's key; none: equal keys all look the same.
  std::optional<size_t> row_of_key(size_t key) const;

  const Schema& partial() const { return partial_; }
  /// The partial groups' columns that are the operator's result; none: the host computes some of them.
  std::optional<std::vector<size_t>> result_columns() const;
  /// Whether partial groups must be merged even if each exists once.
  bool needs_merge() const;
  /// Whether only the number of groups with a value is needed: count(DISTINCT).
  bool counts_values() const;
  /// The operator's result if counts_values().
  Table finish(uint64_t values, const Schema& output) const;
  /// Merges partial groups into a table of the keys, the cells that are columns, and the aggregates of
  /// DISTINCT values. `several`: they are from several batches, so that `partial` may have a group more than
  /// once.
  Table merged(Table partial, bool several, const Options& options) const;
  /// The operator's result. `merged`: whether `groups` are from merged(); otherwise each exists once.
  Table finish(const Table& groups, bool merged, const Schema& output, MemoryBudget* budget) const;

 private:
  struct Call {
    plan::AggregateCall call;
    size_t cell = kNoCell;           ///< kNoCell: the host computes the aggregate
    std::vector<size_t> parts = {};  ///< cells from which the host computes it; none: from DISTINCT values
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
  ColumnPtr spread(const Call& call, const Batch& batch, MemoryBudget* budget) const;
  const Column& column(const Batch& batch, size_t cell) const {
    return *batch.columns[group_keys_ + columns_[cell]];
  }

  std::vector<ExprPtr> keys_;
  size_t group_keys_ = 0;  // number of keys without distinct_
  ExprPtr distinct_;
  std::optional<size_t> first_row_;  // a cell, since equal intervals may look different
  bool ranked_ = false;              // the only call is_ranked(): its cell counts each distinct value
  std::vector<Input> inputs_;
  std::vector<GroupCell> cells_;
  std::vector<Call> calls_;
  std::vector<size_t> columns_;  // by cell: its column after the keys
  Schema partial_;
};

}  // namespace lanewise::ops
