#include "ops/window/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "ops/aggregate/reference.h"

namespace lanewise::ops::windows {  // names used only here, for unity builds
namespace {

using plan::FrameEnd;
using plan::FrameExclusion;
using plan::FrameUnit;
using Row = std::vector<Value>;

constexpr size_t kId = 0, kPart = 1, kOrder = 2, kNumber = 3, kText = 4, kOffset = 5, kFlag = 6, kReal = 7;

const Schema& input_schema() {
  static const Schema schema = {{"id", TypeId::kInt64},     {"part", TypeId::kInt32},
                                {"order", TypeId::kInt64},  {"number", TypeId::kInt64},
                                {"text", TypeId::kVarchar}, {"offset", TypeId::kInt64},
                                {"flag", TypeId::kBool},    {"real", TypeId::kFloat64}};
  return schema;
}

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

/// The definition, spelled out row by row.
class Reference {
 public:
  Reference(const plan::Window& window, const std::vector<Row>& rows) : window_(window), rows_(rows) {
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const int sign = by_partition(a, b);
      return sign != 0 ? sign < 0 : by_order(a, b) < 0;
    });
    for (const size_t row : order) {
      if (partitions_.empty() || by_partition(partitions_.back()[0], row) != 0) partitions_.emplace_back();
      partitions_.back().push_back(row);
    }
  }

  /// The call's value for each row, by the row's number.
  std::vector<Value> values(const plan::WindowCall& call) const {
    std::vector<Value> values(rows_.size());
    for (const auto& partition : partitions_) {
      for (size_t at = 0; at < partition.size(); ++at) values[partition[at]] = value(call, partition, at);
    }
    return values;
  }

 private:
  using Partition = std::vector<size_t>;

  int by_keys(const std::vector<plan::SortKey>& keys, size_t a, size_t b) const {
    return reference::compare_keys({{}, evaluated(keys, a)}, {{}, evaluated(keys, b)}, keys);
  }
  int by_order(size_t a, size_t b) const { return by_keys(window_.order, a, b); }
  int by_partition(size_t a, size_t b) const {
    std::vector<plan::SortKey> keys;
    for (const ExprPtr& key : window_.partition) keys.push_back({key, false, false});
    return by_keys(keys, a, b);
  }
  Row evaluated(const std::vector<plan::SortKey>& keys, size_t row) const {
    Row values;
    for (const plan::SortKey& key : keys) values.push_back(evaluate_reference(*key.expr, rows_[row]));
    return values;
  }
  Value evaluated(const ExprPtr& expr, size_t row) const { return evaluate_reference(*expr, rows_[row]); }

  /// The group of peers, within its partition, that the row at a position belongs to.
  int64_t group(const Partition& partition, size_t at) const {
    int64_t group = 0;
    for (size_t i = 1; i <= at; ++i) group += by_order(partition[i - 1], partition[i]) != 0;
    return group;
  }

  /// Is row `j` of the partition not before (or not after) the position where the frame of row `at` begins
  /// (ends).
  bool within(const plan::Frame& frame, const plan::FrameBound& bound, bool is_begin,
              const Partition& partition, size_t at, size_t j) const {
    if (bound.end == FrameEnd::kUnbounded) return true;
    const int64_t sign = is_begin ? 1 : -1;
    int64_t offset = 0;
    if (frame.unit != FrameUnit::kRange && bound.offset != nullptr) {
      offset = evaluated(bound.offset, partition[at]).integer();
      if (bound.end == FrameEnd::kPreceding) offset = -offset;
    }
    const auto here = static_cast<int64_t>(at), there = static_cast<int64_t>(j);
    if (frame.unit == FrameUnit::kRows) return (there - here - offset) * sign >= 0;
    const int64_t groups = group(partition, j) - group(partition, at);
    if (frame.unit == FrameUnit::kGroups || bound.end == FrameEnd::kCurrentRow)
      return (groups - offset) * sign >= 0;
    const ExprPtr& key = window_.order[0].expr;
    const Value mine = evaluated(key, partition[at]), other = evaluated(key, partition[j]);
    if (mine.is_null()) return groups * sign >= 0;
    if (other.is_null()) return (there - here) * sign > 0;
    const int order = compare(other, evaluated(bound.offset, partition[at]));
    return (window_.order[0].descending ? -order : order) * sign >= 0;
  }

  std::vector<size_t> frame_of(const plan::Frame& frame, const Partition& partition, size_t at) const {
    std::vector<size_t> rows;
    for (size_t j = 0; j < partition.size(); ++j) {
      if (!within(frame, frame.begin, true, partition, at, j)) continue;
      if (!within(frame, frame.end, false, partition, at, j)) continue;
      const bool peer = by_order(partition[at], partition[j]) == 0;
      if (frame.exclusion == FrameExclusion::kCurrentRow && j == at) continue;
      if (frame.exclusion == FrameExclusion::kGroup && peer) continue;
      if (frame.exclusion == FrameExclusion::kTies && peer && j != at) continue;
      rows.push_back(partition[j]);
    }
    return rows;
  }

