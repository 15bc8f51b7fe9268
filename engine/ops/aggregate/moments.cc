#include "ops/aggregate/moments.h"

#include <cmath>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "expr/vectors.h"
#include "ops/aggregate/function_groups.h"
#include "ops/aggregate/states.h"

namespace lanewise::ops {

namespace {

struct Product {
  int64_t count = 0;
  double product = 1;
  void add(double value) {
    ++count;
    product *= value;
  }
  void add(const Product& other) {
    count += other.count;
    product *= other.product;
  }
};

/// Folds doubles into a State per group; Finish::least is the number of values below which the result is
/// NULL.
template <class State, class Finish>
class Fold : public Accumulator {
 public:
  explicit Fold(MemoryBudget* budget) : budget_(budget), states_(budget) {}

  void resize(uint32_t groups) override { states_.resize(groups); }
  void update(const AggregateInput& input) override {
    const ActiveSet rows = present(input);
    if constexpr (std::is_same_v<State, Moments>) {
      if (input.args.size() == 3) return add_parts(input, rows);
    }
    const Vector flat = expr::flatten(input.args[0], rows);
    const auto* values = flat.as<double>();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { states_[group].add(values[row]); });
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const Fold&>(other).states_;
    for (size_t i = 0; i < from.size(); ++i) states_[to[i]].add(theirs[from[i]]);
  }
  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return number_column<double>(
        TypeId::kFloat64, count, budget_,
        [&](uint32_t i) { return states_[first + i].count >= Finish::kLeast; },
        [&](uint32_t i) { return Finish::result(states_[first + i]); });
  }

 private:
  /// Count, mean and squares of values that others have taken.
  void add_parts(const AggregateInput& input, const ActiveSet& rows) {
    const Vector counts = expr::flatten(input.args[0], rows), means = expr::flatten(input.args[1], rows),
                 squares = expr::flatten(input.args[2], rows);
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) {
      const int64_t count = counts.as<int64_t>()[row];
      if (count != 0) states_[group].add({count, means.as<double>()[row], squares.as<double>()[row]});
    });
  }

  MemoryBudget* budget_;
  States<State> states_;
};

struct VarianceSample {
  static constexpr int64_t kLeast = 2;
  static double result(const Moments& m) {
    return in_range(m.squares / static_cast<double>(m.count - 1), "VARSAMP");
  }
};
struct VariancePopulation {
  static constexpr int64_t kLeast = 1;
  static double result(const Moments& m) {
    return in_range(m.count > 1 ? m.squares / static_cast<double>(m.count) : 0, "VARPOP");
  }
};
struct DeviationSample {
  static constexpr int64_t kLeast = 2;
  static double result(const Moments& m) {
    return in_range(std::sqrt(m.squares / static_cast<double>(m.count - 1)), "STDDEV_SAMP");
  }
};
struct DeviationPopulation {
  static constexpr int64_t kLeast = 1;
  static double result(const Moments& m) {
    return in_range(m.count > 1 ? std::sqrt(m.squares / static_cast<double>(m.count)) : 0, "STDDEV_POP");
  }
};
struct Whole {
  static constexpr int64_t kLeast = 1;
  static double result(const Product& product) { return product.product; }
};

std::optional<Type> resolve_parts(std::span<const Type> args) {
  const bool parts = args.size() == 3 && args[0] == TypeId::kInt64 && args[1] == TypeId::kFloat64 &&
                     args[2] == TypeId::kFloat64;
  return parts ? std::optional<Type>(TypeId::kFloat64) : std::nullopt;
}

std::optional<Type> resolve_moments(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kFloat64 ? std::optional<Type>(TypeId::kFloat64)
                                                         : std::nullopt;
}

template <class State, class Finish>
std::unique_ptr<Accumulator> make_moments(const plan::AggregateCall&, MemoryBudget* budget) {
  return std::make_unique<Fold<State, Finish>>(budget);
}

constexpr AggregateFunction kMomentsFunctions[] = {
    {"product", true, false, resolve_moments, make_moments<Product, Whole>,
     "The product; NULL if there is no value.", "SELECT product(x) FROM (VALUES (2), (3)) t(x) -- 6.0"},
    {"stddev_pop", true, false, resolve_moments, make_moments<Moments, DeviationPopulation>,
     "The standard deviation of a population.", "SELECT stddev_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"stddev_samp", true, false, resolve_moments, make_moments<Moments, DeviationSample>,
     "The standard deviation of a sample.", "SELECT stddev_samp(x) FROM (VALUES (1), (2), (3)) t(x) -- 1.0"},
    {"var_pop", true, false, resolve_moments, make_moments<Moments, VariancePopulation>,
     "The variance of a population.", "SELECT var_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"var_samp", true, false, resolve_moments, make_moments<Moments, VarianceSample>,
     "The variance of a sample.", "SELECT var_samp(x) FROM (VALUES (1), (3)) t(x) -- 2.0"},
};

constexpr AggregateFunction kOfParts[] = {
    {"stddev_pop", true, false, resolve_parts, make_moments<Moments, DeviationPopulation>, "", ""},
    {"stddev_samp", true, false, resolve_parts, make_moments<Moments, DeviationSample>, "", ""},
    {"var_pop", true, false, resolve_parts, make_moments<Moments, VariancePopulation>, "", ""},
    {"var_samp", true, false, resolve_parts, make_moments<Moments, VarianceSample>, "", ""},
};

template <class Finish>
std::optional<double> finished(const Moments& moments) {
  return moments.count < Finish::kLeast ? std::nullopt : std::optional<double>(Finish::result(moments));
}

}  // namespace

std::span<const AggregateFunction> moments_functions() { return kMomentsFunctions; }
std::span<const AggregateFunction> moments_of_parts() { return kOfParts; }

std::optional<double> spread(std::string_view function, const Moments& moments) {
  if (function == "var_pop") return finished<VariancePopulation>(moments);
  if (function == "stddev_pop") return finished<DeviationPopulation>(moments);
  if (function == "stddev_samp") return finished<DeviationSample>(moments);
  return finished<VarianceSample>(moments);
}

}  // namespace lanewise::ops
