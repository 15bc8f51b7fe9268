#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ops/aggregate/accumulators/accumulator.h"
#include "ops/window/frames/rows.h"
#include "plan/node.h"

namespace lanewise::ops {

/// An aggregate call over rows of a window.
class Accumulation {
 public:
  /// Throws InternalError if there is no such function.
  explicit Accumulation(const plan::AggregateCall& call);

  const plan::AggregateCall& call() const { return call_; }
  std::unique_ptr<Accumulator> make(uint32_t groups, MemoryBudget* budget) const;

  /// Feeds rows to `to`: row i is at[i] and belongs to group groups[i]. Within a group rows have the
  /// order of (order, first_row + i).
  void update(Accumulator& to, const WindowRows& rows, std::span<const uint32_t> at, const uint32_t* groups,
              uint64_t order, uint64_t first_row, EvalContext& context) const;

 private:
  plan::AggregateCall call_;
  std::unique_ptr<Accumulator> (*make_)(const plan::AggregateCall& call, MemoryBudget* budget);
};

/// Feeds rows to groups of an accumulator, many at a time.
class RowFeed {
 public:
  /// All rows come after those of feeds with a smaller `order`.
  RowFeed(const Accumulation& accumulation, Accumulator& to, const WindowRows& rows, uint64_t order,
          const EvalContext& context);

  void push(uint32_t row, uint32_t group) {
    at_.push_back(row);
    groups_.push_back(group);
    if (at_.size() == kRows) flush();
  }
  void flush();

 private:
  static constexpr size_t kRows = 2048;

  const Accumulation& accumulation_;
  Accumulator& to_;
  const WindowRows& rows_;
  const uint64_t order_;
  uint64_t fed_ = 0;
  Arena arena_;
  EvalContext context_;
  std::vector<uint32_t> at_, groups_;
};

}  // namespace lanewise::ops
