#include "ops/aggregate/aggregate.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/testing/short_memory.h"
#include "base/testing/test_size.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/testing/fed_aggregate.h"
#include "primitives/testing/random_column.h"

namespace lanewise::ops {
namespace {

using namespace fed;  // NOLINT: the tests' helpers

TEST(Aggregate, EveryFunctionOfEveryTypeIsAsTheReference) {
  std::mt19937 random(21);
  const auto sizes = test_size<std::vector<int64_t>>({0, 1, 33, 65}, {0, 1, 31, 32, 33, 63, 64, 65, 400});
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    for (const int64_t rows : sizes) {
      for (const double nulls : {0.0, 0.25}) {
        const TestColumns input = make_input(type, rows, nulls, random, rows == 65);
        const auto calls = all_calls(input);
        expect_like_reference(input, kNoKeys, calls, {});
        expect_like_reference(input, {0}, calls, {});
        if (rows >= 64) expect_like_reference(input, {1}, calls, {50, 1, 3});
      }
    }
  }
}

TEST(Aggregate, SeveralThreadsGiveTheSame) {
  std::mt19937 random(22);
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    const TestColumns input = make_input(type, test_size(150, 500), 0.2, random);
    const auto calls = all_calls(input);
    expect_like_reference(input, kNoKeys, calls, {40, 3, 0});
    expect_like_reference(input, {1}, calls, {40, 3, 0});
    expect_like_reference(input, {0, 1, 2}, calls, {64, 5, 2});
  }
}

TEST(Aggregate, KeysOfEveryTypeAndNumber) {
  std::mt19937 random(23);
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    for (const bool dictionary : {false, true}) {
      const TestColumns input = make_input(type, 300, 0.15, random, dictionary);
      const std::vector<plan::AggregateCall> calls = {call_of("count_star", {}),
                                                      call_of("sum", {column_of(input, kOrder)})};
      for (const std::vector<size_t>& keys :
           std::vector<std::vector<size_t>>{{kArg}, {kArg, 0}, {1, kArg}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
        expect_like_reference(input, keys, calls, {100, 1, 0});
        expect_like_reference(input, keys, calls, {77, 2, 4});
      }
    }
  }
}

TEST(Aggregate, ManyGroupsAcrossThreads) {
  const int64_t kRows = test_size(50'000, 300'000), kGroups = test_size(20'000, 90'000);
  ColumnBuilder keys(TypeId::kInt64), texts(TypeId::kVarchar), numbers(TypeId::kInt64);
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t key = row * 7919 % kGroups;
    keys.append_physical(key << 20);
    texts.append_text("key " + std::to_string(key));
    numbers.append_physical(row);
  }
  const std::vector<ColumnPtr> columns = {keys.finish(), texts.finish(), numbers.finish()};
  std::vector<int64_t> counts(kGroups), sums(kGroups);
  for (int64_t row = 0; row < kRows; ++row) {
    ++counts[static_cast<size_t>(row * 7919 % kGroups)];
    sums[static_cast<size_t>(row * 7919 % kGroups)] += row;
  }
  const ExprPtr number = column(2, TypeId::kInt64);
  plan::AggregateCall distinct = call_of("count", {number});
  distinct.distinct = true;
  for (const size_t key : {0, 1}) {
    for (const auto& [locals, is_short] : {std::pair{1, false}, {1, true}, {2, true}, {4, false}}) {
      ShortMemory memory;
      Feed feed{2000, static_cast<size_t>(locals)};
      if (is_short) feed.budget = &memory.budget;
      plan::Aggregate aggregate;
      aggregate.keys = {column(key, columns[key]->type)};
      aggregate.aggregates = {call_of("count_star", {}), call_of("sum", {number}),
                              call_of("median", {number}), distinct};
      const Table table = run(aggregate, columns, feed);
      ASSERT_EQ(table.rows(), kGroups);
      for (const Batch& batch : table.batches) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          const Value value = batch.columns[0]->value(row);
          const auto group =
              static_cast<size_t>(key == 0 ? value.integer() >> 20 : std::stoll(value.text().substr(4)));
          ASSERT_EQ(batch.columns[1]->value(row).integer(), counts[group]);
          ASSERT_EQ(batch.columns[2]->value(row).integer(), sums[group]);
          ASSERT_EQ(batch.columns[4]->value(row).integer(), counts[group]);
        }
      }
    }
  }
}

