#include <type_traits>

#include "base/error.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/integer_sums.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/average.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

/// An average is a sum and a count; `Sums` holds the sums and divides them. With kOfParts the arguments are
/// sums and counts.
template <class Sums, bool kOfParts = false>
class Average : public Accumulator {
 public:
  Average(Type type, Sums sums, MemoryBudget* budget)
      : type_(type), budget_(budget), sums_(std::move(sums)), counts_(budget) {}

  void resize(uint32_t groups) override {
    sums_.resize(groups);
    counts_.resize(groups);
  }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    sums_.add(input, rows);
    int64_t* counts = counts_.data();
    if constexpr (kOfParts) {
      const Vector parts = expr::flatten(input.args[1], rows);
      const auto* part = parts.as<int64_t>();
      for_each_row(input, rows, [&](uint32_t row, uint32_t group) { counts[group] += part[row]; });
    } else if (input.groups == nullptr) {
      counts[0] += rows.count();
    } else {
      for_each_row(input, rows, [&](uint32_t, uint32_t group) { ++counts[group]; });
    }
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const Average&>(other);
    sums_.merge(theirs.sums_, from, to);
    for (size_t i = 0; i < from.size(); ++i) counts_[to[i]] += theirs.counts_[from[i]];
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    using Result = decltype(sums_.average(0, 1));
    return number_column<Result>(
        type_, count, budget_, [&](uint32_t i) { return counts_[first + i] != 0; },
        [&](uint32_t i) { return sums_.average(first + i, counts_[first + i]); });
  }

 private:
  Type type_;
  MemoryBudget* budget_;
  Sums sums_;
  States<int64_t> counts_;
};

/// Integers and decimals.
template <class T>
class WholeSums : public IntegerSums<T> {
 public:
  WholeSums(Type type, MemoryBudget* budget) : IntegerSums<T>(budget), rule_(type) {}
  double average(uint32_t group, int64_t count) const { return rule_(this->total(group), count); }

 private:
  AverageRule rule_;
};

/// Times and timestamps.
class InstantSums : public IntegerSums<int64_t> {
 public:
  using IntegerSums::IntegerSums;
  int64_t average(uint32_t group, int64_t count) const { return average_instant(total(group), count); }
};

/// Doubles, added in order; see sum.
template <bool kCompensated>
class RealSums {
 public:
  explicit RealSums(MemoryBudget* budget) : sums_(budget) {}
  void resize(uint32_t groups) { sums_.resize(groups); }
  void add(const AggregateInput& input, const ActiveSet& rows) {
    const Vector flat = expr::flatten(input.args[0], rows);
    const auto* values = flat.as<double>();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { add(sums_[group], values[row]); });
  }
  void merge(const RealSums& other, std::span<const uint32_t> from, const uint32_t* to) {
    for (size_t i = 0; i < from.size(); ++i) {
      add(sums_[to[i]], other.sums_[from[i]].sum);
      add(sums_[to[i]], other.sums_[from[i]].error);
    }
  }
  double average(uint32_t group, int64_t count) const {
    const auto divisor = static_cast<double>(count);
    return kCompensated ? sums_[group].sum / divisor + sums_[group].error / divisor
                        : sums_[group].sum / divisor;
  }

 private:
  struct Sum {
    double sum = 0;
    double error = 0;
  };
  static void add(Sum& state, double value) {
    if constexpr (kCompensated) {
      const double corrected = value - state.error;
      const double next = state.sum + corrected;
      state.error = (next - state.sum) - corrected;
      state.sum = next;
    } else {
      state.sum += value;
    }
  }
  States<Sum> sums_;
};

/// Intervals: months, days and microseconds separately.
class IntervalSums {
 public:
  explicit IntervalSums(MemoryBudget* budget) : sums_(budget) {}
  void resize(uint32_t groups) { sums_.resize(groups); }
  void add(const AggregateInput& input, const ActiveSet& rows) {
    const Vector flat = expr::flatten(input.args[0], rows);
    const auto* values = flat.as<Interval>();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { add(sums_[group], values[row]); });
  }
  void merge(const IntervalSums& other, std::span<const uint32_t> from, const uint32_t* to) {
    for (size_t i = 0; i < from.size(); ++i) add(sums_[to[i]], other.sums_[from[i]]);
  }
  Interval average(uint32_t group, int64_t count) const { return average_interval(sums_[group], count); }

 private:
  static void add(Interval& sum, const Interval& value) {
    const bool over = __builtin_add_overflow(sum.months, value.months, &sum.months) |
                      __builtin_add_overflow(sum.days, value.days, &sum.days) |
                      __builtin_add_overflow(sum.micros, value.micros, &sum.micros);
    if (over) throw UserError(kIntervalsOverflow);
  }
  States<Interval> sums_;
};

