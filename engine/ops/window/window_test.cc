#include "ops/window/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "expr/functions/build.h"
#include "ops/window/testing/reference.h"

namespace lanewise::ops::windows {  // names used only here, for unity builds
namespace {

/// `parts` different partitions; keys that are often equal; NULLs in all but the id and the offset.
std::vector<Row> random_rows(std::mt19937& random, int64_t rows, int parts) {
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(std::max<int64_t>(end, 1)));
  };
  const auto or_null = [&](Value value) { return below(5) == 0 ? Value(value.type()) : value; };
  std::vector<Row> made;
  for (int64_t i = 0; i < rows; ++i) {
    made.push_back({Value::int64(i), or_null(Value::int32(static_cast<int32_t>(below(parts)))),
                    or_null(Value::int64(below(rows / 3))), or_null(Value::int64(below(20) - 9)),
                    or_null(Value::varchar(std::string(static_cast<size_t>(below(4)), 'a') + "é")),
                    Value::int64(below(4)), or_null(Value::boolean(below(2) == 0)),
                    or_null(Value::float64(static_cast<double>(below(64)) / 4))});
  }
  return made;
}

ExprPtr column_of(size_t i) { return column(i, input_schema()[i].type); }

Table run(const plan::Window& window, const std::vector<Row>& rows, MemoryBudget* budget = nullptr) {
  std::vector<ColumnPtr> columns;
  Schema output = input_schema();
  for (size_t c = 0; c < output.size(); ++c) {
    std::vector<Value> values;
    for (const Row& row : rows) values.push_back(row[c]);
    columns.push_back(make_column(output[c].type, values));
  }
  for (const plan::WindowCall& call : window.calls) output.push_back({"", call.call.type});
  const auto sink = make_window(window, input_schema(), output);
  Arena arena;
  EvalContext context{&arena, lanes::simd(), budget};
  std::vector<std::unique_ptr<Sink::Local>> locals;
  for (int i = 0; i < 3; ++i) locals.push_back(sink->local());
  constexpr int64_t kChunk = 100;
  for (int64_t first = 0; first < static_cast<int64_t>(rows.size()); first += kChunk) {
    arena.reset();
    const auto count = static_cast<uint32_t>(std::min(kChunk, static_cast<int64_t>(rows.size()) - first));
    Chunk chunk{static_cast<uint64_t>(first / kChunk), count, {}, ActiveSet(count, arena)};
    for (const ColumnPtr& column : columns) chunk.columns.push_back(slice(*column, first, count, arena));
    sink->consume(*locals[static_cast<size_t>(first / kChunk) % locals.size()], chunk, context);
  }
  return sink->finish(std::move(locals), context);
}

void expect_like_reference(const plan::Window& window, const std::vector<Row>& rows) {
  const Table table = run(window, rows);
  ASSERT_EQ(table.rows(), static_cast<int64_t>(rows.size()));
  const Reference reference(window, rows);
  for (size_t c = 0; c < window.calls.size(); ++c) {
    const std::vector<Value> expected = reference.values(window.calls[c]);
    for (int64_t i = 0; i < table.rows(); ++i) {
      const int64_t id = static_cast<int64_t>(table.value(i, kId).integer());
      const Value actual = table.value(i, input_schema().size() + c);
      const Value& wanted = expected[static_cast<size_t>(id)];
      if (actual.type().is_float() && !actual.is_null() && !wanted.is_null()) {
        ASSERT_NEAR(actual.real(), wanted.real(), 1e-9) << window.calls[c].call.function << " of row " << id;
      } else {
        ASSERT_EQ(actual, wanted) << window.calls[c].call.function << " of row " << id << " of "
                                  << rows.size();
      }
    }
  }
}

bool shifts(const plan::WindowCall& call) {
  return call.call.function == "lag" || call.call.function == "lead";
}

plan::WindowCall call_of(std::string function, std::vector<ExprPtr> args, Type type) {
  plan::WindowCall call;
  call.call.function = std::move(function);
  call.call.args = std::move(args);
  call.call.type = type;
  if (shifts(call)) call.frame.end.end = FrameEnd::kUnbounded;
  return call;
}

