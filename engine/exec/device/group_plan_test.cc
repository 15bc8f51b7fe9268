#include "exec/device/group_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "exec/device/slot_layout.h"
#include "exec/device/testing/call_of.h"

/// Partial groups, as devices leave them, put together on the host.
namespace lanewise::exec {
namespace {

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
      values.push_back(row[column] ? Value(type, int128_t{*row[column]}) : Value(type));
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
  EXPECT_TRUE(plan.needs_merge());
  Schema output;
  for (const ExprPtr& key : aggregate.keys) output.push_back({"key", key->type});
  for (const plan::AggregateCall& call : aggregate.aggregates) output.push_back({"value", call.type});
  const Table table =
      plan.finish(plan.merged(partial_of(plan, partial), several, Options()), output, nullptr);
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

TEST(SlotLayouts, CountsOfAllRowsAreOne) {
  const plan::Aggregate aggregate{
      {key()},
      {count_all(), call_of("avg", {value()}, TypeId::kFloat64), call_of("count", {key()}, TypeId::kInt64)}};
  const GroupPlan plan(aggregate);
  const auto counts = [&](bool value_may_be_null) {
    const SlotLayout layout(plan, {value_may_be_null, false}, {false});
    size_t stored = 0;
    for (size_t i = 0; i < plan.cells().size(); ++i) {
      const bool is_count = plan.cells()[i].keeps == DeviceAggregate::Keeps::kCount;
      stored += is_count && layout.stores(i);
      EXPECT_TRUE(layout.stores(layout.holder(i)));
    }
    return stored;
  };
  EXPECT_EQ(counts(false), 1U);
  EXPECT_EQ(counts(true), 2U);
}

}  // namespace
}  // namespace lanewise::exec
