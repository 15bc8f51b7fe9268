#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "exec/execute.h"
#include "expr/functions/build.h"
#include "expr/functions/predicates.h"
#include "ops/join/build.h"
#include "ops/operators/operators.h"
#include "plan/testing/plan_oracle.h"

namespace lanewise::ops {
namespace step_operators_test {

using plan::JoinKind;

constexpr int32_t kRows = 200, kColumn = 1000;  // row r of column c has the value c * kColumn + r

ExprPtr number(int32_t value) { return literal(Value::int32(value)); }
ExprPtr at(size_t index) { return column(index, TypeId::kInt32); }
ExprPtr less(size_t index, int32_t value) { return call("<", {at(index), number(value)}); }

plan::NodePtr table(const std::vector<std::vector<Value>>& columns) {
  auto table = std::make_shared<Table>();
  Batch batch{static_cast<int64_t>(columns[0].size()), {}};
  for (const std::vector<Value>& values : columns) {
    table->schema.push_back({"column", TypeId::kInt32});
    batch.columns.push_back(make_column(TypeId::kInt32, values));
  }
  table->batches.push_back(std::move(batch));
  return plan::values(table);
}

plan::NodePtr input() {
  std::vector<std::vector<Value>> columns(3);
  for (int32_t c = 0; c < 3; ++c)
    for (int32_t row = 0; row < kRows; ++row) columns[c].push_back(Value::int32(c * kColumn + row));
  return table(columns);
}

/// Keys of the input's column 1, some without a match, and another column.
plan::NodePtr build_side(int times) {
  std::vector<std::vector<Value>> columns(2);
  for (int32_t key = kRows / 2; key < kRows * 2; ++key) {
    for (int time = 0; time < times; ++time) {
      columns[0].push_back(Value::int32(kColumn + key));
      columns[1].push_back(Value::int32(40 * kColumn + key));
    }
  }
  return table(columns);
}

plan::NodePtr joined(const plan::NodePtr& left, JoinKind kind, int times, std::string message = "") {
  plan::Join join;
  join.kind = kind;
  join.keys = {{at(1), at(0)}};
  if (plan::gives_left(kind)) join.left = {2, 0};
  if (plan::gives_right(kind)) join.right = {1};
  join.message = std::move(message);
  return plan::join(left, build_side(times), std::move(join));
}

plan::NodePtr unnested(const plan::NodePtr& child) {
  const ExprPtr length = call("%", {column(0, TypeId::kInt32), number(3)});
  const ExprPtr list = call("range", {cast(length, TypeId::kInt64)});
  const auto all = plan::unnest(child, {list}, {"element"});
  return plan::project(all, {at(2), at(1), column(3, TypeId::kInt64)}, {"c", "b", "element"})->children[0];
}

/// A kind of step: its node over another one, and what it is known to do.
struct Kind {
  std::string name;
  std::function<plan::NodePtr(const plan::NodePtr&)> over;
  std::vector<size_t> below;
  bool in_order = true;
  bool needs = false;  ///< some rows of input() lack what it needs
};

std::vector<Kind> kinds() {
  const auto one_row = table({{Value::int32(30 * kColumn)}});
  std::vector<Kind> all = {
      {.name = "filter",
       .over = [](const auto& child) { return plan::filter(child, less(1, kColumn + 40)); },
       .below = {0, 1, 2},
       .needs = true},
      {"project",
       [](const auto& child) {
         return plan::project(child, {at(2), call("+", {at(0), number(20 * kColumn)}), at(0)},
                              {"c", "next", "a"});
       },
       {2, kComputed, 0}},
      {"scalar_join",
       [=](const auto& child) { return plan::scalar_join(child, one_row, ""); },
       {0, 1, 2, kComputed}},
      {"unnest", unnested, {1, 2, kComputed}},
  };
  for (const JoinKind kind :
       {JoinKind::kInner, JoinKind::kLeft, JoinKind::kRight, JoinKind::kFull, JoinKind::kSemi,
        JoinKind::kAnti, JoinKind::kRightSemi, JoinKind::kRightAnti, JoinKind::kMark, JoinKind::kSingle}) {
    Kind& join = all.emplace_back();
    join.name = plan::name(kind);
    join.over = [=](const auto& child) { return joined(child, kind, kind == JoinKind::kSingle ? 1 : 2); };
    if (plan::gives_left(kind)) join.below = {2, 0};
    if (plan::gives_right(kind) || kind == JoinKind::kMark) join.below.push_back(kComputed);
    join.in_order = false;
    join.needs = plan::needs_match(kind);
  }
  return all;
}

plan::Rows rows(const plan::NodePtr& plan) { return plan::rows_of(exec::execute(plan, {}).table); }

std::vector<std::string> sorted_texts(const plan::NodePtr& plan) {
  std::vector<std::string> all;
  for (const plan::Row& row : rows(plan)) {
    std::string& text = all.emplace_back();
    for (const Value& value : row) text += value.to_string() + "|";
  }
  std::ranges::sort(all);
  return all;
}

StepColumns columns_of_step(const plan::Node& node) { return step_operator(node).columns({&node}); }

TEST(StepOperators, PassColumnsOfTheirInput) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const plan::NodePtr node = kind.over(input());
    const StepColumns columns = columns_of_step(*node);
    ASSERT_EQ(columns.below, kind.below);
    EXPECT_EQ(columns.in_order, kind.in_order);
    EXPECT_EQ(columns.has_named, kind.name == "project");
    int64_t last = 0;
    for (const plan::Row& row : rows(node)) {
      ASSERT_EQ(row.size(), columns.below.size());
      std::vector<int64_t> numbers;  // of the input's row
      for (size_t i = 0; i < row.size(); ++i) {
        if (columns.below[i] == kComputed || row[i].is_null()) continue;
        const auto value = static_cast<int64_t>(row[i].integer());
        EXPECT_EQ(value / kColumn, static_cast<int64_t>(columns.below[i]));
        numbers.push_back(value % kColumn);
      }
      if (numbers.empty()) continue;
      EXPECT_EQ(std::ranges::count(numbers, numbers[0]), std::ssize(numbers));
      EXPECT_TRUE(!columns.in_order || numbers[0] >= last);
      last = numbers[0];
    }
  }
}