plan::Window window_of(std::vector<plan::WindowCall> calls, bool descending = false) {
  plan::Window window;
  window.partition = {column_of(kPart)};
  window.order = {{column_of(kOrder), descending, descending}};
  window.calls = std::move(calls);
  return window;
}

/// Numbers of rows at which blocks and words begin and end, and several result batches.
std::vector<int64_t> sizes() { return {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 300}; }

std::vector<plan::WindowCall> ranks() {
  return {call_of("row_number", {}, TypeId::kInt64),
          call_of("rank", {}, TypeId::kInt64),
          call_of("dense_rank", {}, TypeId::kInt64),
          call_of("percent_rank", {}, TypeId::kFloat64),
          call_of("cume_dist", {}, TypeId::kFloat64),
          call_of("ntile", {literal(Value::int64(1))}, TypeId::kInt64),
          call_of("ntile", {literal(Value::int64(7))}, TypeId::kInt64)};
}

std::vector<plan::WindowCall> values() {
  std::vector<plan::WindowCall> calls;
  for (const char* name : {"lag", "lead"}) {
    calls.push_back(call_of(name,
                            {column_of(kText), literal(Value::int64(1)), literal(Value(TypeId::kVarchar))},
                            TypeId::kVarchar));
    calls.push_back(call_of(name, {column_of(kNumber), column_of(kOffset), column_of(kId)}, TypeId::kInt64));
    calls.push_back(call_of(name,
                            {column_of(kText), literal(Value::int64(2)), literal(Value::varchar("none"))},
                            TypeId::kVarchar));
  }
  calls.push_back(call_of("first_value", {column_of(kText)}, TypeId::kVarchar));
  calls.push_back(call_of("last_value", {column_of(kNumber)}, TypeId::kInt64));
  calls.push_back(call_of("nth_value", {column_of(kReal), column_of(kOffset)}, TypeId::kFloat64));
  return calls;
}

std::vector<plan::WindowCall> aggregates() {
  const ExprPtr number = column_of(kNumber), text = column_of(kText);
  std::vector<plan::WindowCall> calls = {
      call_of("count_star", {}, TypeId::kInt64),
      call_of("count", {text}, TypeId::kInt64),
      call_of("sum", {number}, TypeId::kInt128),
      call_of("avg", {number}, TypeId::kFloat64),
      call_of("sum", {column_of(kReal)}, TypeId::kFloat64),
      call_of("min", {text}, TypeId::kVarchar),
      call_of("max", {number}, TypeId::kInt64),
      call_of("first", {text}, TypeId::kVarchar),
      call_of("last", {number}, TypeId::kInt64),
      call_of("string_agg", {text, literal(Value::varchar("-"))}, TypeId::kVarchar),
      call_of("median", {number}, TypeId::kFloat64),
      call_of("median", {text}, TypeId::kVarchar),
      call_of("quantile_disc", {number, literal(Value::float64(0.3))}, TypeId::kInt64),
      call_of("quantile_disc", {column_of(kReal), literal(Value::float64(-0.25))}, TypeId::kFloat64),
      call_of("quantile_cont", {column_of(kReal), literal(Value::float64(0.9))}, TypeId::kFloat64),
      call_of("max_by", {text, column_of(kReal)}, TypeId::kVarchar)};
  calls.push_back(call_of("sum", {number}, TypeId::kInt128));
  calls.back().call.filter = column_of(kFlag);
  calls.push_back(call_of("median", {number}, TypeId::kFloat64));
  calls.back().call.filter = column_of(kFlag);
  calls.push_back(call_of("median", {number}, TypeId::kFloat64));
  calls.back().call.distinct = true;
  calls.push_back(call_of("count", {number}, TypeId::kInt64));
  calls.back().call.distinct = true;
  calls.push_back(call_of("string_agg", {text, literal(Value::varchar(","))}, TypeId::kVarchar));
  calls.back().call.order = {{column_of(kId), true, false}};
  calls.push_back(call_of("sum", {number}, TypeId::kInt128));
  calls.back().call.distinct = true;
  calls.back().call.filter = column_of(kFlag);
  return calls;
}