std::optional<Type> resolve_average(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  const Type type = args[0];
  if (type == Type::timestamp(TimeUnit::kMicro) || type == TypeId::kTimestampTz || type == TypeId::kTime ||
      type == TypeId::kInterval) {
    return type;
  }
  const bool number = type.id == TypeId::kDecimal || type == TypeId::kFloat64 || type.is_integer();
  return number && type != TypeId::kUInt128 ? std::optional<Type>(TypeId::kFloat64) : std::nullopt;
}
std::optional<Type> resolve_real_average(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kFloat64 ? std::optional<Type>(TypeId::kFloat64)
                                                         : std::nullopt;
}

template <class Sums>
std::unique_ptr<Accumulator> average_of(Type type, Sums sums, MemoryBudget* budget) {
  return std::make_unique<Average<Sums>>(type, std::move(sums), budget);
}

std::unique_ptr<Accumulator> make_average(const plan::AggregateCall& call, MemoryBudget* budget) {
  const Type type = call.args[0]->type;
  if (type == TypeId::kInterval) return average_of(type, IntervalSums(budget), budget);
  if (type == TypeId::kFloat64) return average_of(type, RealSums<false>(budget), budget);
  if (call.type == type) return average_of(type, InstantSums(budget), budget);
  return visit(type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    using T = decltype(zero);
    if constexpr (kSummable<T>) {
      return average_of(TypeId::kFloat64, WholeSums<T>(type, budget), budget);
    } else {
      throw InternalError("avg of " + type.name());
    }
  });
}
std::unique_ptr<Accumulator> make_compensated(const plan::AggregateCall& call, MemoryBudget* budget) {
  return average_of(call.type, RealSums<true>(budget), budget);
}

std::optional<Type> resolve_average_of_parts(std::span<const Type> args) {
  if (args.size() != 2 || args[1] != TypeId::kInt64) return std::nullopt;
  const bool sum =
      args[0].id == TypeId::kDecimal || args[0] == TypeId::kInt128 || args[0] == TypeId::kFloat64;
  return sum ? std::optional<Type>(TypeId::kFloat64) : std::nullopt;
}
std::unique_ptr<Accumulator> make_of_parts(const plan::AggregateCall& call, MemoryBudget* budget) {
  const Type sum = call.args[0]->type;
  if (sum == TypeId::kFloat64)
    return std::make_unique<Average<RealSums<false>, true>>(call.type, RealSums<false>(budget), budget);
  return std::make_unique<Average<WholeSums<int128_t>, true>>(call.type, WholeSums<int128_t>(sum, budget),
                                                              budget);
}

constexpr AggregateFunction kAverageFunctions[] = {
    {.name = "avg",
     .resolve = resolve_average,
     .make = make_average,
     .documentation = "The average; NULL if there is no value. For doubles it is as exact as their sum().",
     .example = "SELECT avg(x) FROM (VALUES (1), (2), (NULL)) t(x) -- 1.5",
     .reduction = Reduction::kSum,
     .is_average = true,
     .of_parts = "avg_of_parts"},
    {.name = "favg",
     .resolve = resolve_real_average,
     .make = make_compensated,
     .documentation = "The average of doubles with compensated rounding.",
     .example = "SELECT favg(x) FROM (VALUES (1::DOUBLE), (2)) t(x) -- 1.5",
     .reduction = Reduction::kCompensatedSum,
     .is_average = true},
};

constexpr AggregateFunction kAveragesOfParts[] = {
    {.name = "avg_of_parts", .resolve = resolve_average_of_parts, .make = make_of_parts, .takes_parts = true},
};

}  // namespace

std::span<const AggregateFunction> average_functions() { return kAverageFunctions; }
std::span<const AggregateFunction> averages_of_parts() { return kAveragesOfParts; }

}  // namespace lanewise::ops