/// this many groups of one or two rows that a thread stops to look for keys it has seen.
TEST(Aggregate, KeysThatAreMostlyNew) {
  const int64_t kRows = test_size(200'000, 600'000), kGroups = kRows * 9 / 10;
  ColumnBuilder a(TypeId::kInt32), b(TypeId::kInt32), texts(TypeId::kVarchar), numbers(TypeId::kInt64),
      reals(TypeId::kFloat64);
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t group = row % kGroups;
    a.append_physical(static_cast<int32_t>(group));
    group % 100 == 7 ? b.append_null() : b.append_physical(static_cast<int32_t>(group % 1000));
    texts.append_text("text " + std::to_string(group));
    numbers.append_physical(row);
    reals.append_physical(static_cast<double>(row));
  }
  const std::vector<ColumnPtr> columns = {a.finish(), b.finish(), texts.finish(), numbers.finish(),
                                          reals.finish()};
  const ExprPtr text = column(2, TypeId::kVarchar), number = column(3, TypeId::kInt64);
  const std::vector<std::vector<size_t>> key_sets = {{0}, {0, 1}, {2}, {0, 2}};
  const std::vector<plan::AggregateCall> copied = {call_of("count_star", {}), call_of("sum", {number}),
                                                   call_of("min", {text}), call_of("first", {number}),
                                                   call_of("stddev_pop", {column(4, TypeId::kFloat64)})};
  std::vector<plan::AggregateCall> with_kept = copied;  // the median keeps its values in place
  with_kept.push_back(call_of("median", {number}));
  for (const std::vector<size_t>& keys : key_sets) {
    for (const auto& [kept, is_short] : {std::pair{false, false}, {true, false}, {true, true}}) {
      ShortMemory memory;
      Feed feed{2000, 2};
      if (is_short) feed.budget = &memory.budget;
      plan::Aggregate aggregate;
      for (const size_t key : keys) aggregate.keys.push_back(column(key, columns[key]->type));
      aggregate.aggregates = kept ? with_kept : copied;
      const Table table = run(aggregate, columns, feed);
      ASSERT_EQ(table.rows(), kGroups);
      for (const Batch& batch : table.batches) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          const auto value = [&](size_t call) { return batch.columns[keys.size() + call]->value(row); };
          const int64_t group = value(3).integer();  // the first of its rows
          const bool twice = group + kGroups < kRows;
          ASSERT_EQ(batch.columns[0]->value(row), columns[keys[0]]->value(group));
          ASSERT_EQ(batch.columns[keys.size() - 1]->value(row), columns[keys.back()]->value(group));
          ASSERT_EQ(value(0).integer(), twice ? 2 : 1);
          ASSERT_EQ(value(1).integer(), twice ? 2 * group + kGroups : group);
          ASSERT_EQ(value(2), columns[2]->value(group));
          ASSERT_EQ(value(4).real(), twice ? static_cast<double>(kGroups) / 2 : 0);
        }
      }
    }
  }
}

/// Each key is that of four rows side by side.
TEST(Aggregate, KeysThatRepeatTheRowBefore) {
  const int64_t kRows = test_size(100'000, 600'000);
  ColumnBuilder keys(TypeId::kInt64), narrow(TypeId::kInt16), dates(TypeId::kDate), numbers(TypeId::kInt64);
  for (int64_t row = 0; row < kRows; ++row) {
    keys.append_physical(row / 4 * 1'000'003);
    narrow.append_physical(static_cast<int16_t>(row / 4));
    dates.append_physical(static_cast<int32_t>(row / 8));
    numbers.append_physical(row);
  }
  const std::vector<ColumnPtr> columns = {keys.finish(), narrow.finish(), dates.finish(), numbers.finish()};
  const ExprPtr number = column(3, TypeId::kInt64);
  for (const std::vector<size_t>& chosen : std::vector<std::vector<size_t>>{{0}, {0, 1}, {2, 0, 1}}) {
    for (const bool is_short : {false, true}) {
      ShortMemory memory;
      Feed feed{2000, 2};
      if (is_short) feed.budget = &memory.budget;
      plan::Aggregate aggregate;
      for (const size_t key : chosen) aggregate.keys.push_back(column(key, columns[key]->type));
      aggregate.aggregates = {call_of("count_star", {}), call_of("sum", {number}), call_of("min", {number})};
      const Table table = run(aggregate, columns, feed);
      ASSERT_EQ(table.rows(), kRows / 4);
      for (const Batch& batch : table.batches) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          const auto value = [&](size_t call) { return batch.columns[chosen.size() + call]->value(row); };
          const int64_t first = value(2).integer();
          ASSERT_EQ(value(0).integer(), 4);
          ASSERT_EQ(value(1).integer(), 4 * first + 6);
          for (size_t k = 0; k < chosen.size(); ++k)
            ASSERT_EQ(batch.columns[k]->value(row), columns[chosen[k]]->value(first));
        }
      }
    }
  }
}