plan::Frame random_frame(std::mt19937& random) {
  plan::Frame frame;
  frame.unit = static_cast<FrameUnit>(random() % 3);
  frame.exclusion = random() % 2 == 0 ? FrameExclusion::kNone : static_cast<FrameExclusion>(random() % 4);
  const auto bound = [&] {
    plan::FrameBound made;
    made.end = static_cast<FrameEnd>(random() % 4);
    if (made.end != FrameEnd::kPreceding && made.end != FrameEnd::kFollowing) return made;
    made.offset =
        random() % 2 == 0 ? column_of(kOffset) : literal(Value::int64(static_cast<int64_t>(random() % 40)));
    if (frame.unit == FrameUnit::kRange) {
      const char* step = made.end == FrameEnd::kPreceding ? "-" : "+";
      made.offset = call(step, {column_of(kOrder), made.offset});
    }
    return made;
  };
  frame.begin = bound();
  frame.end = bound();
  return frame;
}

TEST(Window, Ranks) {
  std::mt19937 random(1);
  for (const int64_t rows : sizes()) expect_like_reference(window_of(ranks()), random_rows(random, rows, 3));
}

TEST(Window, ValuesOfOtherRows) {
  std::mt19937 random(2);
  for (const int64_t rows : sizes()) {
    for (const bool ignore_nulls : {false, true}) {
      std::vector<plan::WindowCall> calls = values();
      for (plan::WindowCall& call : calls) call.ignore_nulls = ignore_nulls;
      expect_like_reference(window_of(calls, ignore_nulls), random_rows(random, rows, 3));
    }
  }
}

TEST(Window, AggregatesOverEveryFrame) {
  std::mt19937 random(3);
  for (int round = 0; round < test_size(5, 40, 400); ++round) {
    std::vector<plan::WindowCall> calls = aggregates(), others = values();
    calls.insert(calls.end(), others.begin(), others.end());
    const plan::Frame frame = random_frame(random);
    for (plan::WindowCall& call : calls)
      if (!shifts(call)) call.frame = frame;  // those obey one end of it: tests/sql/window.test
    plan::Window window = window_of(calls);
    if (round % 7 == 0) window.partition.clear();
    const int64_t rows = sizes()[random() % sizes().size()];
    expect_like_reference(window, random_rows(random, rows, round % 5 == 0 ? 1 : 4));
  }
}

TEST(Window, OrdersOfTheirOwnWithinFrames) {
  std::mt19937 random(8);
  for (int round = 0; round < test_size(6, 40, 400); ++round) {
    std::vector<plan::WindowCall> calls = values();
    for (const plan::WindowCall& rank : ranks())
      if (rank.call.function != "dense_rank" && rank.call.function != "ntile") calls.push_back(rank);
    plan::Frame frame = random_frame(random);
    frame.exclusion = FrameExclusion::kNone;
    for (plan::WindowCall& call : calls) {
      call.frame = frame;
      call.ignore_nulls = round % 2 == 0;
      call.call.order = {{column_of(round % 3 == 0 ? kReal : kText), round % 5 == 0, round % 4 == 0}};
      if (round % 3 == 1) call.call.order.push_back({column_of(kNumber), true, false});
    }
    const int64_t rows = sizes()[random() % sizes().size()];
    expect_like_reference(window_of(calls), random_rows(random, rows, 3));
  }
}

TEST(Window, WithoutOrderAllRowsArePeers) {
  std::mt19937 random(4);
  std::vector<plan::WindowCall> calls = ranks(), others = aggregates();
  calls.insert(calls.end(), others.begin(), others.end());
  plan::Window window = window_of(calls);
  window.order.clear();
  expect_like_reference(window, random_rows(random, test_size(50, 200), 5));
  window.partition.clear();
  expect_like_reference(window, random_rows(random, test_size(50, 200), 5));
}

