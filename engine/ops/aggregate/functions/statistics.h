#pragma once

#include <cstdint>

namespace lanewise::ops {

/// Count, mean and sums of the second to fourth power of the distances from it, merged pairwise (Pébay,
/// SAND2008-6212, 2008).
struct Shape {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;
  double cubes = 0;
  double fourths = 0;

  void add(double value) { add(Shape{1, value}); }
  void add(const Shape& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const auto mine = static_cast<double>(count), theirs = static_cast<double>(other.count);
    const double all = mine + theirs, delta = other.mean - mean, part = delta / all;
    const double both = delta * part * mine * theirs;
    fourths += other.fourths + both * part * part * (mine * mine - mine * theirs + theirs * theirs) +
               6 * part * part * (mine * mine * other.squares + theirs * theirs * squares) +
               4 * part * (mine * other.cubes - theirs * cubes);
    cubes +=
        other.cubes + both * part * (mine - theirs) + 3 * part * (mine * other.squares - theirs * squares);
    squares += other.squares + both;
    mean += part * theirs;
    count += other.count;
  }
};

/// Statistics of pairs (y, x): count, sums, means, and sums of squares and products of the distances from
/// them, merged pairwise (Chan, Golub, LeVeque, 1979).
struct PairMoments {
  int64_t count = 0;
  double sum_y = 0;
  double sum_x = 0;
  double mean_y = 0;
  double mean_x = 0;
  double squares_y = 0;
  double squares_x = 0;
  double products = 0;

  void add(double y, double x) {
    const double zero_y = y - y, zero_x = x - x;  // NaN for infinite values: they have no distance
    add(PairMoments{1, y, x, y, x, zero_y, zero_x, zero_y * zero_x});
  }
  void add(const PairMoments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const auto mine = static_cast<double>(count), theirs = static_cast<double>(other.count);
    const double share = theirs / (mine + theirs), y = other.mean_y - mean_y, x = other.mean_x - mean_x;
    sum_y += other.sum_y;
    sum_x += other.sum_x;
    squares_y += other.squares_y + y * y * share * mine;
    squares_x += other.squares_x + x * x * share * mine;
    products += other.products + y * x * share * mine;
    mean_y += y * share;
    mean_x += x * share;
    count += other.count;
  }
};

}  // namespace lanewise::ops
