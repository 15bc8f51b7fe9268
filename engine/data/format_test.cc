#include "data/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/value.h"

namespace lanewise {
namespace {

// The expected strings are what CAST(... AS VARCHAR) prints in SQL.
TEST(Format, PrintsValuesAsSqlDoes) {
  EXPECT_EQ(Value::boolean(true).to_string(), "true");
  EXPECT_EQ(Value(TypeId::kInt128, std::numeric_limits<int128_t>::min()).to_string(),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(Value(TypeId::kUInt128, ~uint128_t{0}).to_string(), "340282366920938463463374607431768211455");
  EXPECT_EQ(Value(Type::decimal(5, 2), int128_t{-5}).to_string(), "-0.05");
  EXPECT_EQ(Value(Type::decimal(5, 0), int128_t{42}).to_string(), "42");
  EXPECT_EQ(Value::float64(1).to_string(), "1.0");
  EXPECT_EQ(Value::float64(1e20).to_string(), "1e+20");
  EXPECT_EQ(Value(TypeId::kFloat32, static_cast<double>(0.1F)).to_string(), "0.1");
  EXPECT_EQ(Value::float64(std::ldexp(-1, 81)).to_string(), "-2.4178516392292583e+24");
  EXPECT_EQ(Value::float64(std::numeric_limits<double>::infinity()).to_string(), "inf");
  EXPECT_EQ(Value(TypeId::kDate, int128_t{0}).to_string(), "1970-01-01");
  EXPECT_EQ(Value(TypeId::kDate, int128_t{-719529}).to_string(), "0002-12-31 (BC)");
  EXPECT_EQ(Value(Type::timestamp(TimeUnit::kSecond), int128_t{-63517820277}).to_string(),
            "0044-03-15 (BC) 01:02:03");
  EXPECT_EQ(Value(TypeId::kTime, int128_t{3'723'000'100}).to_string(), "01:02:03.0001");
  EXPECT_EQ(Value(TypeId::kTimestamp, int128_t{-1}).to_string(), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(Value(Type::timestamp(TimeUnit::kNano), int128_t{1}).to_string(),
            "1970-01-01 00:00:00.000000001");
  EXPECT_EQ(Value(TypeId::kTimestampTz, int128_t{0}).to_string(), "1970-01-01 00:00:00+00");
  EXPECT_EQ(Value(TypeId::kTimestamp, int128_t{INT64_MAX}).to_string(), "infinity");
  EXPECT_EQ(Value(TypeId::kInterval, Interval{14, 3, -1'500'000}).to_string(),
            "1 year 2 months 3 days -00:00:01.5");
  EXPECT_EQ(Value(TypeId::kInterval, Interval{}).to_string(), "00:00:00");
  EXPECT_EQ(Value(TypeId::kBlob, std::string("a\0\xff\\", 4)).to_string(), "a\\x00\\xFF\\x5C");
  EXPECT_EQ(Value(TypeId::kTimeNs, int128_t{3'723'000'000'100}).to_string(), "01:02:03.0000001");
  constexpr int128_t kLeast = std::numeric_limits<int128_t>::min();
  EXPECT_EQ(Value(TypeId::kUuid, kLeast).to_string(), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(Value(TypeId::kUuid, kLeast + 0xa5).to_string(), "00000000-0000-0000-0000-0000000000a5");
  EXPECT_EQ(Value(TypeId::kUuid, ~kLeast).to_string(), "ffffffff-ffff-ffff-ffff-ffffffffffff");
  EXPECT_EQ(Value(TypeId::kInt32).to_string(), "NULL");
}

// Floats whose shortest form is ambiguous are printed as doubles.
TEST(Format, PrintsFloatsAsSqlDoes) {
  const auto text = [](float value) {
    std::string out;
    format::real(value, out);
    return out;
  };
  EXPECT_EQ(text(67028800.0F), "67028800.0");
  EXPECT_EQ(text(67028808.0F), "67028808.0");      // 67028810 is the midpoint to the next float
  EXPECT_EQ(text(-947116032.0F), "-947116032.0");  // 947116000 is the midpoint
  EXPECT_EQ(text(2097152.25F), "2097152.25");      // the midpoint of 2097152.2 and 2097152.3
  EXPECT_EQ(text(0.375F), "0.375");
  EXPECT_EQ(text(-0.0F), "-0.0");
  EXPECT_EQ(text(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(text(std::numeric_limits<float>::max()), "3.4028235e+38");
}

TEST(Value, OrdersLikeSql) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(compare(Value::float64(nan), Value::float64(std::numeric_limits<double>::infinity())), 0);
  EXPECT_EQ(compare(Value::float64(nan), Value::float64(nan)), 0);
  EXPECT_EQ(compare(Value::float64(-0.0), Value::float64(0.0)), 0);
  EXPECT_LT(compare(Value::varchar("a"), Value::varchar("\xff")), 0);
  EXPECT_EQ(
      compare(Value(TypeId::kInterval, Interval{1, 0, 0}), Value(TypeId::kInterval, Interval{0, 30, 0})), 0);
}

}  // namespace
}  // namespace lanewise
