#include "ops/sort/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <random>
#include <thread>

#include "base/error.h"
#include "base/testing/short_memory.h"
#include "base/testing/test_size.h"
#include "expr/functions/build.h"
#include "ops/sort/top_n.h"
#include "primitives/testing/random_column.h"

namespace lanewise::ops {
namespace {

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

/// How a test feeds the operator.
struct SortFeed {
  uint32_t chunk_rows = 100;
  size_t locals = 2;
  uint32_t skip = 0;       ///< rows where row % skip == 1 are not active; 0: all are
  bool backwards = false;  ///< the chunks come in reverse order
  bool one_order = false;  ///< all chunks have the same order, and come to one thread
  MemoryBudget* budget = nullptr;
  Cancellation* cancellation = nullptr;
};

plan::SortKey by(size_t number, Type type, bool descending = false, bool nulls_first = false) {
  return {column(number, type), descending, nulls_first};
}

/// The definition, spelled out.
Rows expected_rows(const Rows& rows, const plan::Sort& sort) {
  std::vector<Row> keys;
  for (const Row& row : rows) {
    keys.emplace_back();
    for (const plan::SortKey& key : sort.keys) keys.back().push_back(evaluate_reference(*key.expr, row));
  }
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    for (size_t k = 0; k < sort.keys.size(); ++k) {
      const Value &x = keys[a][k], &y = keys[b][k];
      if (x.is_null() != y.is_null()) return x.is_null() == sort.keys[k].nulls_first;
      if (x.is_null()) continue;
      if (const int sign = compare(x, y); sign != 0) return (sign < 0) != sort.keys[k].descending;
    }
    return false;
  });
  Rows expected;
  for (size_t i = static_cast<size_t>(sort.offset); i < order.size(); ++i) {
    if (sort.limit >= 0 && expected.size() == static_cast<size_t>(sort.limit)) break;
    expected.push_back(rows[order[i]]);
  }
  return expected;
}

void consume_all(const Sink& sink, std::vector<std::unique_ptr<Sink::Local>>& locals,
                 const std::vector<ColumnPtr>& columns, const SortFeed& feed, EvalContext& context) {
  const int64_t rows = columns[0]->rows;
  const int64_t chunks = (rows + feed.chunk_rows - 1) / feed.chunk_rows;
  for (int64_t i = 0; i < chunks; ++i) {
    context.arena->reset();
    const auto order = static_cast<uint64_t>(feed.backwards ? chunks - 1 - i : i);
    const auto first = static_cast<int64_t>(order) * feed.chunk_rows;
    const auto count = static_cast<uint32_t>(std::min<int64_t>(feed.chunk_rows, rows - first));
    Chunk chunk{feed.one_order ? 5 : order * 3, count, {}, ActiveSet(count, *context.arena)};
    if (feed.one_order) chunk.first_row = static_cast<uint64_t>(first);
    for (const ColumnPtr& column : columns)
      chunk.columns.push_back(slice(*column, first, count, *context.arena));
    if (feed.skip != 0) {
      auto* drop = context.arena->allocate<uint64_t>(bits::words(count));
      std::fill_n(drop, bits::words(count), 0);
      for (uint32_t row = 0; row < count; ++row) {
        if ((static_cast<uint64_t>(first) + row) % feed.skip == 1) bits::set(drop, row);
      }
      chunk.active.remove(drop);
    }
    sink.consume(*locals[feed.one_order ? 0 : (order * 7 + 3) % feed.locals], chunk, context);
  }
}

Table run_sort(const plan::Sort& sort, const std::vector<ColumnPtr>& columns, const SortFeed& feed) {
  Schema input;
  for (const ColumnPtr& column : columns) input.push_back({"", column->type});
  const auto sink = make_sort(sort, input);
  Arena arena;
  EvalContext context{&arena, lanes::simd(), feed.budget, feed.cancellation};
  std::vector<std::unique_ptr<Sink::Local>> locals;
  for (size_t i = 0; i < feed.locals; ++i) locals.push_back(sink->local());
  consume_all(*sink, locals, columns, feed, context);
  return sink->finish(std::move(locals), context);
}

Rows rows_of(const std::vector<ColumnPtr>& columns, uint32_t skip = 0) {
  Rows rows;
  for (int64_t row = 0; row < columns[0]->rows; ++row) {
    if (skip != 0 && row % skip == 1) continue;
    rows.emplace_back();
    for (const ColumnPtr& column : columns) rows.back().push_back(column->value(row));
  }
  return rows;
}