TEST(Window, DescendingRangesGoDown) {
  std::mt19937 random(5);
  std::vector<plan::WindowCall> calls = {call_of("sum", {column_of(kNumber)}, TypeId::kInt128)};
  calls[0].frame.begin = {FrameEnd::kPreceding, call("+", {column_of(kOrder), literal(Value::int64(5))})};
  calls[0].frame.end = {FrameEnd::kFollowing, call("-", {column_of(kOrder), literal(Value::int64(2))})};
  expect_like_reference(window_of(calls, true), random_rows(random, test_size(100, 300), 2));
}

/// More rows than a result batch or a tile of the segment tree holds.
TEST(Window, ManyRows) {
  constexpr int64_t kRows = 70'000;
  std::vector<Row> rows;
  for (int64_t i = 0; i < kRows; ++i) {
    rows.push_back({Value::int64(i), Value::int32(0), Value::int64(i), Value::int64(i % 1000),
                    Value::varchar("x"), Value::int64(1), Value::boolean(true), Value::float64(0.5)});
  }
  plan::WindowCall all = call_of("sum", {column_of(kNumber)}, TypeId::kInt128);
  plan::WindowCall running = all, near = call_of("min", {column_of(kOrder)}, TypeId::kInt64);
  all.frame.end = {};
  near.frame = {FrameUnit::kRows,
                {FrameEnd::kPreceding, literal(Value::int64(66'000))},
                {FrameEnd::kCurrentRow, nullptr},
                FrameExclusion::kNone};
  plan::WindowCall middle = call_of("median", {column_of(kNumber)}, TypeId::kFloat64);
  middle.frame = near.frame;
  middle.frame.begin.offset = literal(Value::int64(2));
  const Table table = run(window_of({all, running, near, middle}), rows);
  int128_t sum = 0;
  for (int64_t i = 0; i < kRows; i += 1) {
    sum += i % 1000;
    if (i % 997 != 0 && i + 1 != kRows) continue;
    ASSERT_EQ(table.value(i, 8).integer(), 70 * 499'500);
    ASSERT_EQ(table.value(i, 9).integer(), sum);
    ASSERT_EQ(table.value(i, 10).integer(), std::max<int64_t>(i - 66'000, 0));
    const double before = i == 0          ? 0
                          : i % 1000 == 0 ? 998
                          : i % 1000 == 1 ? 1
                                          : static_cast<double>(i % 1000 - 1);
    ASSERT_EQ(table.value(i, 11).real(), before);
  }
}

TEST(Window, BadOffsets) {
  std::mt19937 random(6);
  const std::vector<Row> rows = random_rows(random, 50, 1);
  plan::WindowCall call = call_of("count_star", {}, TypeId::kInt64);
  call.frame = {
      FrameUnit::kGroups, {FrameEnd::kPreceding, literal(Value::int64(-1))}, {}, FrameExclusion::kNone};
  EXPECT_THROW(run(window_of({call}), rows), UserError);
  call.frame.unit = FrameUnit::kRange;
  call.frame.begin.offset = lanewise::call("+", {column_of(kOrder), literal(Value::int64(1))});
  EXPECT_THROW(run(window_of({call}), rows), UserError);
  EXPECT_THROW(run(window_of({call_of("ntile", {literal(Value::int64(0))}, TypeId::kInt64)}), rows),
               UserError);
  EXPECT_THROW(make_window(window_of({call_of("no_such", {}, TypeId::kInt64)}), input_schema(), {}),
               InternalError);
}

TEST(Window, KeepsToTheBudget) {
  std::mt19937 random(7);
  const std::vector<Row> rows = random_rows(random, 20'000, 3);
  MemoryBudget budget(100'000);
  try {
    run(window_of(ranks()), rows, &budget);
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("Window functions (OVER)"), std::string::npos) << error.what();
  }
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace lanewise::ops::windows
