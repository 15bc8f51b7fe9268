#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace lanewise::ops {

/// Count, mean and sum of squared distances from it, updated value by value (Welford, Technometrics 4(3),
/// 1962) and merged pairwise (Chan, Golub, LeVeque, 1979). The order of rows changes the result by a few
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

/// `value`; throws UserError if it is not finite.
inline double in_range(double value, const char* name) {
  if (!std::isfinite(value)) throw UserError(std::string(name) + " is out of range!");
  return value;
}

}  // namespace lanewise::ops
