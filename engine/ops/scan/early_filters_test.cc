#include "ops/scan/early_filters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "exec/execute.h"
#include "expr/functions/build.h"
#include "ops/scan/column_store.h"
#include "plan/testing/plan_oracle.h"

namespace lanewise::ops {
namespace early_filters_test {

using plan::JoinKind;

constexpr JoinKind kKinds[] = {JoinKind::kInner,     JoinKind::kLeft,  JoinKind::kRight, JoinKind::kFull,
                               JoinKind::kSemi,      JoinKind::kAnti,  JoinKind::kMark,  JoinKind::kRightSemi,
                               JoinKind::kRightAnti, JoinKind::kSingle};

ExprPtr number(int32_t value) { return literal(Value::int32(value)); }
ExprPtr at(size_t index) { return column(index, TypeId::kInt32); }

/// day (ascending, so that zones differ), item, shop; every 97th value is NULL.
std::shared_ptr<FakeSource> sales(size_t rows) {
  plan::Rows values;
  const auto value = [](size_t row, size_t number) {
    return row % 97 == 5 ? Value(TypeId::kInt32) : Value::int32(static_cast<int32_t>(number));
  };
  for (size_t row = 0; row < rows; ++row)
    values.push_back({value(row, row / 64), value(row + 1, row * 7919 % 1009), value(row + 2, row % 13)});
  auto source = std::make_shared<FakeSource>(
      Schema{{"day", TypeId::kInt32}, {"item", TypeId::kInt32}, {"shop", TypeId::kInt32}}, std::move(values));
  source->id = "sales";
  source->batch_rows = 40000;
  return source;
}

/// The numbers first, first + step, ..., each `times`, and a NULL.
plan::NodePtr numbers(int32_t first, int32_t count, int32_t step = 1, int times = 1) {
  std::vector<Value> values{Value(TypeId::kInt32)};
  for (int32_t i = 0; i < count; ++i)
    for (int time = 0; time < times; ++time) values.push_back(Value::int32(first + i * step));
  auto table = std::make_shared<Table>();
  table->schema = {{"n", TypeId::kInt32}};
  const auto rows = static_cast<int64_t>(values.size());
  table->batches.push_back({rows, {make_column(TypeId::kInt32, values)}});
  return plan::values(table);
}

/// `left` joined by its column `key`; the left child's first three columns are kept, if there are any.
plan::NodePtr joined(JoinKind kind, const plan::NodePtr& left, size_t key, const plan::NodePtr& right) {
  plan::Join join;
  join.kind = kind;
  join.keys = {{at(key), at(0)}};
  if (plan::gives_left(kind)) join.left = {0, 1, 2};
  if (plan::gives_right(kind)) join.right = {0};
  return plan::join(left, right, std::move(join));
}

std::vector<std::string> texts(const plan::Rows& rows) {
  std::vector<std::string> all;
  for (const plan::Row& row : rows) {
    std::string& text = all.emplace_back();
    for (const Value& value : row) text += value.to_string() + "|";
  }
  std::sort(all.begin(), all.end());
  return all;
}

struct Run {
  std::vector<std::string> rows;
  std::string scan;  ///< the profile's note of the scan of sales
};

Run run(const plan::NodePtr& plan, ColumnStore& store, MemoryBudget& budget, bool always, int threads = 2) {
  Options options;
  options.budget = &budget;
  options.store = &store;
  options.threads = threads;
  options.semi_joins_first = always;
  const exec::Result result = exec::execute(plan, options);
  Run run{texts(plan::rows_of(result.table)), ""};
  for (const OperatorProfile& line : result.profile)
    if (line.name.starts_with("Scan")) run.scan = line.details;
  return run;
}

/// Runs the plan cold, when nothing is known of the rows, then hot. Returns the hot scan's note.
std::string expect_same_rows(const plan::NodePtr& plan, bool always, const std::string& what) {
  MemoryBudget budget;
  ColumnStore store(&budget);
  const std::vector<std::string> expected = run(plan, store, budget, false).rows;
  const Run hot = run(plan, store, budget, always);
  EXPECT_EQ(hot.rows, expected) << what << ", hot";
  EXPECT_EQ(run(plan, store, budget, always, 1).rows, expected) << what << ", one thread";
  return hot.scan;
}

TEST(EarlyFilters, KeepTheAnswersOfAllPairsOfJoins) {
  const auto source = sales(test_size(150U, 600U));
  for (const JoinKind first : kKinds) {
    if (!plan::gives_left(first)) continue;
    for (const JoinKind second : kKinds) {
      const auto scan = plan::scan(source, {0, 1, 2}, {call("<", {at(2), number(11)})});
      const auto below = joined(first, scan, 1, numbers(100, 300));
      const auto plan = joined(second, below, 0, numbers(2, 3, 2, second == JoinKind::kSingle ? 1 : 2));
      const std::string what = std::string(plan::name(first)) + ", then " + plan::name(second);
      MemoryBudget budget;
      ColumnStore store(&budget);
      const std::vector<std::string> expected = texts(plan::PlanOracle().rows(*plan));
      EXPECT_EQ(run(plan, store, budget, true).rows, expected) << what;  // cold
      EXPECT_EQ(run(plan, store, budget, true).rows, expected) << what << ", hot";
    }
  }
}

TEST(EarlyFilters, RunTheSelectiveJoinFirst) {
  const auto source = sales(70'000);
  const auto scan = plan::scan(source, {0, 1, 2});
  const auto wide = joined(JoinKind::kLeft, scan, 1, numbers(0, 2000, 1, 2));
  const auto plan = joined(JoinKind::kInner, wide, 2, numbers(4, 1));
  EXPECT_NE(expect_same_rows(plan, false, "selective").find("; first: range of shop"), std::string::npos);
  const auto all = joined(JoinKind::kInner, wide, 2, numbers(0, 13));
  EXPECT_EQ(expect_same_rows(all, false, "all rows match").find("; first"), std::string::npos);
  const auto alone = joined(JoinKind::kInner, scan, 2, numbers(0, 2, 12));
  EXPECT_EQ(expect_same_rows(alone, false, "the only join").find("; first"), std::string::npos);
}

TEST(EarlyFilters, SkipZonesWithoutMatches) {
  const auto source = sales(140'000);
  for (const int32_t count : {3, 300}) {  // listed one by one, and as a range
    const auto plan = joined(JoinKind::kInner, plan::scan(source, {0, 1, 2}), 0, numbers(1200, count));
    EXPECT_NE(expect_same_rows(plan, false, "ascending").find("; skipped"), std::string::npos) << count;
  }
  const auto left = joined(JoinKind::kLeft, plan::scan(source, {0, 1, 2}), 0, numbers(1200, 3));
  EXPECT_EQ(expect_same_rows(left, false, "left").find("; skipped"), std::string::npos);
}

/// What the branch of the plan's scan of sales demands of its rows.
EarlyFilters demands(const plan::NodePtr& plan) {
  for (const plan::Pipeline& pipeline : split(*plan)) {
    for (const plan::Branch& branch : pipeline.branches)
      if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input))
        return early_filters(**scan, branch);
  }
  throw InternalError("no scan");
}

TEST(EarlyFilters, FollowColumnsThroughSteps) {
  const auto scan = plan::scan(sales(10), {0, 1, 2});
  const auto swapped =
      plan::project(scan, {at(2), call("+", {at(1), number(1)}), at(0)}, {"shop", "next", "day"});
  const auto by_day = demands(joined(JoinKind::kInner, swapped, 2, numbers(0, 1)));
  ASSERT_EQ(by_day.matches.size(), 1u);
  EXPECT_EQ(by_day.matches[0].columns, std::vector<size_t>{0});
  EXPECT_FALSE(demands(joined(JoinKind::kInner, swapped, 1, numbers(0, 1))).matches[0].all_scanned())
      << "computed";

  const auto filtered =
      plan::filter(joined(JoinKind::kLeft, swapped, 0, numbers(0, 1)), call(">", {at(2), number(7)}));
  ASSERT_EQ(demands(filtered).predicates.size(), 1u);
  EXPECT_EQ(columns_of(*demands(filtered).predicates[0]), std::vector<size_t>{0});
  // Rows that a later filter drops still mark their matches.
  const auto marked =
      plan::filter(joined(JoinKind::kFull, swapped, 0, numbers(0, 1)), call(">", {at(2), number(7)}));
  EXPECT_TRUE(demands(marked).predicates.empty());
}

}  // namespace early_filters_test
}  // namespace lanewise::ops