Rows rows_of(const Table& table) {
  Rows rows;
  for (const Batch& batch : table.batches) {
    for (const Row& row : rows_of(batch.columns)) rows.push_back(row);
    for (const ColumnPtr& column : batch.columns) EXPECT_EQ(column->rows, batch.rows);
  }
  return rows;
}

void expect_sorted(const plan::Sort& sort, const std::vector<ColumnPtr>& columns,
                   const std::vector<SortFeed>& feeds) {
  const Rows expected = expected_rows(rows_of(columns, feeds[0].skip), sort);
  std::vector<SortFeed> all = feeds;
  all.push_back(feeds[0]);
  ShortMemory memory;
  all.back().budget = &memory.budget;
  for (const SortFeed& feed : all) {
    const Rows rows = rows_of(run_sort(sort, columns, feed));
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i], expected[i])
          << "row " << i << " of " << rows.size() << ": " << rows[i][0].to_string() << " instead of "
          << expected[i][0].to_string();
    }
  }
}

void expect_sorted(const plan::Sort& sort, const std::vector<ColumnPtr>& columns, const SortFeed& feed) {
  expect_sorted(sort, columns, std::vector<SortFeed>{feed});
}

const size_t kSizes[] = {0, 1, 31, 32, 33, 63, 64, 65, test_size<size_t>(300, 2047), 2048, 2049};

/// Columns of `type` with many and with few values, and one that numbers the rows: ties must keep its order.
std::vector<ColumnPtr> columns_of(Type type, size_t rows, double null_share, std::mt19937& random) {
  std::vector<Value> numbers;
  for (size_t i = 0; i < rows; ++i) numbers.push_back(Value::int64(static_cast<int64_t>(i)));
  return {make_column(type, random::values(type, rows, 500, null_share, random)),
          make_column(type, random::values(type, rows, 8, null_share, random)),
          make_column(TypeId::kInt64, numbers)};
}

class OfType : public testing::TestWithParam<Type> {};

