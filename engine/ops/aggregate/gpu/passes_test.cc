#include "ops/aggregate/gpu/passes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/testing/fake_source.h"
#include "exec/execute.h"
#include "expr/functions/build.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/gpu/testing/cores.h"

namespace lanewise::ops {
namespace passes_test {

ExprPtr key() { return column(0, TypeId::kInt32); }
ExprPtr number() { return column(1, TypeId::kInt32); }
ExprPtr text() { return column(2, TypeId::kVarchar); }

plan::NodePtr rows() {
  const Value none(TypeId::kInt32), no_text(TypeId::kVarchar);
  std::vector<std::vector<Value>> values;
  for (int i = 0; i < 200; ++i) {
    const Value at = i % 7 == 0 ? none : Value::int32(i % 5);
    values.push_back({at, i % 3 == 0 || i % 5 == 4 ? none : Value::int32(i % 11),
                      i % 4 == 0 ? no_text : Value::varchar(std::string(static_cast<size_t>(i % 6), 'x'))});
  }
  auto source = std::make_shared<FakeSource>(
      Schema{{"k", TypeId::kInt32}, {"n", TypeId::kInt32}, {"s", TypeId::kVarchar}}, values);
  return plan::scan(source, {0, 1, 2});
}

plan::NodePtr aggregate(std::vector<ExprPtr> keys, std::vector<plan::AggregateCall> calls) {
  std::vector<std::string> names(keys.size() + calls.size(), "x");
  return plan::aggregate(rows(), std::move(keys), std::move(calls), std::move(names));
}

std::vector<std::string> lines(const Table& table) {
  std::vector<std::string> lines;
  for (int64_t row = 0; row < table.rows(); ++row) {
    lines.emplace_back();
    for (size_t column = 0; column < table.schema.size(); ++column)
      lines.back() += table.value(row, column).to_string() + " ";
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Expects of so many passes, which run on the host, what the plan gives.
void expect_passes(const plan::NodePtr& plan, size_t count) {
  const plan::Pipeline pipeline = split(*plan).back();
  const Passes passes(pipeline);
  ASSERT_EQ(passes.pipelines().size(), count);
  if (count == 0) return;
  std::vector<Table> tables;
  for (const plan::Pipeline& pass : passes.pipelines())
    tables.push_back(exec::execute(plan::NodePtr(plan::NodePtr(), pass.sink), Options()).table);
  EXPECT_EQ(lines(passes.together(std::move(tables), with_cores())),
            lines(exec::execute(plan, Options()).table));
}

TEST(Passes, OneForEachExpressionWhoseValuesAreDistinct) {
  const auto count = [](const ExprPtr& of) {
    return call_of("count", {of}, TypeId::kInt64, {.distinct = true});
  };
  const plan::AggregateCall sum = call_of("sum", {number()}, TypeId::kInt128, {.distinct = true});
  const plan::AggregateCall most = call_of("max", {text()}, TypeId::kVarchar);
  const plan::AggregateCall all = call_of("count_star", {}, TypeId::kInt64);
  for (const std::vector<ExprPtr>& keys : {std::vector<ExprPtr>{key()}, std::vector<ExprPtr>{}}) {
    expect_passes(aggregate(keys, {all, most}), 0);
    expect_passes(aggregate(keys, {count(number()), sum, all}), 0);
    expect_passes(aggregate(keys, {count(text()), all, sum, most, count(number())}), 2);
    expect_passes(aggregate(keys, {count(key()), count(text()), sum}), 3);
  }
}

TEST(Passes, FiltersMakeOtherValues) {
  plan::AggregateCall filtered = call_of("count", {number()}, TypeId::kInt64, {.distinct = true});
  filtered.filter = call("<", {number(), literal(Value::int32(5))});
  expect_passes(
      aggregate({key()}, {filtered, call_of("count", {number()}, TypeId::kInt64, {.distinct = true})}), 2);
}

TEST(Passes, OneForEachMedian) {
  const plan::AggregateCall median = call_of("median", {number()}, TypeId::kFloat64);
  const plan::AggregateCall third =
      call_of("quantile_disc", {text(), literal(Value::float64(0.3))}, TypeId::kVarchar);
  const plan::AggregateCall all = call_of("count_star", {}, TypeId::kInt64);
  const plan::AggregateCall distinct = call_of("count", {number()}, TypeId::kInt64, {.distinct = true});
  for (const std::vector<ExprPtr>& keys : {std::vector<ExprPtr>{key()}, std::vector<ExprPtr>{}}) {
    expect_passes(aggregate(keys, {median}), 0);
    expect_passes(aggregate(keys, {all, median}), 2);
    expect_passes(aggregate(keys, {median, all, third, distinct}), 3);
  }
}

TEST(Passes, RowsThatArePickedAreNotSplitByDistinctValues) {
  const plan::AggregateCall first = call_of("first", {text()}, TypeId::kVarchar);
  const plan::AggregateCall distinct = call_of("count", {number()}, TypeId::kInt64, {.distinct = true});
  const plan::AggregateCall joined = call_of("string_agg", {text()}, TypeId::kVarchar);
  const plan::AggregateCall mode = call_of("mode", {number()}, TypeId::kInt32);
  for (const std::vector<ExprPtr>& keys : {std::vector<ExprPtr>{key()}, std::vector<ExprPtr>{}}) {
    expect_passes(aggregate(keys, {first, call_of("sum", {number()}, TypeId::kInt128)}), 0);
    expect_passes(aggregate(keys, {first, distinct}), 2);
    expect_passes(aggregate(keys, {joined, mode}), 0);
    expect_passes(aggregate(keys, {joined, first, distinct, mode}), 3);
  }
}

TEST(Passes, OtherSinksAreNone) {
  for (const plan::NodePtr& plan : {rows(), plan::distinct(rows()), plan::limit(rows(), 5)})
    expect_passes(plan, 0);
}

}  // namespace passes_test
}  // namespace lanewise::ops