  Value value(const plan::WindowCall& window_call, const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    const std::string& name = call.function;
    const auto rows = static_cast<int64_t>(partition.size());
    const auto here = static_cast<int64_t>(at);
    const auto peers = [&](auto holds) {
      return std::count_if(partition.begin(), partition.end(),
                           [&](size_t row) { return holds(by_order(row, partition[at])); });
    };
    const int64_t before = peers([](int order) { return order < 0; });
    if (!call.order.empty()) {
      const auto shifts_or_ranks = {"row_number", "rank", "percent_rank", "cume_dist",
                                    "ntile",      "lag",  "lead"};
      if (std::ranges::find(shifts_or_ranks, name) != shifts_or_ranks.end())
        return by_own_order(window_call, frame_of(window_call.frame, partition, at), partition, at);
    }
    if (name == "row_number") return Value::int64(here + 1);
    if (name == "rank") return Value::int64(before + 1);
    if (name == "dense_rank") return Value::int64(group(partition, at) + 1);
    if (name == "percent_rank")
      return Value::float64(rows == 1 ? 0 : static_cast<double>(before) / static_cast<double>(rows - 1));
    if (name == "cume_dist") {
      return Value::float64(static_cast<double>(peers([](int order) { return order <= 0; })) /
                            static_cast<double>(rows));
    }
    if (name == "ntile") return ntile(call.args[0]->literal.integer(), rows, here);
    if (name == "lag" || name == "lead") return shifted(window_call, partition, at);
    std::vector<size_t> seen = frame_of(window_call.frame, partition, at);
    if (name == "first_value" || name == "last_value" || name == "nth_value") {
      if (window_call.ignore_nulls)
        std::erase_if(seen, [&](size_t row) { return evaluated(call.args[0], row).is_null(); });
      std::ranges::stable_sort(seen, [&](size_t a, size_t b) { return by_keys(call.order, a, b) < 0; });
      int64_t n = name == "last_value" ? static_cast<int64_t>(seen.size()) : 1;
      if (name == "nth_value") n = evaluated(call.args[1], partition[at]).integer();
      if (n < 1 || n > static_cast<int64_t>(seen.size())) return Value(call.type);
      return evaluated(call.args[0], seen[static_cast<size_t>(n - 1)]);
    }
    std::vector<reference::Row> taken;
    for (const size_t row : seen) {
      if (call.filter != nullptr && !evaluated(call.filter, row).is_true()) continue;
      reference::Row values;
      for (const ExprPtr& arg : call.args) values.args.push_back(evaluated(arg, row));
      values.order = evaluated(call.order, row);
      taken.push_back(std::move(values));
    }
    return reference::aggregate(call, std::move(taken));
  }

  /// A rank of the row among the frame's rows, or the value that lag or lead finds among them.
  Value by_own_order(const plan::WindowCall& window_call, std::vector<size_t> seen,
                     const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    const auto rows = static_cast<int64_t>(seen.size());
    const size_t row = partition[at];
    int64_t less = 0, not_greater = 0, before = 0;
    for (const size_t other : seen) {
      const int order = by_keys(call.order, other, row);
      const bool comes_first = std::find(partition.begin(), partition.begin() + static_cast<ptrdiff_t>(at),
                                         other) != partition.begin() + static_cast<ptrdiff_t>(at);
      less += order < 0;
      not_greater += order <= 0;
      before += order < 0 || (order == 0 && comes_first);
    }
    if (call.function == "row_number") return Value::int64(before + 1);
    if (call.function == "rank") return Value::int64(less + 1);
    if (call.function == "percent_rank")
      return Value::float64(rows <= 1 ? 0 : static_cast<double>(less) / static_cast<double>(rows - 1));
    if (call.function == "cume_dist")
      return Value::float64(rows == 0 ? 0 : static_cast<double>(not_greater) / static_cast<double>(rows));
    if (call.function == "ntile") return ntile(call.args[0]->literal.integer(), rows, before);
    std::ranges::stable_sort(seen, [&](size_t a, size_t b) { return by_keys(call.order, a, b) < 0; });
    const int64_t offset = evaluated(call.args[1], row).integer();
    const int64_t place = call.function == "lag" ? before - offset : before + offset;
    if (place < 0 || place >= rows) return evaluated(call.args[2], row);
    if (window_call.ignore_nulls)
      std::erase_if(seen, [&](size_t other) { return evaluated(call.args[0], other).is_null(); });
    return place < static_cast<int64_t>(seen.size())
               ? evaluated(call.args[0], seen[static_cast<size_t>(place)])
               : Value(call.type);
  }

  static Value ntile(int64_t parts, int64_t rows, int64_t here) {
    int64_t row = 0;
    for (int64_t part = 1; part <= parts; ++part) {
      row += rows / parts + (part <= rows % parts ? 1 : 0);
      if (here < row) return Value::int64(part);
    }
    return {};
  }

  Value shifted(const plan::WindowCall& window_call, const Partition& partition, size_t at) const {
    const plan::AggregateCall& call = window_call.call;
    int64_t left = evaluated(call.args[1], partition[at]).integer();
    const int64_t step = call.function == "lag" ? -1 : 1;
    auto place = static_cast<int64_t>(at);
    while (left > 0) {
      place += step;
      if (place < 0 || place >= static_cast<int64_t>(partition.size()))
        return evaluated(call.args[2], partition[at]);
      const Value value = evaluated(call.args[0], partition[static_cast<size_t>(place)]);
      if (!window_call.ignore_nulls || !value.is_null()) --left;
    }
    return evaluated(call.args[0], partition[static_cast<size_t>(place)]);
  }

  const plan::Window& window_;
  const std::vector<Row>& rows_;
  std::vector<Partition> partitions_;
};

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
  const Table table = run(window_of({all, running, near}), rows);
  int128_t sum = 0;
  for (int64_t i = 0; i < kRows; i += 1) {
    sum += i % 1000;
    if (i % 997 != 0 && i + 1 != kRows) continue;
    ASSERT_EQ(table.value(i, 8).integer(), 70 * 499'500);
    ASSERT_EQ(table.value(i, 9).integer(), sum);
    ASSERT_EQ(table.value(i, 10).integer(), std::max<int64_t>(i - 66'000, 0));
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
