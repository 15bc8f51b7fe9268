#pragma once

#include <cstdint>

#include "base/int128.h"
#include "data/type.h"
#include "ops/aggregate/to_real.h"

namespace lanewise::ops {

/// How an exact sum of integers or decimals and a count become an average. The narrow types are divided as
/// doubles, the others as extended doubles, rounded once more.
class AverageRule {
 public:
  explicit AverageRule(Type type) {
    const bool decimal = type.id == TypeId::kDecimal;
    narrow_ =
        decimal ? type.precision <= 4 : width(type.physical()) == 1 || type.physical() == Physical::kInt16;
    for (int digit = 0; decimal && digit < type.scale; ++digit) power_ *= 10;
  }
  double operator()(int128_t total, int64_t count) const {
    const auto power = static_cast<double>(power_);
    if (narrow_)
      return static_cast<double>(static_cast<int64_t>(total)) / (static_cast<double>(count) * power);
    return static_cast<double>(to_real<long double>(total) / (static_cast<long double>(count) * power));
  }

 private:
  bool narrow_;
  int128_t power_ = 1;  // ten to the decimal's scale
};

}  // namespace lanewise::ops
