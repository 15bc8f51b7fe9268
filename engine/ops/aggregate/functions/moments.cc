#include "ops/aggregate/functions/moments.h"

#include <cmath>

#include "ops/aggregate/functions/fold.h"
#include "ops/aggregate/functions/function_groups.h"

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

struct VarianceSample : OfDoubles {
  static MaybeReal result(const Moments& m) {
    return m.count < 2 ? MaybeReal()
                       : MaybeReal(in_range(m.squares / static_cast<double>(m.count - 1), "VARSAMP"));
  }
};
struct VariancePopulation : OfDoubles {
  static MaybeReal result(const Moments& m) {
    return m.count < 1
               ? MaybeReal()
               : MaybeReal(in_range(m.count > 1 ? m.squares / static_cast<double>(m.count) : 0, "VARPOP"));
  }
};
struct DeviationSample : OfDoubles {
  static MaybeReal result(const Moments& m) {
    return m.count < 2
               ? MaybeReal()
               : MaybeReal(in_range(std::sqrt(m.squares / static_cast<double>(m.count - 1)), "STDDEV_SAMP"));
  }
};
struct DeviationPopulation : OfDoubles {
  static MaybeReal result(const Moments& m) {
    return m.count < 1
               ? MaybeReal()
               : MaybeReal(in_range(m.count > 1 ? std::sqrt(m.squares / static_cast<double>(m.count)) : 0,
                                    "STDDEV_POP"));
  }
};
struct Whole : OfDoubles {
  static MaybeReal result(const Product& p) { return p.count < 1 ? MaybeReal() : MaybeReal(p.product); }
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

constexpr AggregateFunction kMomentsFunctions[] = {
    {"product", true, false, resolve_moments, make_fold<Product, Whole>,
     "The product; NULL if there is no value.", "SELECT product(x) FROM (VALUES (2), (3)) t(x) -- 6.0"},
    {"stddev_pop", true, false, resolve_moments, make_fold<Moments, DeviationPopulation>,
     "The standard deviation of a population.", "SELECT stddev_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"stddev_samp", true, false, resolve_moments, make_fold<Moments, DeviationSample>,
     "The standard deviation of a sample.", "SELECT stddev_samp(x) FROM (VALUES (1), (2), (3)) t(x) -- 1.0"},
    {"var_pop", true, false, resolve_moments, make_fold<Moments, VariancePopulation>,
     "The variance of a population.", "SELECT var_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0"},
    {"var_samp", true, false, resolve_moments, make_fold<Moments, VarianceSample>,
     "The variance of a sample.", "SELECT var_samp(x) FROM (VALUES (1), (3)) t(x) -- 2.0"},
};

constexpr AggregateFunction kOfParts[] = {
    {"stddev_pop", true, false, resolve_parts, make_fold<Moments, DeviationPopulation>, "", ""},
    {"stddev_samp", true, false, resolve_parts, make_fold<Moments, DeviationSample>, "", ""},
    {"var_pop", true, false, resolve_parts, make_fold<Moments, VariancePopulation>, "", ""},
    {"var_samp", true, false, resolve_parts, make_fold<Moments, VarianceSample>, "", ""},
};

}  // namespace

std::span<const AggregateFunction> moments_functions() { return kMomentsFunctions; }
std::span<const AggregateFunction> moments_of_parts() { return kOfParts; }

std::optional<double> spread(std::string_view function, const Moments& moments) {
  if (function == "var_pop") return VariancePopulation::result(moments);
  if (function == "stddev_pop") return DeviationPopulation::result(moments);
  if (function == "stddev_samp") return DeviationSample::result(moments);
  return VarianceSample::result(moments);
}

}  // namespace lanewise::ops
