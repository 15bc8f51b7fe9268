#include <cmath>

#include "base/error.h"
#include "expr/vectors.h"
#include "ops/aggregate/function_groups.h"
#include "ops/aggregate/states.h"

namespace lanewise::ops {

namespace {

/// Count, mean and sum of squared distances from it, updated value by value (Welford, Technometrics 4(3),
/// 1962) and merged pairwise (Chan, Golub, LeVeque, 1979). Another order of rows changes the result by a few
/// units in the last place.
struct Moments {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double before = value - mean;
    mean += before / static_cast<double>(count);
    squares += (value - mean) * before;
  }
  void add(const Moments& other) {
    if (count == 0) {
      *this = other;
    } else if (other.count != 0) {
      const auto mine = static_cast<double>(count);
      const auto theirs = static_cast<double>(other.count);
      const double delta = other.mean - mean;
      mean = std::fma(theirs / (mine + theirs), delta, mean);
      squares += other.squares + delta * delta * theirs * mine / (mine + theirs);
      count += other.count;
    }
  }
};

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
  MemoryBudget* budget_;
  States<State> states_;
};

double in_range(double value, const char* name) {
  if (!std::isfinite(value)) throw UserError(std::string(name) + " is out of range!");
  return value;
}

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

std::optional<Type> resolve(std::span<const Type> args) {
  return args.size() == 1 && args[0] == TypeId::kFloat64 ? std::optional<Type>(TypeId::kFloat64)
                                                         : std::nullopt;
}

template <class State, class Finish>
std::unique_ptr<Accumulator> make(const plan::AggregateCall&, MemoryBudget* budget) {
  return std::make_unique<Fold<State, Finish>>(budget);
}

constexpr AggregateFunction kFunctions[] = {
    {"product", true, false, resolve, make<Product, Whole>, "The product; NULL if there is no value.",
     "SELECT product(x) FROM (VALUES (2), (3)) t(x) -- 6.0"},
    {"stddev_pop", true, false, resolve, make<Moments, DeviationPopulation>,
     "The standard deviation of a population.", "SELECT stddev_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"stddev_samp", true, false, resolve, make<Moments, DeviationSample>,
     "The standard deviation of a sample.", "SELECT stddev_samp(x) FROM (VALUES (1), (2), (3)) t(x) -- 1.0"},
    {"var_pop", true, false, resolve, make<Moments, VariancePopulation>, "The variance of a population.",
     "SELECT var_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"var_samp", true, false, resolve, make<Moments, VarianceSample>, "The variance of a sample.",
     "SELECT var_samp(x) FROM (VALUES (1), (3)) t(x) -- 2.0"},
};

}  // namespace

std::span<const AggregateFunction> moments_functions() { return kFunctions; }

}  // namespace lanewise::ops
