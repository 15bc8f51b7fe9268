#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/int128.h"
#include "data/format.h"
#include "expr/casts/cast.h"
#include "expr/numbers.h"
#include "expr/testing/random_expressions.h"

namespace lanewise::expr {
namespace {

/// The least and the greatest values, and floats that are not numbers.
std::vector<Value> extremes(Type type) {
  if (type.id == TypeId::kDecimal) {
    const int128_t most = power_of_ten(type.precision) - 1;
    return {Value(type, most), Value(type, -most)};
  }
  if (type.is_float()) {
    const double most =
        type.id == TypeId::kFloat32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const double infinity = std::numeric_limits<double>::infinity();
    return {Value(type, most), Value(type, -most), Value(type, infinity),
            Value(type, std::numeric_limits<double>::quiet_NaN())};
  }
  if (type.id == TypeId::kBool) return {Value::boolean(false), Value::boolean(true)};
  if (type.is_string() || type.id == TypeId::kInterval || type.id == TypeId::kUuid) return {};
  return visit(type.physical(), [&](auto zero) -> std::vector<Value> {
    using T = decltype(zero);
    if constexpr (is_number<T> && !std::is_floating_point_v<T>) {
      const size_t bits = sizeof(T) * 8;
      const bool has_sign = T(-1) < T(0);
      const auto most = static_cast<T>(has_sign ? ~(uint128_t{1} << (bits - 1)) : ~uint128_t{0});
      return {Value(type, static_cast<int128_t>(most)),
              Value(type, static_cast<int128_t>(static_cast<T>(~most)))};
    }
    return {};
  });
}

TEST(HoldsAll, CastsOfExtremesDoNotFail) {
  size_t pairs = 0;
  for (const Type from : random::all_types()) {
    for (const Type to : random::all_types()) {
      if (!can_cast(from, to) || !holds_all(from, to)) continue;
      ++pairs;
      for (const Value& value : extremes(from))
        EXPECT_FALSE(cast(value, to, true).is_null())
            << from.name() << " to " << to.name() << ": " << value.to_string();
    }
  }
  EXPECT_GT(pairs, 60u);
  EXPECT_FALSE(holds_all(TypeId::kTimestamp, TypeId::kVarchar));  // the last ones have no text
  EXPECT_FALSE(holds_all(TypeId::kInt64, TypeId::kInt32));
  EXPECT_FALSE(holds_all(TypeId::kBool, Type::decimal(1, 1)));
}

}  // namespace
}  // namespace lanewise::expr
