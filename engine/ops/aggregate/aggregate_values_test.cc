// Results of single functions: overflow, tolerances, order of zeros.

#include <gtest/gtest.h>

#include <random>

#include "base/testing/test_size.h"
#include "ops/aggregate/testing/fed_aggregate.h"

namespace lanewise::ops {
namespace {

using namespace fed;  // NOLINT: the tests' helpers

TEST(Aggregate, MomentsAndProductsWithinTheirTolerance) {
  std::mt19937 random(24);
  std::normal_distribution<double> normal(100, 3);
  std::vector<Value> values, keys;
  for (int row = 0; row < 3000; ++row) {
    values.push_back(row % 10 == 0 ? Value(TypeId::kFloat64) : Value::float64(normal(random)));
    keys.push_back(Value::int32(row % 17 == 0 ? 1000 + row : row % 3));
  }
  const TestColumns input{{make_column(TypeId::kInt32, keys), make_column(TypeId::kFloat64, values)}, 3000};
  std::vector<plan::AggregateCall> calls;
  for (const char* name : {"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "sum",
                           "avg", "kahan_sum", "favg"}) {
    calls.push_back(call_of(name, {column_of(input, 1)}));
  }
  expect_like_reference(input, kNoKeys, calls, {100, 1, 0}, 1e-11);
  expect_like_reference(input, {0}, calls, {100, 1, 0}, 1e-11);
  expect_like_reference(input, {0}, calls, {64, 4, 2}, 1e-11);

  const TestColumns small{
      {make_column(TypeId::kInt32, {Value::int32(1), Value::int32(1), Value::int32(2)}),
       make_column(TypeId::kFloat64, {Value::float64(3), Value::float64(-0.5), Value(TypeId::kFloat64)})},
      3};
  expect_like_reference(small, {0}, {call_of("product", {column_of(small, 1)})}, {2, 1, 0});
}

Value one_value(const std::string& name, const std::vector<Value>& values,
                std::vector<Value> constants = {}) {
  Type type;
  for (const Value& value : values) type = value.type();
  std::vector<ExprPtr> args = {column(0, type)};
  for (Value& constant : constants) args.push_back(literal(constant));
  plan::Aggregate aggregate;
  aggregate.aggregates = {call_of(name, args)};
  return run(aggregate, {make_column(type, values)}, {}).value(0, 0);
}

TEST(Aggregate, SumsOf128BitsRaiseWhereTheyOverflow) {
  const auto huge = [](int128_t value) { return Value(TypeId::kInt128, value); };
  const auto most = static_cast<int128_t>(~uint128_t{0} >> 1);
  EXPECT_EQ(one_value("sum", {huge(most), huge(-1)}), huge(most - 1));
  try {
    one_value("sum", {huge(most), huge(1)});
    FAIL() << "no overflow";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "Overflow in HUGEINT addition: 170141183460469231731687303715884105727 + 1");
  }
}

TEST(Aggregate, SumsOf64BitsDoNotOverflow) {
  std::vector<Value> values(1000, Value::int64(INT64_MAX));
  EXPECT_EQ(one_value("sum", values), Value(TypeId::kInt128, int128_t{INT64_MAX} * 1000));
  const Value largest(TypeId::kUInt64, uint128_t{UINT64_MAX});
  EXPECT_EQ(one_value("sum", std::vector<Value>(1000, largest)),
            Value(TypeId::kInt128, int128_t{UINT64_MAX} * 1000));
  // By group, where sums overflow and come back.
  TestColumns input{{}, 3000};
  std::vector<Value> keys, numbers, naturals;
  for (int row = 0; row < 3000; ++row) {
    keys.push_back(Value::int32(row % 7));
    numbers.push_back(Value::int64(row % 900 < 500 ? INT64_MAX - row : INT64_MIN + row));
    naturals.emplace_back(TypeId::kUInt64,
                          uint128_t{UINT64_MAX} - static_cast<uint128_t>(row % 5 * (UINT64_MAX / 5)));
  }
  input.columns = {make_column(TypeId::kInt32, keys), make_column(TypeId::kInt64, numbers),
                   make_column(TypeId::kUInt64, naturals)};
  const std::vector<plan::AggregateCall> calls = {
      call_of("sum", {column_of(input, 1)}), call_of("sum", {column_of(input, 2)}),
      call_of("avg", {column_of(input, 1)}), call_of("avg", {column_of(input, 2)})};
  expect_like_reference(input, {0}, calls, {100, 1, 0});
  expect_like_reference(input, {0}, calls, {100, 3, 0});
  expect_like_reference(input, kNoKeys, calls, {100, 3, 0});
}

TEST(Aggregate, ExtremesOfZerosDoNotDependOnTheOrderOfRows) {
  for (const auto& zeros :
       {std::vector{-0.0, 0.0, 0.0}, std::vector{0.0, -0.0, -0.0}, std::vector{0.0, 0.0, -0.0}}) {
    std::vector<Value> keys(3, Value::int32(1)), values;
    for (const double zero : zeros) values.push_back(Value::float64(zero));
    const TestColumns input{{make_column(TypeId::kInt32, keys), make_column(TypeId::kFloat64, values)}, 3};
    for (const bool grouped : {false, true}) {
      for (const Feed feed : {Feed{1}, Feed{2}, Feed{3}, Feed{1, 2}}) {
        plan::Aggregate aggregate;
        if (grouped) aggregate.keys.push_back(column_of(input, 0));
        aggregate.aggregates = {call_of("min", {column_of(input, 1)}), call_of("max", {column_of(input, 1)})};
        const Table table = run(aggregate, input.columns, feed);
        EXPECT_TRUE(std::signbit(table.value(0, grouped).real()));
        EXPECT_FALSE(std::signbit(table.value(0, 1 + grouped).real()));
      }
    }
  }
}

TEST(Aggregate, AveragesOfTimesAndIntervals) {
  const auto days = [](int32_t months, int32_t day, int64_t micros) {
    return Value(TypeId::kInterval, Interval{months, day, micros});
  };
  EXPECT_EQ(one_value("avg", {days(1, 1, 1), days(2, 2, 3)}).interval(), (Interval{1, 16, 43'200'000'002}));
  const auto time = [](int64_t micros) { return Value(TypeId::kTime, int128_t{micros}); };
  EXPECT_EQ(one_value("avg", {time(1), time(2), time(2)}), time(2));
  EXPECT_EQ(one_value("avg", {time(1), time(1), time(2)}), time(1));
}

TEST(Aggregate, QuantilesOfDecimalSharesAreExact) {
  std::vector<Value> values;
  for (int i = 1; i <= 10; ++i) values.push_back(Value::int32(i));
  const auto share = [](int128_t tenths) { return Value(Type::decimal(2, 1), tenths); };
  EXPECT_EQ(one_value("quantile_disc", values, {share(3)}), Value::int32(3));
  EXPECT_EQ(one_value("quantile_disc", values, {share(-3)}), Value::int32(8));
  EXPECT_EQ(one_value("quantile_disc", values, {share(0)}), Value::int32(1));
  EXPECT_EQ(one_value("quantile_disc", values, {share(10)}), Value::int32(10));
  EXPECT_EQ(one_value("quantile_cont", values, {share(5)}), Value::float64(5.5));
  EXPECT_THROW(one_value("quantile_cont", values, {share(11)}), UserError);
  EXPECT_THROW(one_value("quantile_disc", values, {Value(Type::decimal(2, 1))}), UserError);
}

TEST(Aggregate, DeviationOfInfinityIsAnError) {
  EXPECT_THROW(one_value("stddev", {Value::float64(INFINITY), Value::float64(1)}), UserError);
  EXPECT_TRUE(one_value("stddev", {Value::float64(1)}).is_null());
  EXPECT_EQ(one_value("stddev_pop", {Value::float64(1)}), Value::float64(0));
}

}  // namespace
}  // namespace lanewise::ops
