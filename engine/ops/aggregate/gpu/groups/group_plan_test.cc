#include "ops/aggregate/gpu/groups/group_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/aggregate/gpu/groups/slot_layout.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/gpu/testing/cores.h"

/// Partial groups, as devices leave them, put together on the host.
namespace lanewise::ops {
namespace group_plan_test {

using testing::ElementsAre;

/// Rows of small integers, some of them NULL, as the plan's partial groups.
Table partial_of(const GroupPlan& plan, const std::vector<std::vector<std::optional<int>>>& rows) {
  Table table{plan.partial(), {}};
  if (rows.empty()) return table;
  Batch batch{static_cast<int64_t>(rows.size()), {}};
  for (size_t column = 0; column < plan.partial().size(); ++column) {
    const Type type = plan.partial()[column].type;
    std::vector<Value> values;
    for (const auto& row : rows)
      values.push_back(!row[column]            ? Value(type)
                       : type.is_float()       ? Value(type, static_cast<double>(*row[column]))
                       : type == TypeId::kBool ? Value::boolean(*row[column] != 0)
                                               : Value(type, int128_t{*row[column]}));
    batch.columns.push_back(make_column(type, values));
  }
  table.batches.push_back(std::move(batch));
  return table;
}

/// What the aggregate gives, rows as text in the order of the text.
std::vector<std::string> result(const plan::Aggregate& aggregate,
                                const std::vector<std::vector<std::optional<int>>>& partial,
                                bool several = true) {
  const GroupPlan plan(aggregate);
  EXPECT_TRUE(plan.needs_merge() || several);
  Schema output;
  for (const ExprPtr& key : aggregate.keys) output.push_back({"key", key->type});
  for (const plan::AggregateCall& call : aggregate.aggregates) output.push_back({"value", call.type});
  const Table table =
      plan.finish(plan.merged(partial_of(plan, partial), several, with_cores()), true, output, nullptr);
  std::vector<std::string> rows;
  for (int64_t row = 0; row < table.rows(); ++row) {
    rows.emplace_back();
    for (size_t column = 0; column < output.size(); ++column)
      rows.back() += (column == 0 ? "" : " ") + table.value(row, column).to_string();
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

ExprPtr key() { return column(0, TypeId::kInt32); }
ExprPtr value() { return column(1, TypeId::kInt64); }
plan::AggregateCall count_all() { return call_of("count_star", {}, TypeId::kInt64); }
plan::AggregateCall count_distinct() {
  return call_of("count", {value()}, TypeId::kInt64, {.distinct = true});
}

TEST(GroupPlans, DistinctValuesAreAKeyMore) {
  const plan::Aggregate aggregate{
      {key()},
      {count_distinct(), count_all(), call_of("sum", {value()}, TypeId::kInt128, {.distinct = true})}};
  EXPECT_EQ(GroupPlan(aggregate).keys().size(), 2u);
  // key, value, rows
  EXPECT_THAT(result(aggregate, {{1, 10, 3}, {1, 20, 1}, {2, {}, 5}, {1, {}, 2}, {1, 10, 4}, {{}, 7, 1}}),
              ElementsAre("1 2 10 30", "2 0 5 NULL", "NULL 1 1 7"));
}

TEST(GroupPlans, WithoutKeysThereIsOneGroupAlways) {
  const plan::Aggregate aggregate{{},
                                  {count_all(), count_distinct(), call_of("max", {key()}, TypeId::kInt32)}};
  // value, rows, greatest key
  for (const bool several : {true, false}) {
    EXPECT_THAT(result(aggregate, {{10, 3, 5}, {{}, 1, {}}, {20, 2, 9}}, several), ElementsAre("6 2 9"));
    EXPECT_THAT(result(aggregate, {}, several), ElementsAre("0 0 NULL"));
  }
}

TEST(GroupPlans, FiltersOfDistinctValuesGoIntoTheKey) {
  plan::AggregateCall call = count_distinct();
  call.filter = literal(Value::boolean(true));
  EXPECT_EQ(GroupPlan(plan::Aggregate{{}, {call}}).keys()[0]->kind, Expr::Kind::kCase);
}

TEST(GroupPlans, PickedRowsOfBatchesArePickedFrom) {
  plan::AggregateCall first = call_of("first", {value()}, TypeId::kInt64), ordered = first,
                      filtered = call_of("last", {value()}, TypeId::kInt64);
  ordered.order = {{.expr = key(), .descending = true}};
  filtered.filter = literal(Value::boolean(true));
  // key, value, again by rank, its rank, whether there is a last one and its value
  EXPECT_THAT(result({{key()}, {first}}, {{1, {}}, {2, 7}, {1, 5}, {2, 6}}), ElementsAre("1 NULL", "2 7"));
  EXPECT_THAT(result({{key()}, {ordered}}, {{1, 3, 10}, {1, 4, 20}, {1, 5, 20}}), ElementsAre("1 4"));
  EXPECT_THAT(result({{key()}, {filtered}}, {{1, 3, 1}, {1, {}, 1}, {1, {}, 0}, {2, 8, 1}, {2, {}, 0}}),
              ElementsAre("1 NULL", "2 8"));
  const plan::AggregateCall least = call_of("arg_min", {value(), key()}, TypeId::kInt64);
  EXPECT_THAT(result({{}, {least}}, {{3, 9}, {4, 2}, {5, 2}}), ElementsAre("4"));
  EXPECT_THAT(result({{}, {least}}, {}), ElementsAre("NULL"));
}

TEST(GroupPlans, OneBatchOfPickedRowsIsTheAnswer) {
  const plan::Aggregate aggregate{{key()}, {call_of("arg_max", {value(), key()}, TypeId::kInt64)}};
  const GroupPlan plan(aggregate);
  EXPECT_FALSE(plan.needs_merge());
  const Table table = plan.finish(partial_of(plan, {{1, 10, 5}, {2, {}, {}}}), false,
                                  {{"key", TypeId::kInt32}, {"value", TypeId::kInt64}}, nullptr);
  EXPECT_EQ(table.value(0, 1).integer(), 10);
  EXPECT_TRUE(table.value(1, 1).is_null());
}

TEST(GroupPlans, MomentsOfBatchesArePutTogether) {
  const ExprPtr real = column(2, TypeId::kFloat64);
  const plan::AggregateCall sample = call_of("variance", {real}, TypeId::kFloat64),
                            all = call_of("stddev_pop", {real}, TypeId::kFloat64);
  // key, count, mean, squares: 1 and 3, and 8
  EXPECT_THAT(result({{key()}, {sample, all}}, {{1, 2, 2, 2}, {1, 1, 8, 0}, {2, 0, {}, {}}, {3, 1, 5, 0}}),
              ElementsAre("1 13.0 2.943920288775949", "2 NULL NULL", "3 NULL 0.0"));
}

TEST(GroupPlans, MomentsOfOneBatchNeedNoMerge) {
  const plan::AggregateCall call = call_of("variance", {column(2, TypeId::kFloat64)}, TypeId::kFloat64);
  const GroupPlan plan(plan::Aggregate{{key()}, {call}});
  EXPECT_FALSE(plan.needs_merge());
  EXPECT_FALSE(plan.result_columns());
  const Table table = plan.finish(partial_of(plan, {{1, 2, 2, 2}, {2, 0, {}, {}}, {3, 1, 5, 0}}), false,
                                  {{"key", TypeId::kInt32}, {"value", TypeId::kFloat64}}, nullptr);
  EXPECT_EQ(table.value(0, 1).real(), 2);
  EXPECT_TRUE(table.value(1, 1).is_null());
  EXPECT_TRUE(table.value(2, 1).is_null());
}

TEST(GroupPlans, AveragesOfIntervalsAreByTheirParts) {
  const plan::Aggregate aggregate{{key()},
                                  {call_of("avg", {column(1, TypeId::kInterval)}, TypeId::kInterval)}};
  // key, count, months, days, microseconds
  EXPECT_THAT(result(aggregate, {{1, 1, 1, 0, 0}, {1, 1, 2, 5, 8}}),
              ElementsAre("1 1 month 17 days 12:00:00.000004"));
  const int most = std::numeric_limits<int>::max();
  EXPECT_THROW(result(aggregate, {{1, 1, most, 0, 0}, {1, 1, most, 0, 0}}), UserError);
}

TEST(GroupPlans, IntervalsAreThoseOfTheFirstRow) {
  const GroupPlan plan(Schema{{"i", TypeId::kInterval}, {"n", TypeId::kInt32}});
  ASSERT_TRUE(plan.row_of_key(0));
  EXPECT_EQ(plan.cells()[*plan.row_of_key(0)].kind, GroupCell::Kind::kRow);
  EXPECT_FALSE(plan.row_of_key(1));
}

TEST(SlotLayouts, CountsOfAllRowsAreOne) {
  const plan::Aggregate aggregate{
      {key()},
      {count_all(), call_of("avg", {value()}, TypeId::kFloat64), call_of("count", {key()}, TypeId::kInt64)}};
  const GroupPlan plan(aggregate);
  const auto counts = [&](bool value_may_be_null) {
    const SlotLayout layout(plan, {value_may_be_null, false}, {KeyText::kColumn});
    size_t stored = 0;
    for (size_t i = 0; i < plan.cells().size(); ++i) {
      stored += is_count(plan.cells()[i].reduction) && layout.stores(i);
      EXPECT_TRUE(layout.stores(layout.holder(i)));
    }
    return stored;
  };
  EXPECT_EQ(counts(false), 1U);
  EXPECT_EQ(counts(true), 2U);
}

TEST(SlotLayouts, RanksOfFilteredValuesMayBeNull) {
  plan::AggregateCall first = call_of("first", {value()}, TypeId::kInt64);
  first.order = {{.expr = key()}};
  const auto text = [&] {
    const GroupPlan plan(plan::Aggregate{{}, {first}});
    return SlotLayout(plan, std::vector<bool>(plan.inputs().size(), false), {}).text();
  };
  EXPECT_THAT(text(), testing::HasSubstr("RowCell<2, 0, 0>"));
  first.filter = literal(Value::boolean(true));
  EXPECT_THAT(text(), testing::HasSubstr("RowCell<3, 0, 0>"));
}

TEST(GroupPlans, DistinctValuesAreOnlyCountedWhereNothingElseIsAsked) {
  const plan::AggregateCall count = count_distinct();
  const plan::AggregateCall sum = call_of("sum", {value()}, TypeId::kInt128, {.distinct = true});
  const plan::AggregateCall rows = call_of("count", {value()}, TypeId::kInt64);
  EXPECT_TRUE(GroupPlan(plan::Aggregate{{}, {count, count}}).counts_values());
  EXPECT_FALSE(GroupPlan(plan::Aggregate{{key()}, {count}}).counts_values());
  EXPECT_FALSE(GroupPlan(plan::Aggregate{{}, {count, sum}}).counts_values());
  EXPECT_FALSE(GroupPlan(plan::Aggregate{{}, {count, rows}}).counts_values());
  EXPECT_FALSE(GroupPlan(plan::Aggregate{{}, {rows}}).counts_values());
}

}  // namespace group_plan_test
}  // namespace lanewise::ops