TEST(Aggregate, NamesGroupByWhenTheBudgetIsSpent) {
  std::mt19937 random(25);
  const TestColumns input{
      {make_column(TypeId::kVarchar, random::values(TypeId::kVarchar, 60000, 60000, 0, random))}, 60000};
  for (const auto& [keys, name] : std::vector<std::pair<std::vector<ExprPtr>, std::string>>{
           {{column_of(input, 0)}, "count_star"}, {{}, "string_agg"}}) {
    MemoryBudget budget(size_t{1} << 20);
    plan::Aggregate aggregate;
    aggregate.keys = keys;
    aggregate.aggregates = {name == "string_agg" ? call_of(name, {column_of(input, 0)}) : call_of(name, {})};
    Feed feed{1000, 2};
    feed.budget = &budget;
    try {
      run(aggregate, input.columns, feed);
      FAIL() << "1 MiB was enough";
    } catch (const MemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("GROUP BY"), std::string::npos) << error.what();
    }
    EXPECT_EQ(budget.used(), 0) << "all memory is given back";
  }
}

TEST(Aggregate, StopsWhenCancelled) {
  std::mt19937 random(26);
  const TestColumns input = make_input(TypeId::kInt64, 1000, 0, random);
  for (const std::vector<ExprPtr>& keys : {std::vector<ExprPtr>{}, {column_of(input, 1)}}) {
    for (const size_t locals : {1, 3}) {
      Cancellation cancellation;
      cancellation.cancel();
      plan::Aggregate aggregate;
      aggregate.keys = keys;
      aggregate.aggregates = {call_of("median", {column_of(input, kArg)})};
      Feed feed{100, locals};
      feed.cancellation = &cancellation;
      EXPECT_THROW(run(aggregate, input.columns, feed), CancelledError);
    }
  }
}

TEST(Aggregate, RefusesPlansThatDoNotFit) {
  plan::Aggregate aggregate;
  aggregate.aggregates.emplace_back();
  aggregate.aggregates[0].function = "no_such_function";
  EXPECT_THROW(make_aggregate(aggregate, {}, {}), InternalError);
  aggregate.aggregates[0] = call_of("sum", {column(0, TypeId::kInt32)});
  aggregate.aggregates[0].type = TypeId::kInt64;
  EXPECT_THROW(make_aggregate(aggregate, {}, {}), InternalError);
}

TEST(AggregateFunctions, AreFoundByTheirNames) {
  const Type whole[] = {TypeId::kInt64};
  const Type text[] = {TypeId::kVarchar};
  for (const char* name : {"sum", "sum_no_overflow", "avg", "mean", "arbitrary", "count", "mode", "median"}) {
    EXPECT_NE(find_aggregate(name, whole), nullptr) << name;
  }
  EXPECT_EQ(find_aggregate("sum", text), nullptr);
  EXPECT_EQ(find_aggregate("listagg", text), find_aggregate("string_agg", text));
  EXPECT_EQ(find_aggregate("nothing", whole), nullptr);
  for (const AggregateFunction& function : aggregate_functions()) {
    EXPECT_FALSE(function.documentation.empty()) << function.name;
    EXPECT_NE(function.example.find(" -- "), std::string_view::npos) << function.name;
  }
}

}  // namespace
}  // namespace lanewise::ops
