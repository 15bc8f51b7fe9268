#pragma once

#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/accumulator.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/moments.h"
#include "ops/aggregate/functions/statistics.h"
#include "plan/node.h"

/// Aggregates that fold the doubles of rows without NULLs into one state for each group.
namespace lanewise::ops {

using MaybeReal = std::optional<double>;

/// A Finish whose result(state) returns a double, or nothing if the aggregate is NULL.
struct OfDoubles {
  static constexpr TypeId kType = TypeId::kFloat64;
};

template <class State, class Finish>
class Fold : public Accumulator {
 public:
  explicit Fold(MemoryBudget* budget) : budget_(budget), states_(budget) {}

  void resize(uint32_t groups) override { states_.resize(groups); }
  void update(const AggregateInput& input) override {
    ActiveSet rows = present(input);
    if constexpr (std::is_same_v<State, Moments>) {
      if (input.args.size() == 3) return add_parts(input, rows);
    }
    if constexpr (std::is_same_v<State, PairMoments>) {
      rows.narrow(present(input, 1).bitmap());
      const Vector ys = expr::flatten(input.args[0], rows), xs = expr::flatten(input.args[1], rows);
      const auto *y = ys.as<double>(), *x = xs.as<double>();
      for_each_row(input, rows, [&](uint32_t row, uint32_t group) { states_[group].add(y[row], x[row]); });
    } else {
      const Vector flat = expr::flatten(input.args[0], rows);
      const auto* values = flat.as<double>();
      for_each_row(input, rows, [&](uint32_t row, uint32_t group) { states_[group].add(values[row]); });
    }
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const Fold&>(other).states_;
    for (size_t i = 0; i < from.size(); ++i) states_[to[i]].add(theirs[from[i]]);
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    using Result = typename decltype(Finish::result(State{}))::value_type;
    std::optional<Result> result;
    return number_column<Result>(
        Finish::kType, count, budget_,
        [&](uint32_t i) { return (result = Finish::result(states_[first + i])).has_value(); },
        [&](uint32_t) { return *result; });
  }

 private:
  /// Adds partial results: count, mean and squares.
  void add_parts(const AggregateInput& input, const ActiveSet& rows) {
    const Vector counts = expr::flatten(input.args[0], rows), means = expr::flatten(input.args[1], rows),
                 squares = expr::flatten(input.args[2], rows);
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) {
      const int64_t count = counts.as<int64_t>()[row];
      if (count != 0) states_[group].add(Moments{count, means.as<double>()[row], squares.as<double>()[row]});
    });
  }

  MemoryBudget* budget_;
  States<State> states_;
};

template <class State, class Finish>
std::unique_ptr<Accumulator> make_fold(const plan::AggregateCall&, MemoryBudget* budget) {
  return std::make_unique<Fold<State, Finish>>(budget);
}

}  // namespace lanewise::ops
