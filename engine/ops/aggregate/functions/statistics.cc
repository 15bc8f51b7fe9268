#include "ops/aggregate/functions/statistics.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/collected.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/fold.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/aggregate/functions/moments.h"
#include "ops/less.h"

namespace lanewise::ops {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The formulas of DuckDB's functions, which are those of the SQL standard; undefined cases are as
// in DuckDB.

double mean(double sum, int64_t count) { return sum / static_cast<double>(count); }

/// Of one value they are 0, even if it is infinite.
double squares_x(const PairMoments& m) { return m.count > 1 ? m.squares_x : 0; }
double squares_y(const PairMoments& m) { return m.count > 1 ? m.squares_y : 0; }

struct Skewness : OfDoubles {
  static MaybeReal result(const Shape& s) {
    if (s.count < 3) return {};
    const double variance = in_range(mean(s.squares, s.count), "SKEW");
    if (variance == 0) return kNan;
    const auto n = static_cast<double>(s.count);
    return in_range(
        std::sqrt(n * (n - 1)) / (n - 2) * mean(s.cubes, s.count) / (variance * std::sqrt(variance)), "SKEW");
  }
};
/// Excess kurtosis: how much heavier the tails are than those of the normal distribution.
MaybeReal excess(const Shape& s, int64_t least) {
  if (s.count < least) return {};
  const double variance = in_range(mean(s.squares, s.count), "Kurtosis");
  if (variance == 0) return {};
  return in_range(mean(s.fourths, s.count) / (variance * variance) - 3, "Kurtosis");
}
struct KurtosisPopulation : OfDoubles {
  static MaybeReal result(const Shape& s) { return excess(s, 2); }
};
struct Kurtosis : OfDoubles {
  static MaybeReal result(const Shape& s) {
    const MaybeReal biased = excess(s, 4);
    if (!biased) return {};
    const auto n = static_cast<double>(s.count);
    return (n - 1) * ((n + 1) * *biased + 6) / ((n - 2) * (n - 3));
  }
};
struct StandardError : OfDoubles {
  static MaybeReal result(const Moments& m) {
    if (m.count == 0) return {};
    return in_range(std::sqrt(mean(m.squares, m.count)) / std::sqrt(static_cast<double>(m.count)), "SEM");
  }
};

struct CovariancePopulation : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 1 ? MaybeReal() : MaybeReal(mean(m.products, m.count));
  }
};
struct CovarianceSample : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 2 ? MaybeReal() : MaybeReal(mean(m.products, m.count - 1));
  }
};
struct Correlation : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    if (m.count < 1) return {};
    const double x = std::sqrt(in_range(mean(squares_x(m), m.count), "STDDEV_POP for X"));
    const double y = std::sqrt(in_range(mean(squares_y(m), m.count), "STDDEV_POP for Y"));
    return x * y == 0 ? kNan : mean(m.products, m.count) / (x * y);
  }
};
struct RegressionCount {
  static constexpr TypeId kType = TypeId::kUInt32;
  static std::optional<uint32_t> result(const PairMoments& m) { return static_cast<uint32_t>(m.count); }
};
struct RegressionMeanX : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 1 ? MaybeReal() : MaybeReal(mean(m.sum_x, m.count));
  }
};
struct RegressionMeanY : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 1 ? MaybeReal() : MaybeReal(mean(m.sum_y, m.count));
  }
};
struct RegressionSquaresX : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 1 ? MaybeReal() : MaybeReal(in_range(squares_x(m), "VARPOP"));
  }
};
struct RegressionSquaresY : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    return m.count < 1 ? MaybeReal() : MaybeReal(in_range(squares_y(m), "VARPOP"));
  }
};
struct RegressionProducts : OfDoubles {
  static MaybeReal result(const PairMoments& m) { return m.count < 1 ? MaybeReal() : MaybeReal(m.products); }
};
struct Slope : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    if (m.count < 1) return {};
    return in_range(squares_x(m), "VARPOP") == 0 ? kNan : m.products / squares_x(m);
  }
};
struct Intercept : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    const MaybeReal slope = Slope::result(m);
    if (!slope || squares_x(m) == 0) return {};
    return m.mean_y - *slope * m.mean_x;
  }
};
struct Determination : OfDoubles {
  static MaybeReal result(const PairMoments& m) {
    if (m.count < 1 || in_range(squares_x(m), "VARPOP(X)") == 0) return {};
    if (in_range(squares_y(m), "VARPOP(Y)") == 0) return 1;
    return m.products * m.products / squares_x(m) / squares_y(m);
  }
};

/// The entropy in bits: the sum of -p log2(p) over the frequencies p of the distinct values
/// (Shannon, 1948). NaN does not equal NaN.
template <class T>
class Entropy : public OfCollected {
 public:
  Entropy(Type type, MemoryBudget* budget) : OfCollected({type, false, {}, {}, budget}, budget) {}

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    return number_column<double>(
        TypeId::kFloat64, count, budget_, [](uint32_t) { return true; },
        [&](uint32_t i) {
          if (cancellation != nullptr) cancellation->check();
          return of(values_.rows(first + i));
        });
  }

 private:
  double of(Collected::Rows rows) const {
    std::vector<T> values;
    for (const uint32_t row : rows) values.push_back(values_.template value<T>(row));
    std::sort(values.begin(), values.end(), [](const T& a, const T& b) { return less(a, b); });
    double sum = 0;
    for (size_t start = 0, end = 0; start < values.size(); start = end) {
      end = start + 1;
      while (end < values.size() && same(values[start], values[end])) ++end;
      const double share = static_cast<double>(end - start) / static_cast<double>(values.size());
      sum -= share * std::log2(share);
    }
    return sum;
  }
};