/// The rows of the child that have what the step needs.
plan::NodePtr needed_rows(const plan::NodePtr& child, const plan::Node& step) {
  const RowNeeds needs = step_operator(step).needs({&step});
  plan::NodePtr left = child;
  for (const ExprPtr& predicate : needs.predicates) left = plan::filter(left, predicate);
  if (!needs.match) return left;
  plan::Join semi;
  semi.kind = JoinKind::kSemi;
  semi.keys = needs.keys;
  semi.left = {0, 1, 2};
  return plan::join(left, step.children[1], std::move(semi));
}

TEST(StepOperators, DoNotReadRowsThatLackTheirNeeds) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const plan::NodePtr node = kind.over(input()), needed = needed_rows(input(), *node);
    EXPECT_EQ(rows(needed).size() < kRows, kind.needs);
    EXPECT_EQ(sorted_texts(kind.over(needed)), sorted_texts(node));
  }
}

TEST(StepOperators, LaterFiltersRunFirstUnlessTheStepSeesAll) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const plan::NodePtr node = kind.over(input());
    const StepColumns columns = columns_of_step(*node);
    if (columns.below.empty() || columns.below[0] == kComputed) continue;
    const auto column = columns.below[0];
    const auto differs = [&](const plan::NodePtr& child, size_t index) {
      const int32_t value = static_cast<int32_t>(column) * kColumn + kRows - 1;
      return plan::filter(child, call("IS DISTINCT FROM", {at(index), number(value)}));
    };
    const bool same =
        sorted_texts(differs(kind.over(differs(input(), column)), 0)) == sorted_texts(differs(node, 0));
    EXPECT_EQ(same, !step_operator(*node).needs({node.get()}).sees_all);
  }
  const plan::NodePtr single = joined(input(), JoinKind::kSingle, 2, "several rows");
  EXPECT_TRUE(step_operator(*single).needs({single.get()}).sees_all) << "it raises errors";
}

TEST(StepOperators, TakeTimeForTheirWork) {
  const auto time = [](const plan::NodePtr& node, const StepInput& read = {}) {
    return step_operator(*node).time({node.get()}, read);
  };
  const ExprPtr small = less(0, 7);
  EXPECT_EQ(time(plan::filter(input(), small)), expr::cost(*small));
  EXPECT_EQ(time(plan::project(input(), {at(0), small}, {"a", "small"})), expr::cost(*small));
  EXPECT_EQ(time(unnested(input())), kLookupTime);
  const plan::NodePtr join = joined(input(), JoinKind::kInner, 1);
  EXPECT_EQ(time(join), kLookupTime);
  const auto build = std::make_shared<Build>();
  build->rows = 1 << 20;
  EXPECT_EQ(time(join, {.build = build}), 2 * 3 * kLookupTime) << "not in a cache, and not unique";
}

}  // namespace step_operators_test
}  // namespace lanewise::ops
