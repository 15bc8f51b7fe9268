#include "data/format.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

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
  EXPECT_EQ(Value(TypeId::kTime, int128_t{INT64_MIN}).to_string(), "-2562047788:00:-54.-775808");
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

// Devices write the same text (kernels/print-inl.h): what it is compared with shares nothing with it.
std::string plain_clock(uint64_t micros) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", micros / 3'600'000'000, micros / 60'000'000 % 60,
                                 micros / 1'000'000 % 60);
  if (micros % 1'000'000 == 0) return text;
  text += fmt::format(".{:06}", micros % 1'000'000);
  return text.substr(0, text.find_last_not_of('0') + 1);
}
std::string plain_date(int days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int year = static_cast<int>(date.year());
  return fmt::format("{:04}-{:02}-{:02}{}", year <= 0 ? 1 - year : year, static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), year <= 0 ? " (BC)" : "");
}
std::string plain_decimal(int128_t value, int precision, int scale) {
  std::string digits = to_string(value < 0 ? -static_cast<uint128_t>(value) : static_cast<uint128_t>(value));
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - places, ".");
  if (precision == scale) digits.erase(0, 1);
  return (value < 0 ? "-" : "") + digits;
}
std::string plain_interval(const Interval& value) {
  std::string text;
  const auto part = [&](int64_t count, const char* unit) {
    if (count != 0) text += fmt::format("{} {}{} ", count, unit, std::abs(count) == 1 ? "" : "s");
  };
  part(value.months / 12, "year");
  part(value.months % 12, "month");
  part(value.days, "day");
  const uint64_t micros = static_cast<uint64_t>(value.micros);
  if (value.micros != 0 || text.empty())
    return text + (value.micros < 0 ? "-" + plain_clock(-micros) : plain_clock(micros));
  return text.substr(0, text.size() - 1);
}

TEST(Format, PrintsLikePlainCode) {
  std::mt19937_64 random(1);
  const auto any = [&](int bits) { return static_cast<int64_t>(random()) >> (64 - bits); };
  for (int i = 0; i < 20'000; ++i) {
    const auto days = static_cast<int32_t>(any(9 + i % 15));  // years that std::chrono has
    EXPECT_EQ(Value(TypeId::kDate, int128_t{days}).to_string(), plain_date(days));

    const int64_t unit = i % 3 == 0 ? 1 : i % 3 == 1 ? 1000 : 1'000'000;
    const int64_t micros = (any(64) & INT64_MAX) % (86'400'000'000 / unit) * unit;
    EXPECT_EQ(Value(TypeId::kTime, int128_t{micros}).to_string(), plain_clock(static_cast<uint64_t>(micros)));
    const std::string moment = plain_date(days) + " " + plain_clock(static_cast<uint64_t>(micros));
    const int128_t since = int128_t{days} * 86'400'000'000 + micros;
    EXPECT_EQ(Value(TypeId::kTimestamp, since).to_string(), moment);
    EXPECT_EQ(Value(TypeId::kTimestampTz, since).to_string(), moment + "+00");
    if (unit > 1) {
      const Type millis = Type::timestamp(TimeUnit::kMilli);
      EXPECT_EQ(Value(millis, int128_t{days} * 86'400'000 + micros / 1000).to_string(), moment);
    }

    const Interval interval{static_cast<int32_t>(any(1 + i % 32)), static_cast<int32_t>(any(1 + i % 31)),
                            any(1 + i % 64)};
    EXPECT_EQ(Value(TypeId::kInterval, interval).to_string(), plain_interval(interval));

    const int precision = 1 + i % 38, scale = static_cast<int>(random() % static_cast<size_t>(precision + 1));
    int128_t limit = 1;
    for (int k = 0; k < precision; ++k) limit *= 10;
    const int128_t decimal = ((static_cast<int128_t>(any(64)) << 63 ^ any(64)) >> random() % 127) % limit;
    EXPECT_EQ(Value(Type::decimal(precision, scale), decimal).to_string(),
              plain_decimal(decimal, precision, scale));
  }
}

}  // namespace
}  // namespace lanewise