std::unique_ptr<Accumulator> make_entropy(const plan::AggregateCall& call, MemoryBudget* budget) {
  const Type type = call.args[0]->type;
  return visit(type.physical(), [&](auto zero) -> std::unique_ptr<Accumulator> {
    return std::make_unique<Entropy<decltype(zero)>>(type, budget);
  });
}

template <size_t count, TypeId result>
std::optional<Type> of_doubles(std::span<const Type> args) {
  if (args.size() != count ||
      std::ranges::count(args, Type(TypeId::kFloat64)) != static_cast<ptrdiff_t>(count))
    return {};
  return Type(result);
}
std::optional<Type> of_anything(std::span<const Type> args) {
  return args.size() == 1 ? std::optional<Type>(TypeId::kFloat64) : std::nullopt;
}

template <class State, class Finish>
constexpr AggregateFunction entry(std::string_view name, std::string_view documentation,
                                  std::string_view example) {
  constexpr size_t kArgs = std::is_same_v<State, PairMoments> ? 2 : 1;
  return {name,          true,   false, of_doubles<kArgs, Finish::kType>, make_fold<State, Finish>,
          documentation, example};
}

constexpr AggregateFunction kStatistics[] = {
    entry<PairMoments, Correlation>("corr", "The correlation coefficient of y and x (Pearson).",
                                    "SELECT corr(y, x) FROM (VALUES (1, 2), (2, 4), (3, 6)) t(y, x) -- 1.0"),
    entry<PairMoments, CovariancePopulation>(
        "covar_pop", "The covariance of a population.",
        "SELECT covar_pop(y, x) FROM (VALUES (1, 2), (3, 6)) t(y, x) -- 2.0"),
    entry<PairMoments, CovarianceSample>(
        "covar_samp", "The covariance of a sample.",
        "SELECT covar_samp(y, x) FROM (VALUES (1, 2), (3, 6)) t(y, x) -- 4.0"),
    {.name = "entropy",
     .resolve = of_anything,
     .make = make_entropy,
     .documentation = "How many bits of information a value has (Shannon's entropy).",
     .example = "SELECT entropy(x) FROM (VALUES ('a'), ('b')) t(x) -- 1.0",
     .compares_values = false},
    entry<Shape, Kurtosis>("kurtosis", "The excess kurtosis of a sample.",
                           "SELECT kurtosis(x) FROM (VALUES (0), (0), (4), (4)) t(x) -- -6.0"),
    entry<Shape, KurtosisPopulation>("kurtosis_pop", "The excess kurtosis of a population.",
                                     "SELECT kurtosis_pop(x) FROM (VALUES (1), (3)) t(x) -- -2.0"),
    entry<PairMoments, RegressionMeanX>("regr_avgx", "The average of x, where neither y nor x is NULL.",
                                        "SELECT regr_avgx(y, x) FROM (VALUES (1, 2), (3, 6)) t(y, x) -- 4.0"),
    entry<PairMoments, RegressionMeanY>("regr_avgy", "The average of y, where neither y nor x is NULL.",
                                        "SELECT regr_avgy(y, x) FROM (VALUES (1, 2), (3, 6)) t(y, x) -- 2.0"),
    entry<PairMoments, RegressionCount>(
        "regr_count", "The number of rows in which neither y nor x is NULL.",
        "SELECT regr_count(y, x) FROM (VALUES (1, 2), (3, NULL)) t(y, x) -- 1"),
    entry<PairMoments, Intercept>("regr_intercept", "Where the line that fits best crosses the y axis.",
                                  "SELECT regr_intercept(y, x) FROM (VALUES (1, 0), (3, 1)) t(y, x) -- 1.0"),
    entry<PairMoments, Determination>("regr_r2",
                                      "The coefficient of determination: the square of corr(y, x).",
                                      "SELECT regr_r2(y, x) FROM (VALUES (1, 0), (3, 1)) t(y, x) -- 1.0"),
    entry<PairMoments, Slope>("regr_slope", "The slope of the line that fits best.",
                              "SELECT regr_slope(y, x) FROM (VALUES (1, 0), (3, 1)) t(y, x) -- 2.0"),
    entry<PairMoments, RegressionSquaresX>(
        "regr_sxx", "The sum of the squared distances of x from its average.",
        "SELECT regr_sxx(y, x) FROM (VALUES (1, 0), (3, 2)) t(y, x) -- 2.0"),
    entry<PairMoments, RegressionProducts>(
        "regr_sxy", "The sum of the products of the distances of y and x from their averages.",
        "SELECT regr_sxy(y, x) FROM (VALUES (1, 0), (3, 4)) t(y, x) -- 4.0"),
    entry<PairMoments, RegressionSquaresY>(
        "regr_syy", "The sum of the squared distances of y from its average.",
        "SELECT regr_syy(y, x) FROM (VALUES (1, 0), (3, 4)) t(y, x) -- 2.0"),
    entry<Moments, StandardError>("sem", "The standard error of the mean.",
                                  "SELECT sem(x) FROM (VALUES (1), (1), (3), (3)) t(x) -- 0.5"),
    entry<Shape, Skewness>("skewness", "The skewness of a sample.",
                           "SELECT skewness(x) FROM (VALUES (1), (2), (3)) t(x) -- 0.0"),
};

}  // namespace

std::span<const AggregateFunction> statistics_functions() { return kStatistics; }

}  // namespace lanewise::ops
