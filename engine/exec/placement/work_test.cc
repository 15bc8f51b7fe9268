#include "exec/placement/work.h"

#include <gtest/gtest.h>

#include "data/testing/fake_source.h"
#include "exec/execute.h"
#include "expr/functions/build.h"
#include "ops/gpu/testing/call_of.h"

namespace lanewise::exec {
namespace work_test {

constexpr int kWorkRows = 100'000;

/// id increases with the row; n; s of 10 bytes.
class Works : public testing::Test {
 protected:
  Works() {
    std::vector<std::vector<Value>> rows;
    for (int i = 0; i < kWorkRows; ++i)
      rows.push_back(
          {Value::int64(i), Value::int32(i % 10), Value::varchar(std::to_string(1'000'000'000 + i))});
    source_ = std::make_shared<FakeSource>(
        Schema{{"id", TypeId::kInt64}, {"n", TypeId::kInt32}, {"s", TypeId::kVarchar}}, std::move(rows));
    source_->id = "fake";
  }
  plan::NodePtr scan(std::vector<ExprPtr> predicates = {}) const {
    return plan::scan(source_, {0, 1, 2}, std::move(predicates));
  }
  ops::Work work(const plan::NodePtr& plan) {
    pipelines_ = split(*plan);
    return work_of(pipelines_[0], known_);
  }
  /// Reads the columns, which then stay in memory.
  void heat() {
    ops::Options options;
    options.store = &store_;
    execute(scan(), options);
    known_.store = &store_;
  }

  MemoryBudget budget_{size_t{1} << 30};
  ops::ColumnStore store_{&budget_};
  std::shared_ptr<FakeSource> source_;
  Known known_;
  std::vector<plan::Pipeline> pipelines_;
};

ExprPtr id() { return column(0, TypeId::kInt64); }
ExprPtr n() { return column(1, TypeId::kInt32); }
ExprPtr s() { return column(2, TypeId::kVarchar); }
ExprPtr big(int64_t value) { return literal(Value::int64(value)); }
ExprPtr like(const char* pattern) { return call("~~", {s(), literal(Value::varchar(pattern))}); }
plan::NodePtr count(plan::NodePtr child) {
  return plan::aggregate(std::move(child), {}, {ops::call_of("count_star", {}, TypeId::kInt64)}, {"count"});
}
plan::NodePtr grouped(plan::NodePtr child) {
  return plan::aggregate(std::move(child), {n()}, {ops::call_of("count_star", {}, TypeId::kInt64)},
                         {"n", "count"});
}

TEST_F(Works, CountColumnsAndExpressions) {
  const ops::Work all = work(count(scan()));
  EXPECT_EQ(all.rows, kWorkRows);
  EXPECT_EQ(all.scanned, kWorkRows * (8 + 4 + 4.0));  // only the offsets of strings: the bytes are not read
  EXPECT_EQ(all.missing, kWorkRows * (8 + 4 + 4 + ops::kUsualText));
  EXPECT_EQ(all.result_rows, 1);
  EXPECT_EQ(all.computed, kWorkRows);  // for the count
  const ops::Work filtered = work(count(scan({call("<", {id(), big(5)})})));
  EXPECT_EQ(filtered.computed, kWorkRows + ops::kPasses * kWorkRows);
  EXPECT_EQ(filtered.host_share, 1);
}

TEST_F(Works, KnowsHotColumns) {
  heat();
  const ops::Work hot = work(count(scan({like("%99%")})));
  EXPECT_EQ(hot.missing,
            kWorkRows * (8 + 4 + 4 + 10.0) + 4 * kWorkRows / 1000);  // one more offset in each chunk
  EXPECT_EQ(hot.searched, kWorkRows * 10.0);
  EXPECT_EQ(hot.walked, 0);
}

TEST_F(Works, BoundsSpareTheHostRows) {
  heat();
  EXPECT_LT(work(count(scan({call("<", {id(), big(5)})}))).host_share, 0.2);
  EXPECT_EQ(work(count(scan({call("<", {n(), literal(Value::int32(5))})}))).host_share, 1);
}

TEST_F(Works, WhatTheGpuHasIsNotMissing) {
  known_.resident = [](const Source& source, size_t column, int64_t rows) {
    return source.identity() == "fake" && column != 1 && rows == kWorkRows;
  };
  EXPECT_EQ(work(count(scan())).missing, kWorkRows * 4.0);
  source_->id = "";  // unknown as well
  EXPECT_EQ(work(count(scan())).missing, kWorkRows * (16 + ops::kUsualText));
}

TEST_F(Works, PatternsBehindFiltersSeeFewerRows) {
  const ops::Work work = this->work(count(scan({like("%99%"), call("<", {id(), big(5)})})));
  EXPECT_EQ(work.searched, 0);  // an automaton tests single rows
  EXPECT_DOUBLE_EQ(work.walked, ops::kPasses * kWorkRows * ops::kUsualText);
  const ops::Work regular = this->work(count(scan({like("%9_9%")})));
  EXPECT_EQ(regular.walked, kWorkRows * ops::kUsualText);
  EXPECT_EQ(this->work(count(scan({like("1%")}))).searched, 0);
}

TEST_F(Works, GroupsAreAsManyAsThePlanSays) {
  EXPECT_EQ(work(grouped(scan())).groups, kWorkRows / ops::kRowsOfGroup);
  EXPECT_EQ(work(plan::with_estimate(grouped(scan()), 10)).groups, 10);
  EXPECT_EQ(work(plan::with_estimate(grouped(scan()), kWorkRows / 2)).groups,
            kWorkRows / ops::kRowsOfGroup);  // a guess
  const ops::Work work = this->work(plan::with_estimate(grouped(scan()), 1e9));
  EXPECT_EQ(work.groups, kWorkRows);
  EXPECT_EQ(work.grouped, kWorkRows);
  EXPECT_EQ(work.result_bytes, kWorkRows * (4 + 8.0));
  EXPECT_EQ(this->work(plan::distinct(scan())).grouped,
            kWorkRows * (1 + 1 + ops::kUsualText / ops::kWordBytes));
}

TEST_F(Works, SortsAndLimits) {
  EXPECT_EQ(work(plan::sort(scan(), {{id()}})).sorted, kWorkRows);
  EXPECT_EQ(work(plan::sort(scan(), {{id()}})).result_rows, kWorkRows);
  const ops::Work top = work(plan::sort(scan(), {{s()}}, 10, 5));
  EXPECT_EQ(top.sorted, 15 * ops::kUsualText / ops::kWordBytes);
  EXPECT_EQ(top.result_rows, 10);
  const ops::Work limit = work(plan::limit(scan({call("<", {id(), big(5)})}), 200));
  EXPECT_EQ(limit.host_share, 200 / (ops::kPasses * kWorkRows));
  EXPECT_EQ(limit.result_rows, 200);
}

TEST_F(Works, JoinsBuildAndLookUp) {
  plan::Join join;
  join.keys = {{.left = id(), .right = id()}, {.left = s(), .right = s()}};
  join.left = {0};
  join.right = {1, 2};
  const auto joined = [&](plan::JoinKind kind, double expected) {
    join.kind = kind;
    if (!plan::gives_right(kind)) join.right.clear();
    return plan::with_estimate(
        plan::join(plan::with_estimate(scan(), kWorkRows), scan({call("<", {id(), big(5)})}), join),
        expected);
  };
  const double keys = 1 + ops::kUsualText / ops::kWordBytes,
               row = keys + 1 + ops::kUsualText / ops::kWordBytes;
  const double built = ops::kPasses * kWorkRows;
  const plan::NodePtr plan = count(joined(plan::JoinKind::kInner, 3.0 * kWorkRows));
  EXPECT_DOUBLE_EQ(work(plan).built, built * row);
  known_.result_rows = {built, 0};
  const ops::Work probing = work_of(pipelines_[1], known_);
  ASSERT_EQ(probing.lookups.size(), 1U);
  EXPECT_DOUBLE_EQ(probing.lookups[0].words, kWorkRows * row);
  EXPECT_EQ(probing.lookups[0].rows, built);
  EXPECT_DOUBLE_EQ(probing.computed, 3.0 * kWorkRows) << "a count of all pairs";
  const plan::NodePtr semi = joined(plan::JoinKind::kSemi, kWorkRows / 10.0);
  pipelines_ = split(*semi);
  const ops::Work kept = work_of(pipelines_[1], known_);
  EXPECT_DOUBLE_EQ(kept.lookups[0].words, kWorkRows * keys);
  EXPECT_DOUBLE_EQ(kept.result_rows, kWorkRows / 10.0);
}

TEST_F(Works, ResultsOfEarlierPipelinesAreInput) {
  const auto plan = plan::sort(grouped(scan()), {{column(1, TypeId::kInt64)}});
  pipelines_ = split(*plan);
  known_.result_rows = {500, 0};
  const ops::Work work = work_of(pipelines_[1], known_);
  EXPECT_EQ(work.rows, 500);
  EXPECT_EQ(work.missing, 500 * (4 + 8.0));
}

}  // namespace work_test
}  // namespace lanewise::exec
