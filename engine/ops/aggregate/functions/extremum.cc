#include <cmath>
#include <type_traits>

#include "base/int128.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/accumulators/seen.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/less.h"
#include "primitives/kernels.h"

namespace lanewise::ops {

namespace {

/// As in the kernels: -0.0 comes before 0.0, so that the result does not depend on the order of rows.
template <class T>
bool before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return less(a, b);
}

template <bool kMax, class T>
bool better(const T& a, const T& b) {
  return kMax ? before(b, a) : before(a, b);
}

template <class T>
inline constexpr bool kHasKernels = std::is_arithmetic_v<T>;

/// min and max of numbers.
template <class T, bool kMax>
class Extremum : public Accumulator {
 public:
  Extremum(Type type, MemoryBudget* budget) : type_(type), budget_(budget), best_(budget), seen_(budget) {}

  void resize(uint32_t groups) override {
    best_.resize(groups);
    seen_.resize(groups);
  }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    const Vector flat = expr::flatten(input.args[0], rows);
    const T* values = flat.as<T>();
    if constexpr (kHasKernels<T>) {
      if (input.groups == nullptr) {
        const auto& kernels = kernels::of<T>(input.target);
        const auto found = kernels.min_max(values, rows.all() ? nullptr : rows.bitmap(), rows.rows());
        if (found.any) take(0, kMax ? found.max : found.min);
        return;
      }
    }
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { take(group, values[row]); });
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const Extremum&>(other);
    for (size_t i = 0; i < from.size(); ++i) {
      if (theirs.seen_[from[i]]) take(to[i], theirs.best_[from[i]]);
    }
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<T>(
        type_, count, budget_, [&](uint32_t i) { return seen_[first + i]; },
        [&](uint32_t i) { return best_[first + i]; });
  }

 private:
  void take(uint32_t group, const T& value) {
    if (!seen_[group] || better<kMax>(value, best_[group])) {
      best_[group] = value;
      seen_.mark(group);
    }
  }

  Type type_;
  MemoryBudget* budget_;
  States<T> best_;
  Seen seen_;
};

/// min and max of strings, as bytes.
template <bool kMax>
class ExtremumText : public Accumulator {
 public:
  ExtremumText(Type type, MemoryBudget* budget) : type_(type), budget_(budget), best_(budget) {}

  void resize(uint32_t groups) override { best_.resize(groups); }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    const Vector& vector = input.args[0];
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { take(group, vector.text(row)); });
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const ExtremumText&>(other).best_;
    for (size_t i = 0; i < from.size(); ++i) {
      if (theirs.has(from[i])) take(to[i], theirs[from[i]]);
    }
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return text_column(
        type_, count, budget_, [&](uint32_t i) { return best_.has(first + i); },
        [&](uint32_t i) { return best_[first + i]; });
  }

 private:
  void take(uint32_t group, std::string_view value) {
    if (!best_.has(group) || better<kMax>(value, best_[group])) best_.put(group, value);
  }

  Type type_;
  MemoryBudget* budget_;
  KeptText best_;
};

template <bool kMax>
std::unique_ptr<Accumulator> make_extremum(const plan::AggregateCall& call, MemoryBudget* budget) {
  return visit(call.type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      return std::make_unique<ExtremumText<kMax>>(call.type, budget);
    } else {
      return std::make_unique<Extremum<T, kMax>>(call.type, budget);
    }
  });
}

constexpr AggregateFunction kExtremumFunctions[] = {
    {.name = "min",
     .distinct_matters = false,
     .resolve = same_type,
     .make = make_extremum<false>,
     .documentation = "The least value; strings are compared as bytes, NaN is above all numbers.",
     .example = "SELECT min(x) FROM (VALUES (2), (1), (NULL)) t(x) -- 1",
     .reduction = Reduction::kMin,
     .of_parts = "min"},
    {.name = "max",
     .distinct_matters = false,
     .resolve = same_type,
     .make = make_extremum<true>,
     .documentation = "The greatest value; strings are compared as bytes, NaN is above all numbers.",
     .example = "SELECT max(x) FROM (VALUES (2), (1), (NULL)) t(x) -- 2",
     .reduction = Reduction::kMax,
     .of_parts = "max"},
};

}  // namespace

std::span<const AggregateFunction> extremum_functions() { return kExtremumFunctions; }

}  // namespace lanewise::ops
