#include <type_traits>

#include "base/error.h"
#include "base/int128.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/integer_sums.h"
#include "ops/aggregate/accumulators/seen.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/function_groups.h"
#include "primitives/kernels.h"

namespace lanewise::ops {

namespace {

/// sum of integers and decimals. Exact; the result is 128 bits wide.
template <class T>
class SumInteger : public Accumulator {
 public:
  SumInteger(Type type, MemoryBudget* budget) : type_(type), budget_(budget), sums_(budget), seen_(budget) {}

  void resize(uint32_t groups) override {
    sums_.resize(groups);
    seen_.resize(groups);
  }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    sums_.add(input, rows);
    seen_.mark(input, rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const SumInteger&>(other);
    sums_.merge(theirs.sums_, from, to);
    seen_.merge(theirs.seen_, from, to);
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<int128_t>(
        type_, count, budget_, [&](uint32_t i) { return seen_[first + i]; },
        [&](uint32_t i) { return sums_.total(first + i); });
  }

 private:
  Type type_;
  MemoryBudget* budget_;
  IntegerSums<T> sums_;
  Seen seen_;
};

struct Plain {
  double sum = 0;
  void add(double value) { sum += value; }
  void add(const Plain& other) { sum += other.sum; }
  double total() const { return sum; }
};

/// Summation with a running correction of rounding errors (Kahan, CACM 8(1), 1965).
struct Kahan {
  double sum = 0;
  double error = 0;
  void add(double value) {
    const double corrected = value - error;
    const double next = sum + corrected;
    error = (next - sum) - corrected;
    sum = next;
  }
  void add(const Kahan& other) {
    add(other.sum);
    add(other.error);
  }
  double total() const { return sum; }
};

/// sum of doubles. Within a group rows are added in order; chunks of one group are added as they arrive,
/// so that the result may differ from another order's by n * 2^-53 * sum(|x|) for n rows; kahan_sum by 2^-52
/// * sum(|x|).
template <class Sum>
class SumReal : public Accumulator {
 public:
  SumReal(Type type, MemoryBudget* budget) : type_(type), budget_(budget), sums_(budget), seen_(budget) {}

  void resize(uint32_t groups) override {
    sums_.resize(groups);
    seen_.resize(groups);
  }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    const Vector flat = expr::flatten(input.args[0], rows);
    const auto* values = flat.as<double>();
    if (std::is_same_v<Sum, Plain> && input.groups == nullptr) {
      const auto& kernels = kernels::of<double>(input.target);
      sums_[0].add(kernels.sum(values, rows.all() ? nullptr : rows.bitmap(), rows.rows()));
    } else {
      Sum* sums = sums_.data();
      for_each_row(input, rows, [&](uint32_t row, uint32_t group) { sums[group].add(values[row]); });
    }
    seen_.mark(input, rows);
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const SumReal&>(other);
    for (size_t i = 0; i < from.size(); ++i) sums_[to[i]].add(theirs.sums_[from[i]]);
    seen_.merge(theirs.seen_, from, to);
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<double>(
        type_, count, budget_, [&](uint32_t i) { return seen_[first + i]; },
        [&](uint32_t i) { return sums_[first + i].total(); });
  }

 private:
  Type type_;
  MemoryBudget* budget_;
  States<Sum> sums_;
  Seen seen_;
};

std::optional<Type> resolve_sum(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  if (args[0].id == TypeId::kDecimal) return Type::decimal(38, args[0].scale);
  if (args[0] == TypeId::kFloat64) return TypeId::kFloat64;
  const bool whole = args[0].is_integer() && args[0] != TypeId::kUInt128;
  return whole || args[0] == TypeId::kBool ? std::optional<Type>(TypeId::kInt128) : std::nullopt;
}
std::optional<Type> resolve_real_sum(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kFloat64 ? std::optional<Type>(TypeId::kFloat64)
                                                         : std::nullopt;
}

std::unique_ptr<Accumulator> make_sum(const plan::AggregateCall& call, MemoryBudget* budget) {
  return visit(call.args[0]->type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double>) {
      return std::make_unique<SumReal<Plain>>(call.type, budget);
    } else if constexpr (kSummable<T>) {
      return std::make_unique<SumInteger<T>>(call.type, budget);
    } else {
      throw InternalError("sum of " + call.args[0]->type.name());
    }
  });
}
std::unique_ptr<Accumulator> make_kahan(const plan::AggregateCall& call, MemoryBudget* budget) {
  return std::make_unique<SumReal<Kahan>>(call.type, budget);
}

constexpr AggregateFunction kSumFunctions[] = {
    {.name = "sum",
     .resolve = resolve_sum,
     .make = make_sum,
     .documentation =
         "The sum; NULL if there is no value. For doubles it is off by at most rows * 2^-53 * the sum of "
         "magnitudes: "
         "its last "
         "digits depend on how rows are cut and shared out.",
     .example = "SELECT sum(x) FROM (VALUES (1), (2), (NULL)) t(x) -- 3",
     .reduction = Reduction::kSum,
     .of_parts = "sum"},
    {.name = "kahan_sum",
     .resolve = resolve_real_sum,
     .make = make_kahan,
     .documentation = "The sum of doubles with compensated rounding.",
     .example = "SELECT kahan_sum(x) FROM (VALUES (0.5::DOUBLE), (0.25)) t(x) -- 0.75",
     .reduction = Reduction::kCompensatedSum},
};

}  // namespace

std::span<const AggregateFunction> sum_functions() { return kSumFunctions; }

}  // namespace lanewise::ops