TEST_P(OfType, OrdersAsTheReference) {
  std::mt19937 random(1);
  const Type type = GetParam();
  const auto limits = test_size<std::vector<int64_t>>({10}, {0, 1, 10, 100});
  const auto offsets = test_size<std::vector<int64_t>>({30}, {0, 1, 30, 2040});
  for (const size_t rows : kSizes) {
    const auto columns = columns_of(type, rows, rows % 3 == 0 ? 0.2 : 0, random);
    for (const bool descending : {false, true}) {
      for (const bool nulls_first : {false, true}) {
        SCOPED_TRACE(testing::Message() << rows << " rows" << (descending ? " DESC" : "")
                                        << (nulls_first ? " NULLS FIRST" : ""));
        const plan::SortKey many = by(0, type, descending, nulls_first);
        const plan::SortKey few = by(1, type, descending, nulls_first);
        expect_sorted({{many}}, columns, SortFeed{});
        expect_sorted({{few}}, columns, SortFeed{.skip = 5});
        expect_sorted({{few, by(0, type, !descending, nulls_first)}}, columns, SortFeed{.backwards = true});
        for (const int64_t limit : limits) {
          for (const int64_t offset : offsets) {
            expect_sorted({{many}, limit, offset}, columns, SortFeed{.skip = 7});
            expect_sorted({{few, many}, limit, offset}, columns, SortFeed{.backwards = true});
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OfType, testing::ValuesIn(random::all_types()), [](const auto& test) {
  std::string name = test.param.name();
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

/// Enough rows for a top-n to discard its surplus many times.
std::vector<ColumnPtr> many_rows(uint32_t distinct, double null_share, size_t rows) {
  std::mt19937 random(2);
  std::vector<Value> numbers;
  for (size_t i = 0; i < rows; ++i) numbers.push_back(Value::int64(static_cast<int64_t>(i)));
  return {make_column(TypeId::kVarchar, random::values(TypeId::kVarchar, rows, distinct, null_share, random)),
          make_column(TypeId::kFloat64, random::values(TypeId::kFloat64, rows, distinct, null_share, random)),
          make_column(TypeId::kInt64, numbers)};
}

TEST(Sort, OrdersManyRows) {
  const int64_t rows = test_size(20'000, 100'000);
  for (const uint32_t distinct : {1, 3, 200'000}) {
    const auto columns = many_rows(distinct, 0.1, rows);
    const plan::SortKey text = by(0, TypeId::kVarchar), real = by(1, TypeId::kFloat64, true, true);
    const std::vector<SortFeed> feeds = {{.chunk_rows = 8192}, {.chunk_rows = 3000, .backwards = true}};
    expect_sorted({{text}}, columns, feeds);
    expect_sorted({{real, text}}, columns, feeds);
    expect_sorted({{text, real}, -1, rows - 10}, columns, feeds);
    expect_sorted({{text, real}, 20, rows / 2}, columns, feeds);
    expect_sorted({{real}, 2'000'000, rows - 1'000}, columns, feeds);  // no top-n
  }
}

TEST(TopN, DropsWhatIsBehind) {
  for (const uint32_t distinct : {1, 3, 200'000}) {
    for (const double null_share : {0.0, 0.5, 1.0}) {
      const auto columns = many_rows(distinct, null_share, test_size(5'000, 20'000));
      for (const bool descending : {false, true}) {
        for (const bool nulls_first : {false, true}) {
          const plan::SortKey text = by(0, TypeId::kVarchar, descending, nulls_first);
          const plan::SortKey real = by(1, TypeId::kFloat64, !descending, nulls_first);
          const plan::SortKey number = by(2, TypeId::kInt64, descending);
          const std::vector<SortFeed> feeds = {{.chunk_rows = 2048}, {.chunk_rows = 2048, .backwards = true}};
          expect_sorted({{text}, 10}, columns, feeds);
          expect_sorted({{real, text}, 1'000, 500}, columns, feeds);
          expect_sorted({{number}, 10, 3}, columns, feeds);  // ascending or descending as it comes
        }
      }
    }
  }
}

TEST(Sort, MergesRunsOfManyThreadsIfMemoryIsShort) {
  const auto rows = test_size<int64_t>(30'000, 200'000);
  for (const uint32_t distinct : {2, 200'000}) {
    const auto columns = many_rows(distinct, 0.1, static_cast<size_t>(rows));
    const plan::SortKey text = by(0, TypeId::kVarchar, true), real = by(1, TypeId::kFloat64, false, true);
    for (const bool backwards : {false, true}) {
      ShortMemory memory;
      const SortFeed feed{
          .chunk_rows = 2048, .locals = 7, .skip = 3, .backwards = backwards, .budget = &memory.budget};
      expect_sorted({{real, text}}, columns, feed);
      expect_sorted({{text}, -1, rows / 3}, columns, feed);
      expect_sorted({{real}, (1 << 20) + 1, 17'000}, columns, feed);  // no top-n
      EXPECT_EQ(memory.budget.spill_file()->used(), 0);
    }
    ShortMemory memory;
    const SortFeed feed{.chunk_rows = 2048, .one_order = true, .budget = &memory.budget};
    expect_sorted({{real}}, columns, feed);
    expect_sorted({{text}, -1, rows / 2}, columns, feed);
  }
}

TEST(Sort, OrdersByWhatIsComputed) {
  std::mt19937 random(3);
  const auto columns = columns_of(TypeId::kInt32, 3000, 0.1, random);
  const ExprPtr rest = call("%", {column(0, TypeId::kInt32), literal(Value::int32(5))});
  const ExprPtr parity = call("%", {column(2, TypeId::kInt64), literal(Value::int64(2))});
  for (const int64_t limit : {int64_t{-1}, int64_t{50}}) {
    expect_sorted({{{rest, true, false}, {parity, false, false}}, limit}, columns, SortFeed{});
    expect_sorted({{{literal(Value::int32(1)), false, false}}, limit}, columns, SortFeed{.backwards = true});
  }
}

TEST(Sort, TakesStringsAtTheEdges) {
  std::vector<Value> texts;
  for (const char* end : {"", "a", "\xff", "é", "日本"}) {
    for (const size_t length : {0, 1, 7, 8, 9, 31, 32, 33, 64, 1000}) {
      for (const char* fill : {"x", "ÿ"}) {
        std::string text;
        for (size_t i = 0; i < length; ++i) text += fill;
        texts.push_back(Value::varchar(text + end));
        texts.push_back(Value::varchar(text + std::string(1, '\0') + end));
        texts.push_back(Value::varchar(text + std::string(3, '\0')));
      }
    }
    texts.push_back(Value(TypeId::kVarchar));
  }
  const ColumnPtr column = make_column(TypeId::kVarchar, texts);
  for (const bool descending : {false, true}) {
    for (const int64_t limit : {int64_t{-1}, int64_t{60}}) {
      expect_sorted({{by(0, TypeId::kVarchar, descending)}, limit}, {column}, SortFeed{.chunk_rows = 9});
      expect_sorted({{by(0, TypeId::kVarchar, descending)}, limit}, {random::dictionary_of(*column)},
                    SortFeed{});
    }
  }
}

TEST(TopN, BoundSkipsWhatCannotMatter) {
  const auto columns = many_rows(200'000, 0, 100'000);
  const Schema input = {{"", TypeId::kVarchar}, {"", TypeId::kFloat64}, {"", TypeId::kInt64}};
  const auto sink = make_top_n({{by(2, TypeId::kInt64)}, 10}, input);
  Arena arena;
  EvalContext context{&arena, lanes::simd()};
  std::vector<std::unique_ptr<Sink::Local>> locals;
  locals.push_back(sink->local());
  EXPECT_EQ(sink->needed(0), nullptr);
  consume_all(*sink, locals, columns, {.chunk_rows = 8192, .locals = 1}, context);
  const ExprPtr bound = sink->needed(50);
  ASSERT_NE(bound, nullptr);
  const auto holds = [&](const Expr& predicate, int64_t number) {
    const Row row = {Value(TypeId::kVarchar), Value(TypeId::kFloat64), Value::int64(number)};
    return evaluate_reference(predicate, row).is_true();
  };
  EXPECT_TRUE(holds(*bound, 8));
  EXPECT_FALSE(holds(*bound, 9));  // what is equal to the bound comes after it
  EXPECT_TRUE(holds(*sink->needed(0), 9));
}

TEST(Sort, AsksForItsMemory) {
  const auto columns = many_rows(200'000, 0, 100'000);
  for (const int64_t limit : {int64_t{-1}, int64_t{50'000}}) {
    MemoryBudget budget(3 << 20);
    const plan::Sort sort{{by(0, TypeId::kVarchar)}, limit};
    try {
      run_sort(sort, columns, SortFeed{.chunk_rows = 8192, .budget = &budget});
      FAIL() << "limit " << limit;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("Sort (ORDER BY)"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("3 MiB"), std::string::npos) << error.what();
    }
    EXPECT_EQ(budget.used(), 0);
  }
}

TEST(Sort, StopsSoonWhenCancelled) {
  const int64_t rows = test_size(2'000'000, 6'000'000);
  auto column = std::make_shared<Column>();
  column->type = TypeId::kInt64;
  column->rows = rows;
  column->values = Buffer::allocate(static_cast<size_t>(rows) * 8, nullptr, "test");
  std::mt19937_64 random(4);
  for (int64_t i = 0; i < rows; ++i) column->values.mutable_as<int64_t>()[i] = static_cast<int64_t>(random());
  const std::vector<ColumnPtr> columns = {column, column};
  const auto sink = make_sort({{by(0, TypeId::kInt64), by(1, TypeId::kInt64)}},
                              {{"", TypeId::kInt64}, {"", TypeId::kInt64}});
  Cancellation cancellation;
  Arena arena;
  EvalContext context{&arena, lanes::simd(), nullptr, &cancellation};
  const auto sorted = [&] {
    std::vector<std::unique_ptr<Sink::Local>> locals;
    locals.push_back(sink->local());
    consume_all(*sink, locals, columns, {.chunk_rows = 65'536, .locals = 1}, context);
    return locals;
  };
  auto locals = sorted();
  const std::clock_t start = std::clock();  // processor time: independent of the machine's load
  sink->finish(std::move(locals), context);
  const std::clock_t whole = std::clock() - start;

  locals = sorted();
  std::clock_t cancelled = 0;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancelled = std::clock();
    cancellation.cancel();
  });
  EXPECT_THROW(sink->finish(std::move(locals), context), CancelledError);
  canceller.join();
  EXPECT_LT(std::clock() - cancelled, whole / 2);
}

}  // namespace
}  // namespace lanewise::ops
