#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/int128.h"
#include "ops/aggregate/accumulators/collected.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/aggregate/functions/interpolate.h"
#include "ops/aggregate/functions/share.h"
#include "ops/less.h"

namespace lanewise::ops {

namespace {

/// The smallest value that is not exceeded by the given fraction of the values.
template <class T>
class QuantileDiscrete : public OfCollected {
 public:
  QuantileDiscrete(Type type, Share share, MemoryBudget* budget)
      : OfCollected({type, false, {}, {}, budget}, budget), type_(type), share_(share) {}

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<T> values;
    return values_.template column<T>(type_, first, count, budget_, cancellation, [&](Collected::Rows rows) {
      values.clear();
      for (const uint32_t row : rows) values.push_back(values_.template value<T>(row));
      const auto at = values.begin() + static_cast<ptrdiff_t>(share_.index(values.size()));
      std::nth_element(values.begin(), at, values.end(),
                       [&](const T& a, const T& b) { return share_.descending ? less(b, a) : less(a, b); });
      return *at;
    });
  }

 private:
  Type type_;
  Share share_;
};

/// Interpolated between the two values next to the fraction. Values of type T are converted to `Result`
/// first.
template <class T, class Result>
class QuantileContinuous : public OfCollected {
 public:
  QuantileContinuous(Type from, Type to, Share share, MemoryBudget* budget)
      : OfCollected({from, false, {}, {}, budget}, budget), type_(to), share_(share) {}

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<T> values;
    return values_.template column<Result>(type_, first, count, budget_, cancellation,
                                           [&](Collected::Rows rows) {
                                             values.clear();
                                             for (const uint32_t row : rows)
                                               values.push_back(values_.template value<T>(row));
                                             return quantile(values);
                                           });
  }

 private:
  Result quantile(std::vector<T>& values) const {
    const auto order = [&](const T& a, const T& b) { return share_.descending ? less(b, a) : less(a, b); };
    auto rest = values.begin();  // the values before it are in their places
    return interpolated<Result>(share_, values.size(), type_, [&](size_t k) {
      const auto at = values.begin() + static_cast<ptrdiff_t>(k);
      std::nth_element(rest, at, values.end(), order);
      rest = at + 1;
      return *at;
    });
  }

  Type type_;
  Share share_;
};

/// The median of the distances from the median.
template <class T>
class MedianDeviation : public OfCollected {
 public:
  MedianDeviation(Type type, MemoryBudget* budget)
      : OfCollected({type, false, {}, {}, budget}, budget), type_(type) {}

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<T> values;
    return values_.template column<T>(type_, first, count, budget_, cancellation, [&](Collected::Rows rows) {
      values.clear();
      for (const uint32_t row : rows) values.push_back(values_.template value<T>(row));
      const T middle = median(values);
      for (T& value : values) value = std::abs(value - middle);
      return median(values);
    });
  }

 private:
  T median(std::vector<T>& values) const {
    const auto order = [](const T& a, const T& b) { return less(a, b); };
    const auto low = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), low, values.end(), order);
    if (values.size() % 2 != 0) return *low;
    return between(*low, 0.5, *std::min_element(low + 1, values.end(), order), type_);
  }

  Type type_;
};

std::unique_ptr<Accumulator> make_discrete(Type type, const Share& share, MemoryBudget* budget) {
  return visit(type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    return std::make_unique<QuantileDiscrete<decltype(zero)>>(type, share, budget);
  });
}

std::unique_ptr<Accumulator> make_continuous(Type from, const Share& share, MemoryBudget* budget) {
  return visit_continuous(from, [&](auto value, auto result) -> std::unique_ptr<Accumulator> {
    using Accumulated = QuantileContinuous<decltype(value), decltype(result)>;
    return std::make_unique<Accumulated>(from, continuous(from).value(), share, budget);
  });
}

Share share_of(const plan::AggregateCall& call) {
  if (call.args[1]->kind != Expr::Kind::kLiteral)
    throw UserError("QUANTILE can only take constant parameters");
  return Share(call.args[1]->literal);
}

std::unique_ptr<Accumulator> quantile_disc(const plan::AggregateCall& call, MemoryBudget* budget) {
  return make_discrete(call.args[0]->type, share_of(call), budget);
}
std::unique_ptr<Accumulator> quantile_cont(const plan::AggregateCall& call, MemoryBudget* budget) {
  return make_continuous(call.args[0]->type, share_of(call), budget);
}
std::unique_ptr<Accumulator> median(const plan::AggregateCall& call, MemoryBudget* budget) {
  const Type type = call.args[0]->type;
  return continuous(type) ? make_continuous(type, half(), budget) : make_discrete(type, half(), budget);
}

std::unique_ptr<Accumulator> mad(const plan::AggregateCall& call, MemoryBudget* budget) {
  if (call.type == TypeId::kFloat32) return std::make_unique<MedianDeviation<float>>(call.type, budget);
  return std::make_unique<MedianDeviation<double>>(call.type, budget);
}

bool is_share(Type type) { return type.is_float() || type.is_integer() || type.id == TypeId::kDecimal; }
std::optional<Type> resolve_disc(std::span<const Type> args) {
  return args.size() == 2 && is_share(args[1]) ? std::optional<Type>(args[0]) : std::nullopt;
}
std::optional<Type> resolve_cont(std::span<const Type> args) {
  return args.size() == 2 && is_share(args[1]) ? continuous(args[0]) : std::nullopt;
}
std::optional<Type> resolve_median(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  return continuous(args[0]).value_or(args[0]);
}

std::optional<Type> resolve_mad(std::span<const Type> args) {
  return args.size() == 1 && args[0].is_float() ? std::optional<Type>(args[0]) : std::nullopt;
}

constexpr AggregateFunction kQuantileFunctions[] = {
    {.name = "mad",
     .resolve = resolve_mad,
     .make = mad,
     .documentation = "The median of the distances from the median.",
     .example = "SELECT mad(x) FROM (VALUES (1), (2), (7)) t(x) -- 1.0"},
    {.name = "median",
     .resolve = resolve_median,
     .make = median,
     .documentation = "The value in the middle; between two, their average (if they have one).",
     .example = "SELECT median(x) FROM (VALUES (1), (2), (4), (5)) t(x) -- 3.0",
     .quantile = Quantile::kInterpolated},
    {.name = "quantile_cont",
     .resolve = resolve_cont,
     .make = quantile_cont,
     .documentation = "The interpolated quantile for a fraction between 0 and 1.",
     .example = "SELECT quantile_cont(x, 0.25) FROM (VALUES (1), (2), (3)) t(x) -- 1.5",
     .quantile = Quantile::kInterpolated},
    {.name = "quantile_disc",
     .resolve = resolve_disc,
     .make = quantile_disc,
     .documentation = "The smallest value that is not less than the given fraction of all values.",
     .example = "SELECT quantile_disc(x, 0.25) FROM (VALUES (1), (2), (3)) t(x) -- 1",
     .quantile = Quantile::kDiscrete},
};

}  // namespace

std::span<const AggregateFunction> quantile_functions() { return kQuantileFunctions; }

}  // namespace lanewise::ops
