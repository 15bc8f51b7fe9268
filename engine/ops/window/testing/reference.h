#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "expr/evaluation/evaluate.h"
#include "ops/aggregate/testing/reference.h"
#include "plan/node.h"

/// The plain meaning of window functions, for tests.
namespace lanewise::ops::windows {

using plan::FrameEnd;
using plan::FrameExclusion;
using plan::FrameUnit;
using Row = std::vector<Value>;

inline constexpr size_t kId = 0, kPart = 1, kOrder = 2, kNumber = 3, kText = 4, kOffset = 5, kFlag = 6,
                        kReal = 7;

inline const Schema& input_schema() {
  static const Schema schema = {{"id", TypeId::kInt64},     {"part", TypeId::kInt32},
                                {"order", TypeId::kInt64},  {"number", TypeId::kInt64},
                                {"text", TypeId::kVarchar}, {"offset", TypeId::kInt64},
                                {"flag", TypeId::kBool},    {"real", TypeId::kFloat64}};
  return schema;
}

/// The definition, spelled out row by row.
class Reference {
 public:
  Reference(const plan::Window& window, const std::vector<Row>& rows) : window_(window), rows_(rows) {
    for (const ExprPtr& key : window.partition) partition_keys_.push_back({key, false, false});
    for (size_t row = 0; row < rows.size(); ++row) {
      in_partition_.push_back({{}, evaluated(partition_keys_, row)});
      in_order_.push_back({{}, evaluated(window.order, row)});
    }
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const int sign = by_partition(a, b);
      return sign != 0 ? sign < 0 : by_order(a, b) < 0;
    });
    for (const size_t row : order) {
      if (partitions_.empty() || by_partition(partitions_.back()[0], row) != 0) partitions_.emplace_back();
      partitions_.back().push_back(row);
    }
    groups_.resize(rows.size());
    for (const Partition& partition : partitions_) {
      for (size_t i = 1; i < partition.size(); ++i)
        groups_[partition[i]] =
            groups_[partition[i - 1]] + (by_order(partition[i - 1], partition[i]) != 0 ? 1 : 0);
    }
  }

  /// The call's value for each row, by the row's number.
  std::vector<Value> values(const plan::WindowCall& call) const {
    std::vector<Value> values(rows_.size());
    for (const auto& partition : partitions_) {
      for (size_t at = 0; at < partition.size(); ++at) values[partition[at]] = value(call, partition, at);
    }
    return values;
  }

 private:
  using Partition = std::vector<size_t>;

  int by_keys(const std::vector<plan::SortKey>& keys, size_t a, size_t b) const {
    return reference::compare_keys({{}, evaluated(keys, a)}, {{}, evaluated(keys, b)}, keys);
  }
  int by_order(size_t a, size_t b) const {
    return reference::compare_keys(in_order_[a], in_order_[b], window_.order);
  }
  int by_partition(size_t a, size_t b) const {
    return reference::compare_keys(in_partition_[a], in_partition_[b], partition_keys_);
  }
  Row evaluated(const std::vector<plan::SortKey>& keys, size_t row) const {
    Row values;
    for (const plan::SortKey& key : keys) values.push_back(evaluate_reference(*key.expr, rows_[row]));
    return values;
  }
  Value evaluated(const ExprPtr& expr, size_t row) const { return evaluate_reference(*expr, rows_[row]); }

  /// The group of peers, within its partition, that the row at a position belongs to.
  int64_t group(const Partition& partition, size_t at) const { return groups_[partition[at]]; }

  /// Is row `j` of the partition not before (or not after) the position where the frame of row `at` begins
  /// (ends).
  bool within(const plan::Frame& frame, const plan::FrameBound& bound, bool is_begin,
              const Partition& partition, size_t at, size_t j) const {
    if (bound.end == FrameEnd::kUnbounded) return true;
    const int64_t sign = is_begin ? 1 : -1;
    int64_t offset = 0;
    if (frame.unit != FrameUnit::kRange && bound.offset != nullptr) {
      offset = evaluated(bound.offset, partition[at]).integer();
      if (bound.end == FrameEnd::kPreceding) offset = -offset;
    }
    const auto here = static_cast<int64_t>(at), there = static_cast<int64_t>(j);
    if (frame.unit == FrameUnit::kRows) return (there - here - offset) * sign >= 0;
    const int64_t groups = group(partition, j) - group(partition, at);
    if (frame.unit == FrameUnit::kGroups || bound.end == FrameEnd::kCurrentRow)
      return (groups - offset) * sign >= 0;
    const ExprPtr& key = window_.order[0].expr;
    const Value mine = evaluated(key, partition[at]), other = evaluated(key, partition[j]);
    if (mine.is_null()) return groups * sign >= 0;
    if (other.is_null()) return (there - here) * sign > 0;
    const int order = compare(other, evaluated(bound.offset, partition[at]));
    return (window_.order[0].descending ? -order : order) * sign >= 0;
  }

  std::vector<size_t> frame_of(const plan::Frame& frame, const Partition& partition, size_t at) const {
    std::vector<size_t> rows;
    for (size_t j = 0; j < partition.size(); ++j) {
      if (!within(frame, frame.begin, true, partition, at, j)) continue;
      if (!within(frame, frame.end, false, partition, at, j)) continue;
      const bool peer = by_order(partition[at], partition[j]) == 0;
      if (frame.exclusion == FrameExclusion::kCurrentRow && j == at) continue;
      if (frame.exclusion == FrameExclusion::kGroup && peer) continue;
      if (frame.exclusion == FrameExclusion::kTies && peer && j != at) continue;
      rows.push_back(partition[j]);
    }
    return rows;
  }

  Value value(const plan::WindowCall& window_call, const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    const std::string& name = call.function;
    const auto rows = static_cast<int64_t>(partition.size());
    const auto here = static_cast<int64_t>(at);
    const auto peers = [&](auto holds) {
      return std::count_if(partition.begin(), partition.end(),
                           [&](size_t row) { return holds(by_order(row, partition[at])); });
    };
    const int64_t before = peers([](int order) { return order < 0; });
    if (!call.order.empty()) {
      const auto shifts_or_ranks = {"row_number", "rank", "percent_rank", "cume_dist",
                                    "ntile",      "lag",  "lead"};
      if (std::ranges::find(shifts_or_ranks, name) != shifts_or_ranks.end())
        return by_own_order(window_call, frame_of(window_call.frame, partition, at), partition, at);
    }
    if (name == "row_number") return Value::int64(here + 1);
    if (name == "rank") return Value::int64(before + 1);
    if (name == "dense_rank") return Value::int64(group(partition, at) + 1);
    if (name == "percent_rank")
      return Value::float64(rows == 1 ? 0 : static_cast<double>(before) / static_cast<double>(rows - 1));
    if (name == "cume_dist") {
      return Value::float64(static_cast<double>(peers([](int order) { return order <= 0; })) /
                            static_cast<double>(rows));
    }
    if (name == "ntile") return ntile(call.args[0]->literal.integer(), rows, here);
    if (name == "lag" || name == "lead") return shifted(window_call, partition, at);
    std::vector<size_t> seen = frame_of(window_call.frame, partition, at);
    if (name == "first_value" || name == "last_value" || name == "nth_value") {
      if (window_call.ignore_nulls)
        std::erase_if(seen, [&](size_t row) { return evaluated(call.args[0], row).is_null(); });
      std::ranges::stable_sort(seen, [&](size_t a, size_t b) { return by_keys(call.order, a, b) < 0; });
      int64_t n = name == "last_value" ? static_cast<int64_t>(seen.size()) : 1;
      if (name == "nth_value") n = evaluated(call.args[1], partition[at]).integer();
      if (n < 1 || n > static_cast<int64_t>(seen.size())) return Value(call.type);
      return evaluated(call.args[0], seen[static_cast<size_t>(n - 1)]);
    }
    std::vector<reference::Row> taken;
    for (const size_t row : seen) {
      if (call.filter != nullptr && !evaluated(call.filter, row).is_true()) continue;
      reference::Row values;
      for (const ExprPtr& arg : call.args) values.args.push_back(evaluated(arg, row));
      values.order = evaluated(call.order, row);
      taken.push_back(std::move(values));
    }
    return reference::aggregate(call, std::move(taken));
  }

  /// A rank of the row among the frame's rows, or the value that lag or lead finds among them.
  Value by_own_order(const plan::WindowCall& window_call, std::vector<size_t> seen,
                     const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    const auto rows = static_cast<int64_t>(seen.size());
    const size_t row = partition[at];
    int64_t less = 0, not_greater = 0, before = 0;
    for (const size_t other : seen) {
      const int order = by_keys(call.order, other, row);
      const bool comes_first = std::find(partition.begin(), partition.begin() + static_cast<ptrdiff_t>(at),
                                         other) != partition.begin() + static_cast<ptrdiff_t>(at);
      less += order < 0;
      not_greater += order <= 0;
      before += order < 0 || (order == 0 && comes_first);
    }
    if (call.function == "row_number") return Value::int64(before + 1);
    if (call.function == "rank") return Value::int64(less + 1);
    if (call.function == "percent_rank")
      return Value::float64(rows <= 1 ? 0 : static_cast<double>(less) / static_cast<double>(rows - 1));
    if (call.function == "cume_dist")
      return Value::float64(rows == 0 ? 0 : static_cast<double>(not_greater) / static_cast<double>(rows));
    if (call.function == "ntile") return ntile(call.args[0]->literal.integer(), rows, before);
    std::ranges::stable_sort(seen, [&](size_t a, size_t b) { return by_keys(call.order, a, b) < 0; });
    const int64_t offset = evaluated(call.args[1], row).integer();
    const int64_t place = call.function == "lag" ? before - offset : before + offset;
    if (place < 0 || place >= rows) return evaluated(call.args[2], row);
    if (window_call.ignore_nulls)
      std::erase_if(seen, [&](size_t other) { return evaluated(call.args[0], other).is_null(); });
    return place < static_cast<int64_t>(seen.size())
               ? evaluated(call.args[0], seen[static_cast<size_t>(place)])
               : Value(call.type);
  }

  static Value ntile(int64_t parts, int64_t rows, int64_t here) {
    int64_t row = 0;
    for (int64_t part = 1; part <= parts; ++part) {
      row += rows / parts + (part <= rows % parts ? 1 : 0);
      if (here < row) return Value::int64(part);
    }
    return {};
  }

  Value shifted(const plan::WindowCall& window_call, const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    int64_t left = evaluated(call.args[1], partition[at]).integer();
    const int64_t step = call.function == "lag" ? -1 : 1;
    auto place = static_cast<int64_t>(at);
    while (left > 0) {
      place += step;
      if (place < 0 || place >= static_cast<int64_t>(partition.size()))
        return evaluated(call.args[2], partition[at]);
      const Value value = evaluated(call.args[0], partition[static_cast<size_t>(place)]);
      if (!window_call.ignore_nulls || !value.is_null()) --left;
    }
    return evaluated(call.args[0], partition[static_cast<size_t>(place)]);
  }

  const plan::Window& window_;
  const std::vector<Row>& rows_;
  std::vector<plan::SortKey> partition_keys_;
  std::vector<reference::Row> in_partition_, in_order_;  // the keys of each row
  std::vector<Partition> partitions_;
  std::vector<int64_t> groups_;  // of each row
};

}  // namespace lanewise::ops::windows
