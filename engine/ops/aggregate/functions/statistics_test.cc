#include "ops/aggregate/functions/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace lanewise::ops {
namespace statistics_test {
namespace {

using Real = long double;

Real mean(const std::vector<double>& values) {
  Real sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<Real>(values.size());
}

Real power_sum(const std::vector<double>& values, int power) {
  const Real middle = mean(values);
  Real sum = 0;
  for (const double value : values) sum += std::pow(value - middle, static_cast<Real>(power));
  return sum;
}

Real product_sum(const std::vector<double>& ys, const std::vector<double>& xs) {
  const Real y = mean(ys), x = mean(xs);
  Real sum = 0;
  for (size_t i = 0; i < ys.size(); ++i) sum += (ys[i] - y) * (xs[i] - x);
  return sum;
}

/// Values of a skewed distribution, far from zero.
std::vector<double> some_values(size_t count, std::mt19937& random) {
  std::exponential_distribution<double> distribution(0.3);
  std::vector<double> values(count);
  for (double& value : values) value = 1000 + distribution(random);
  return values;
}

/// States of the parts of `values`, merged in a tree: value by value, in threes, empty ones between.
template <class State, class Add>
State merged(size_t count, Add add) {
  std::vector<State> parts;
  for (size_t i = 0; i < count;) {
    State part;
    for (const size_t end = std::min(count, i + 1 + i % 5); i < end; ++i) add(part, i);
    parts.push_back(part);
    if (i % 3 == 0) parts.emplace_back();
  }
  while (parts.size() > 1) {
    std::vector<State> fewer;
    for (size_t i = 0; i < parts.size(); i += 3) {
      fewer.push_back(parts[i]);
      for (size_t k = i + 1; k < std::min(parts.size(), i + 3); ++k) fewer.back().add(parts[k]);
    }
    parts = fewer;
  }
  return parts.empty() ? State() : parts[0];
}

void expect_near(double actual, Real expected, Real scale) {
  EXPECT_NEAR(actual, static_cast<double>(expected), 1e-11 * static_cast<double>(scale));
}

TEST(Statistics, ShapesAreMergedAsIfOneHadAllValues) {
  std::mt19937 random(1);
  for (const size_t count : {1, 2, 3, 31, 32, 33, 1000}) {
    const std::vector<double> values = some_values(count, random);
    const auto shape = merged<Shape>(count, [&](Shape& part, size_t i) { part.add(values[i]); });
    const Real n = static_cast<Real>(count), spread = 1 + std::sqrt(power_sum(values, 2) / n);
    EXPECT_EQ(shape.count, static_cast<int64_t>(count));
    expect_near(shape.mean, mean(values), 1000);
    expect_near(shape.squares, power_sum(values, 2), n * spread * spread * 100);
    expect_near(shape.cubes, power_sum(values, 3), n * std::pow(spread, 3) * 100);
    expect_near(shape.fourths, power_sum(values, 4), n * std::pow(spread, 4) * 1000);
  }
}

TEST(Statistics, PairsAreMergedAsIfOneHadAllPairs) {
  std::mt19937 random(2);
  for (const size_t count : {1, 2, 3, 31, 32, 33, 1000}) {
    const std::vector<double> ys = some_values(count, random);
    std::vector<double> xs = some_values(count, random);
    for (size_t i = 0; i < count; ++i) xs[i] += ys[i] / 3;
    const auto pairs =
        merged<PairMoments>(count, [&](PairMoments& part, size_t i) { part.add(ys[i], xs[i]); });
    const Real scale = 10000 * static_cast<Real>(count);
    EXPECT_EQ(pairs.count, static_cast<int64_t>(count));
    expect_near(pairs.mean_y, mean(ys), 1000);
    expect_near(pairs.mean_x, mean(xs), 1000);
    expect_near(pairs.squares_y, power_sum(ys, 2), scale);
    expect_near(pairs.squares_x, power_sum(xs, 2), scale);
    expect_near(pairs.products, product_sum(ys, xs), scale);
  }
}

}  // namespace
}  // namespace statistics_test
}  // namespace lanewise::ops
