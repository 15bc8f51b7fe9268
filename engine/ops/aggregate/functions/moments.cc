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
    {.name = "product",
     .resolve = resolve_moments,
     .make = make_fold<Product, Whole>,
     .documentation = "The product; NULL if there is no value.",
     .example = "SELECT product(x) FROM (VALUES (2), (3)) t(x) -- 6.0",
     .reduction = Reduction::kProduct},
    {.name = "stddev_pop",
     .resolve = resolve_moments,
     .make = make_fold<Moments, DeviationPopulation>,
     .documentation = "The standard deviation of a population.",
     .example = "SELECT stddev_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0",
     .reduction = Reduction::kMoments,
     .of_moments = DeviationPopulation::result},
    {.name = "stddev_samp",
     .resolve = resolve_moments,
     .make = make_fold<Moments, DeviationSample>,
     .documentation = "The standard deviation of a sample.",
     .example = "SELECT stddev_samp(x) FROM (VALUES (1), (2), (3)) t(x) -- 1.0",
     .reduction = Reduction::kMoments,
     .of_moments = DeviationSample::result},
    {.name = "var_pop",
     .resolve = resolve_moments,
     .make = make_fold<Moments, VariancePopulation>,
     .documentation = "The variance of a population.",
     .example = "SELECT var_pop(x) FROM (VALUES (1), (3)) t(x) -- 1.0",
     .reduction = Reduction::kMoments,
     .of_moments = VariancePopulation::result},
    {.name = "var_samp",
     .resolve = resolve_moments,
     .make = make_fold<Moments, VarianceSample>,
     .documentation = "The variance of a sample.",
     .example = "SELECT var_samp(x) FROM (VALUES (1), (3)) t(x) -- 2.0",
     .reduction = Reduction::kMoments,
     .of_moments = VarianceSample::result},
};

constexpr AggregateFunction kOfParts[] = {
    {.name = "stddev_pop",
     .resolve = resolve_parts,
     .make = make_fold<Moments, DeviationPopulation>,
     .takes_parts = true},
    {.name = "stddev_samp",
     .resolve = resolve_parts,
     .make = make_fold<Moments, DeviationSample>,
     .takes_parts = true},
    {.name = "var_pop",
     .resolve = resolve_parts,
     .make = make_fold<Moments, VariancePopulation>,
     .takes_parts = true},
    {.name = "var_samp",
     .resolve = resolve_parts,
     .make = make_fold<Moments, VarianceSample>,
     .takes_parts = true},
};

}  // namespace

std::span<const AggregateFunction> moments_functions() { return kMomentsFunctions; }
std::span<const AggregateFunction> moments_of_parts() { return kOfParts; }

}  // namespace lanewise::ops
