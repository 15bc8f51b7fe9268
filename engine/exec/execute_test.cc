#include "exec/execute.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/size.h"
#include "base/testing/test_size.h"
#include "expr/functions/build.h"
#include "ops/aggregate/accumulators/host_aggregate.h"
#include "ops/results/row_stream.h"
#include "plan/testing/plan_oracle.h"

namespace lanewise::exec {
namespace execute_test {

/// id, n (some NULL), s (some NULL, empty, long, non-ASCII or with a NUL byte).
std::shared_ptr<FakeSource> source_of(size_t rows) {
  plan::Rows values;
  for (size_t i = 0; i < rows; ++i) {
    const auto number = static_cast<int32_t>(i * 7919 % 101);
    Value text = Value::varchar("row " + std::to_string(number));
    if (i % 11 == 3) text = Value(TypeId::kVarchar);
    if (i % 11 == 4) text = Value::varchar("");
    if (i % 11 == 5) text = Value::varchar("schöne Grüße " + std::string(i % 90, 'x'));
    if (i % 11 == 6) text = Value::varchar(std::string("a\0b", 3));
    values.push_back({Value::int64(static_cast<int64_t>(i)),
                      i % 5 == 2 ? Value(TypeId::kInt32) : Value::int32(number), std::move(text)});
  }
  return std::make_shared<FakeSource>(
      Schema{{"id", TypeId::kInt64}, {"n", TypeId::kInt32}, {"s", TypeId::kVarchar}}, std::move(values));
}

ExprPtr id() { return column(0, TypeId::kInt64); }
ExprPtr n() { return column(1, TypeId::kInt32); }
ExprPtr s() { return column(2, TypeId::kVarchar); }
ExprPtr number(int32_t value) { return literal(Value::int32(value)); }
ExprPtr big(int64_t value) { return literal(Value::int64(value)); }
ExprPtr text(const char* value) { return literal(Value::varchar(value)); }

plan::NodePtr all_of(const std::shared_ptr<FakeSource>& source) { return plan::scan(source, {0, 1, 2}); }

/// id % most numbers.
ExprPtr numbers_below(int64_t most) { return call("range", {call("%", {id(), big(most)})}); }
/// The columns, and x of up to 11 rows.
plan::NodePtr unnested(const std::shared_ptr<FakeSource>& source) {
  return plan::unnest(all_of(source), {numbers_below(12)}, {"x"});
}
ExprPtr x() { return column(3, TypeId::kInt64); }

using Plan = plan::NodePtr (*)(const std::shared_ptr<FakeSource>&);
struct Shape {
  const char* name;
  Plan plan;
};

const Shape kShapes[] = {
    {"scan", [](const auto& source) { return all_of(source); }},
    {"scan_columns", [](const auto& source) { return plan::scan(source, {2, 0}); }},
    {"scan_no_columns", [](const auto& source) { return plan::scan(source, {}); }},
    {"scan_predicates",
     [](const auto& source) {
       return plan::scan(source, {0, 1, 2}, {call("=", {s(), text("row 7")}), call("<", {n(), number(50)})});
     }},
    {"filter", [](const auto& source) { return plan::filter(all_of(source), call("<", {n(), number(30)})); }},
    {"filter_rare",
     [](const auto& source) { return plan::filter(all_of(source), call("=", {id(), big(40)})); }},
    {"filter_none",
     [](const auto& source) { return plan::filter(all_of(source), call("<", {id(), big(0)})); }},
    {"project",
     [](const auto& source) {
       return plan::project(all_of(source),
                            {call("+", {id(), big(1)}), s(), literal(Value::varchar("x")), n()},
                            {"next", "s", "x", "n"});
     }},
    {"filter_project_filter",
     [](const auto& source) {
       auto small = plan::filter(all_of(source), call("<", {n(), number(60)}));
       auto next = plan::project(small, {call("*", {id(), big(2)}), s()}, {"twice", "s"});
       return plan::filter(next, call(">", {column(0, TypeId::kInt64), big(20)}));
     }},
    {"limit", [](const auto& source) { return plan::limit(all_of(source), 33); }},
    {"limit_none", [](const auto& source) { return plan::limit(all_of(source), 0); }},
    {"limit_offset", [](const auto& source) { return plan::limit(all_of(source), 20, 31); }},
    {"offset", [](const auto& source) { return plan::limit(all_of(source), -1, 60); }},
    {"limit_filter",
     [](const auto& source) {
       return plan::limit(plan::filter(all_of(source), call("=", {n(), number(7)})), 5, 1);
     }},
    {"filter_limit",
     [](const auto& source) {
       return plan::filter(plan::limit(all_of(source), 40), call("<", {n(), number(50)}));
     }},
    {"limit_limit",
     [](const auto& source) { return plan::limit(plan::limit(all_of(source), 40, 2), 10, 3); }},
    {"sort",
     [](const auto& source) { return plan::sort(all_of(source), {{s(), true, true}, {n(), false, false}}); }},
    {"sort_limit_offset",
     [](const auto& source) { return plan::sort(all_of(source), {{n(), true, true}}, 20, 7); }},
    {"sort_offset",
     [](const auto& source) { return plan::sort(all_of(source), {{n(), false, false}}, -1, 60); }},
    {"limit_of_sorted_union",
     [](const auto& source) {
       auto both = plan::union_all({all_of(source), plan::limit(all_of(source), 40, 2)});
       return plan::limit(plan::sort(both, {{s(), false, false}}), 9, 3);
     }},
    {"union_all",
     [](const auto& source) {
       auto few = plan::filter(all_of(source), call("<", {n(), number(10)}));
       return plan::union_all({few, all_of(source), plan::limit(all_of(source), 7, 2)});
     }},
    {"limit_union_filter",
     [](const auto& source) {
       auto both = plan::union_all({all_of(source), all_of(source)});
       return plan::limit(plan::filter(both, call("<", {n(), number(50)})), 45, 3);
     }},
    {"union_of_many",
     [](const auto& source) {
       std::vector<plan::NodePtr> children;
       for (int i = 0; i < 150; ++i) children.push_back(plan::limit(plan::scan(source, {0}), 2, i % 3));
       return plan::union_all(children);
     }},
    {"unnest", [](const auto& source) { return unnested(source); }},
    {"unnest_lists",
     [](const auto& source) {
       return plan::unnest(all_of(source),
                           {numbers_below(7), numbers_below(3), literal(Value(Type::list(TypeId::kInt64)))},
                           {"x", "y", "z"});
     }},
    {"unnest_some_columns",
     [](const auto& source) {
       auto some = plan::filter(unnested(source), call(">", {n(), number(20)}));
       some = plan::filter(some, call("<", {x(), big(8)}));
       return plan::project(some, {x(), call("+", {id(), x()})}, {"x", "y"});
     }},
    {"unnest_no_column",
     [](const auto& source) { return plan::project(unnested(source), {text("one")}, {"s"}); }},
    {"unnest_unnest",
     [](const auto& source) {
       auto again = plan::unnest(plan::limit(unnested(source), 300), {numbers_below(4)}, {"y"});
       return plan::project(again, {column(4, TypeId::kInt64), s()}, {"y", "s"});
     }},
    {"scalar_join",
     [](const auto& source) {
       auto one = plan::project(plan::limit(all_of(source), 1, 6), {n(), s()}, {"n", "s"});
       auto joined = plan::scalar_join(all_of(source), one, "more than one row");
       return plan::filter(joined, call(">", {n(), column(3, TypeId::kInt32)}));
     }},
    {"cte",
     [](const auto& source) {
       auto small = plan::filter(all_of(source), call("<", {n(), number(50)}));
       auto ref = plan::cte_ref(1, small->schema);
       return plan::cte(1, small, plan::union_all({ref, plan::limit(ref, 9, 1)}));
     }},
    {"cte_once",
     [](const auto& source) {
       auto small = plan::filter(all_of(source), call("<", {n(), number(50)}));
       return plan::cte(1, small,
                        plan::filter(plan::cte_ref(1, small->schema), call(">", {n(), number(20)})));
     }},
    {"cte_never",
     [](const auto& source) { return plan::cte(1, plan::limit(all_of(source), 3), all_of(source)); }},
    {"cte_of_cte",
     [](const auto& source) {
       auto small = plan::filter(all_of(source), call("<", {n(), number(50)}));
       auto first = plan::cte_ref(1, small->schema);
       auto second = plan::cte_ref(2, small->schema);
       auto body = plan::union_all({second, first, second});
       return plan::cte(1, small, plan::cte(2, plan::filter(first, call(">", {n(), number(20)})), body));
     }},
};

/// The rows of a plan, read while it runs. The stream is always full, so threads wait.
Table streamed(const plan::NodePtr& plan, const ops::Options& options) {
  ops::RowStream stream(1);
  Table table;
  std::thread run([&] {
    try {
      EXPECT_EQ(execute(plan, options, &stream).table.rows(), 0);
      stream.end();
    } catch (...) {
      stream.end(std::current_exception());
    }
  });
  try {
    while (auto batch = stream.next()) table.batches.push_back(std::move(*batch));
  } catch (...) {
    run.join();
    throw;
  }
  run.join();
  table.schema = plan->schema;
  return table;
}

class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, GiveTheOraclesRows) {
  for (size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, test_size(2'000, 20'000)}) {
    for (uint32_t vector_rows : {1, 2, 7, 0}) {
      if (rows > 1000 && vector_rows == 1) continue;
      for (int threads : {1, 2}) {
        auto source = source_of(rows);
        source->batch_rows = rows > 100 ? 1500 : 20;
        const plan::NodePtr plan = GetParam().plan(source);
        const plan::Rows expected = plan::PlanOracle().rows(*plan);
        ops::Options options;
        options.threads = threads;
        options.vector_rows = vector_rows;
        const Result result = execute(plan, options);
        ASSERT_EQ(result.table.rows(), expected.size()) << rows << " rows, vectors of " << vector_rows;
        ASSERT_EQ(plan::rows_of(result.table), expected) << rows << " rows, vectors of " << vector_rows;
        ASSERT_EQ(result.table.schema.size(), plan->schema.size());
        if (vector_rows != 7) continue;
        ASSERT_EQ(plan::rows_of(streamed(plan, options)), expected)
            << rows << " rows, vectors of " << vector_rows;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Shapes, testing::ValuesIn(kShapes),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Execute, ReadsValues) {
  auto table = std::make_shared<Table>();
  table->schema = {{"x", TypeId::kInt32}, {"s", TypeId::kVarchar}};
  for (int32_t rows : {0, 1, 70, 3}) {
    std::vector<Value> numbers, texts;
    for (int32_t i = 0; i < rows; ++i) {
      numbers.push_back(i % 3 == 0 ? Value(TypeId::kInt32) : Value::int32(i));
      texts.push_back(Value::varchar(std::to_string(i)));
    }
    table->batches.push_back(
        {rows, {make_column(TypeId::kInt32, numbers), make_column(TypeId::kVarchar, texts)}});
  }
  const auto plan = plan::filter(plan::values(table), call("<", {column(0, TypeId::kInt32), number(40)}));
  for (uint32_t vector_rows : {1, 7, 64, 0}) {
    ops::Options options;
    options.vector_rows = vector_rows;
    options.threads = 2;
    EXPECT_EQ(plan::rows_of(execute(plan, options).table), plan::PlanOracle().rows(*plan));
  }
}

TEST(Execute, RefusesASecondScalarRow) {
  auto source = source_of(5);
  auto plan = plan::scalar_join(all_of(source), plan::limit(all_of(source), 2), "a subquery gave two rows");
  try {
    execute(plan, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a subquery gave two rows");
  }
}

TEST(Execute, StopsReadingAtTheLimit) {
  for (int threads : {1, 2}) {
    auto source = source_of(50'000);
    source->batch_rows = 100;
    ops::Options options;
    options.threads = threads;
    const Result result = execute(plan::limit(all_of(source), 150), options);
    EXPECT_EQ(result.table.rows(), 150);
    EXPECT_LE(source->batches_read, 20u);
  }
}

/// The number of rows whose id is not above that of the row before.
class Descents : public ops::Accumulator {
 public:
  void resize(uint32_t) override {}
  void update(const ops::AggregateInput& input) override {
    for_each_row(input, input.rows, [&](uint32_t row, uint32_t) {
      const int64_t id = input.args[0].as<int64_t>()[row];
      descents_ += id <= last_ ? 1 : 0;
      last_ = id;
    });
  }
  void merge(const ops::Accumulator&, std::span<const uint32_t>, const uint32_t*) override { ++descents_; }
  ColumnPtr finish(uint32_t, uint32_t, const Cancellation*) const override {
    return make_column(TypeId::kInt64, {Value::int64(descents_)});
  }

 private:
  int64_t last_ = -1, descents_ = 0;
};

TEST(Execute, AggregatesInTheOrderOfRowsIfThatCounts) {
  auto source = source_of(20'000);
  source->batch_rows = 100;
  source->on_next = [](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  auto host = std::make_shared<ops::HostAggregate>();
  host->make = [](MemoryBudget*) { return std::make_unique<Descents>(); };
  host->in_order = true;
  plan::AggregateCall call;
  call.function = "descents";
  call.args = {id()};
  call.type = TypeId::kInt64;
  call.host = std::move(host);
  ops::Options options;
  options.threads = 4;
  const Table table = execute(plan::aggregate(all_of(source), {}, {call}, {"x"}), options).table;
  EXPECT_EQ(table.value(0, 0), Value::int64(0));
}

TEST(Execute, PassesErrorsOfASourceOn) {
  for (int threads : {1, 2}) {
    for (size_t workers : {1, 4}) {
      auto source = source_of(5'000);
      source->batch_rows = 100;
      source->workers = workers;
      source->on_next = [](size_t batch) {
        if (batch == 17) throw UserError("fake, batch 17: broken");
      };
      ops::Options options;
      options.threads = threads;
      try {
        execute(all_of(source), options);
        FAIL();
      } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "fake, batch 17: broken");
      }
    }
  }
}

TEST(Execute, PassesErrorsOfExpressionsOn) {
  auto source = source_of(5'000);
  auto plan = plan::project(all_of(source), {cast(s(), TypeId::kInt64)}, {"x"});
  ops::Options options;
  options.threads = 2;
  EXPECT_THROW(execute(plan, options), UserError);
}

TEST(Execute, StreamsOnlyRowsBeforeAnError) {
  auto source = source_of(20'000);
  source->batch_rows = 1500;
  const ExprPtr bad = call("=", {id(), big(12'345)});
  const ExprPtr number = cast(case_when({bad, text("x"), text("1")}), TypeId::kInt64);
  const auto plan = plan::project(all_of(source), {id(), number}, {"id", "x"});
  for (int threads : {1, 2, 7}) {
    ops::Options options;
    options.threads = threads;
    options.vector_rows = 100;
    ops::RowStream stream(1);
    std::thread run([&] {
      EXPECT_THROW(execute(plan, options, &stream), UserError);
      stream.end(std::make_exception_ptr(UserError("raised")));
    });
    int64_t next = 0;
    const auto read = [&] {
      while (const auto batch = stream.next()) {
        for (int64_t row = 0; row < batch->rows; ++row)
          EXPECT_EQ(static_cast<int64_t>(batch->columns[0]->value(row).integer()), next++);
      }
    };
    EXPECT_THROW(read(), UserError);
    EXPECT_LE(next, 12'345);
    run.join();
  }
}

/// Reads all ids, which must be 0, 1, 2, ..., until the stream throws.
template <class Error>
int64_t ids_before(const plan::NodePtr& plan, const ops::Options& options, ops::RowStream& stream) {
  std::thread run([&] {
    try {
      execute(plan, options, &stream);
      stream.end();
    } catch (...) {
      stream.end(std::current_exception());
    }
  });
  int64_t next = 0;
  const auto read = [&] {
    while (const auto batch = stream.next()) {
      for (int64_t row = 0; row < batch->rows; ++row)
        EXPECT_EQ(static_cast<int64_t>(batch->columns[0]->value(row).integer()), next++);
    }
  };
  EXPECT_THROW(read(), Error);
  run.join();
  return next;
}

TEST(Execute, StreamsNothingAfterRowsThatCannotBeRead) {
  for (int threads : {1, 2, 7}) {
    for (int again = 0; again < 20; ++again) {
      auto source = source_of(20'000);
      source->batch_rows = 100;
      source->on_next = [&](size_t batch) {
        if (batch == 120) throw InternalError("cannot read");
      };
      ops::Options options;
      options.threads = threads;
      options.vector_rows = 50;
      ops::RowStream stream(again % 2 == 0 ? 1 : 1'000'000);
      EXPECT_LE(ids_before<InternalError>(all_of(source), options, stream), 12'000);
    }
  }
}

TEST(Execute, EndsAFullStreamWhenAThreadHasNoMemory) {
  auto source = source_of(20'000);
  source->batch_rows = 100;
  const ExprPtr slow = call("repeat", {text("x"), big(50'000'000)});  // the others fill the stream meanwhile
  const ExprPtr huge = call("repeat", {text("x"), big(2'000'000'000)});
  const ExprPtr value = case_when({call("=", {id(), big(0)}), slow, call("=", {id(), big(70)}), huge, s()});
  const auto plan = plan::project(all_of(source), {id(), value}, {"id", "x"});
  for (int threads : {1, 4, 7}) {
    for (int again = 0; again < 3; ++again) {
      MemoryBudget budget(400'000'000);
      ops::Options options;
      options.threads = threads;
      options.budget = &budget;
      options.vector_rows = 50;
      ops::RowStream stream(1);
      EXPECT_LE(ids_before<MemoryError>(plan, options, stream), 70);
    }
  }
}

TEST(Execute, StopsWhenTheReaderOfAStreamIsGone) {
  auto source = source_of(200'000);
  source->batch_rows = 1500;
  MemoryBudget budget(100'000'000);
  for (int threads : {1, 2, 7}) {
    ops::Options options;
    options.threads = threads;
    options.budget = &budget;
    ops::RowStream stream(100'000);
    std::thread run([&] {
      EXPECT_THROW(execute(all_of(source), options, &stream), CancelledError);
      stream.end(std::make_exception_ptr(CancelledError()));
    });
    EXPECT_TRUE(stream.next());
    stream.stop();
    EXPECT_THROW(stream.next(), CancelledError);
    run.join();
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Execute, IsCancelled) {
  for (int threads : {1, 2}) {
    auto source = source_of(5'000);
    source->batch_rows = 100;
    Cancellation cancellation;
    source->on_next = [&](size_t batch) {
      if (batch == 10) cancellation.cancel();
    };
    ops::Options options;
    options.threads = threads;
    options.cancellation = &cancellation;
    EXPECT_THROW(execute(all_of(source), options), CancelledError);
    EXPECT_LE(source->batches_read, 14u);
  }
}

TEST(Execute, NamesTheOperatorThatNeedsTooMuch) {
  auto source = source_of(40'000);
  auto repeated = call("repeat", {coalesce({s(), text("x")}), big(10'000)});
  for (auto [plan, name] :
       {std::pair{all_of(source), "Result needs"},
        {plan::limit(all_of(source), 35'000), "Limit needs"},
        {plan::filter(all_of(source), call("=", {repeated, s()})), "Filter: Scratch memory needs"},
        {plan::project(all_of(source), {repeated}, {"x"}), "Project: Scratch memory needs"}}) {
    MemoryBudget budget(1'000'000);
    ops::Options options;
    options.budget = &budget;
    try {
      execute(plan, options);
      FAIL() << name;
    } catch (const MemoryError& error) {
      EXPECT_EQ(std::string(error.what()).find(name), 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find(format_size(1'000'000)), std::string::npos) << error.what();
    }
    EXPECT_EQ(budget.used(), 0u);
  }
}

TEST(Execute, GivesAllMemoryBack) {
  MemoryBudget budget(100'000'000);
  ops::Options options;
  options.threads = 2;
  options.budget = &budget;
  {
    const Result result = execute(all_of(source_of(20'000)), options);
    EXPECT_GT(budget.used(), 0u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Execute, CountsRowsPerLine) {
  auto source = source_of(1000);
  auto few = plan::scan(source, {0, 1, 2}, {call("<", {id(), big(500)})});
  auto plan = plan::limit(plan::filter(few, call(">=", {id(), big(400)})), 30);
  ops::Options options;
  options.vector_rows = 1024;
  const auto profile = execute(plan, options).profile;
  ASSERT_EQ(profile.size(), 3u);
  EXPECT_EQ(profile[0].name, "Limit");
  EXPECT_EQ(profile[0].rows_in, 100u);
  EXPECT_EQ(profile[0].rows_out, 30u);
  EXPECT_EQ(profile[1].name, "Filter");
  EXPECT_EQ(profile[1].rows_in, 500u);
  EXPECT_EQ(profile[1].rows_out, 100u);
  EXPECT_EQ(profile[2].name, "Scan fake");
  EXPECT_EQ(profile[2].depth, 2);
  EXPECT_EQ(profile[2].rows_in, 1000u);
  EXPECT_EQ(profile[2].rows_out, 500u);
  EXPECT_GT(profile[2].bytes, 1000u * 12);
}

TEST(Execute, CountsRowsThatAreOnlyPassedOn) {
  auto source = source_of(10);
  auto once = plan::cte(1, all_of(source), plan::cte_ref(1, source->schema()));
  auto profile = execute(plan::union_all({once, all_of(source)}), {}).profile;
  ASSERT_EQ(profile.size(), 5u);
  const uint64_t expected[] = {20, 10, 10, 10, 10};
  for (size_t line = 0; line < 5; ++line)
    EXPECT_EQ(profile[line].rows_out, expected[line]) << profile[line].name;
}

TEST(Execute, ReportsProgress) {
  auto source = source_of(1000);
  std::mutex mutex;
  std::vector<std::string> seen;
  ops::Options options;
  options.progress = [&](const std::string& what, double share) {
    std::lock_guard lock(mutex);
    seen.push_back(what);
    EXPECT_LE(share, 1);
  };
  execute(all_of(source), options);
  EXPECT_FALSE(seen.empty());
}

}  // namespace execute_test
}  // namespace lanewise::exec
