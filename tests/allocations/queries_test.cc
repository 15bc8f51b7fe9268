// Queries whose n-th allocation fails, for each n, and queries with less memory than they need: they end with
// the right rows or with an error, and give all memory back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "allocations/failing_allocations.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/spill_file.h"
#include "data/table_source.h"
#include "exec/execute.h"
#include "sql/database.h"

namespace lanewise {
namespace {

using lanewise::testing::FailingAllocation;

/// Every n-th allocation; otherwise about 400 of each query.
const bool all = std::getenv("LANEWISE_TEST_ALL") != nullptr;

struct Case {
  const char* name;
  const char* query;
};

class Queries : public ::testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    database = std::make_unique<sql::Database>(sql::DatabaseOptions{.threads = 1});
    add("t",
        "SELECT i::INTEGER AS i, i % 7 AS g, if(i % 11 = 0, NULL, 's' || i % 40) AS s, (i * 37 % "
        "101)::DOUBLE AS d, "
        "[i, NULL, i + 1] AS l, {'a': i, 'b': 'x' || i % 3} AS n, DATE '2020-01-01' + (i % 50)::INTEGER AS "
        "day, "
        "repeat('long ', i % 9) || i AS text FROM range(700) r(i)");
    add("u", "SELECT i % 90 AS k, i::INTEGER AS v, 's' || i % 60 AS s FROM range(300) r(i)");
  }
  static void TearDownTestSuite() { database.reset(); }

  static void add(const char* name, const std::string& query) {
    database->add_source(name, table_source(name, *database->run(query, nullptr), false));
  }

  /// The rows as strings, sorted: joins in parts change their order.
  static std::vector<std::string> rows_of(const Table& table) {
    std::vector<std::string> rows;
    for (const Batch& batch : table.batches) {
      for (int64_t row = 0; row < batch.rows; ++row) {
        std::string& text = rows.emplace_back();
        for (const auto& column : batch.columns) text += column->value(row).to_string() + "|";
      }
    }
    std::ranges::sort(rows);
    return rows;
  }

  static Table run(const sql::Query& query, int threads, MemoryBudget& budget) {
    ops::Options options;
    options.threads = threads;
    options.vector_rows = 256;
    options.budget = &budget;
    return exec::execute(query.root, options).table;
  }

  static std::unique_ptr<sql::Database> database;
};
std::unique_ptr<sql::Database> Queries::database;

/// A query with one failing allocation ends in time, with the right rows or with a MemoryError.
TEST_P(Queries, EndWhenAnAllocationFails) {
  const sql::Query query = database->plan(GetParam().query);
  MemoryBudget budget;
  const std::vector<std::string> expected = rows_of(run(query, 1, budget));
  for (const int threads : {1, 3}) {
    int64_t allocations = 0;
    {
      const FailingAllocation none(-1);
      run(query, threads, budget);
      allocations = FailingAllocation::count();
    }
    ASSERT_EQ(budget.used(), 0);
    int64_t failed = 0;
    const int64_t step = all ? 1 : std::max<int64_t>(1, allocations / 400);
    for (int64_t number = 0; number < allocations; number += step) {
      SCOPED_TRACE("allocation " + std::to_string(number) + " of " + std::to_string(allocations));
      Table result;
      bool ended = false;
      try {
        const FailingAllocation failing(number);
        result = run(query, threads, budget);
        ended = true;
      } catch (const MemoryError&) {
        ++failed;
      }
      if (ended) {
        ASSERT_EQ(rows_of(result), expected);
      }
      result = {};
      ASSERT_EQ(budget.used(), 0);
    }
    EXPECT_GT(failed, 0);
    EXPECT_EQ(rows_of(run(query, threads, budget)), expected);
  }
}

/// The same for reservations: with every limit below what the query needs, without temporary files and with
/// them.
TEST_P(Queries, EndWhenMemoryIsShort) {
  const sql::Query query = database->plan(GetParam().query);
  MemoryBudget enough;
  const std::vector<std::string> expected = rows_of(run(query, 2, enough));
  const size_t most = enough.peak();
  for (const bool spills : {false, true}) {
    const size_t steps = all ? 400 : 40;
    for (size_t i = 0; i < steps; ++i) {
      const size_t limit = most * i / steps;
      SCOPED_TRACE("limit " + std::to_string(limit) + " of " + std::to_string(most));
      MemoryBudget budget(limit);
      if (spills) budget.spill_to(std::make_shared<SpillFile>(""));
      try {
        ASSERT_EQ(rows_of(run(query, 2, budget)), expected);
      } catch (const MemoryError&) {
      }
      ASSERT_EQ(budget.used(), 0);
    }
  }
}

constexpr Case kCases[] = {
    {"Filter", "SELECT i, s FROM t WHERE d > 50 AND s LIKE '%3%'"},
    {"Patterns",
     "SELECT regexp_extract(text, '(g) .*([0-9])', 2), regexp_replace(s, '[0-9]+', 'x') FROM t WHERE "
     "regexp_matches(text, 'lo.*[0-9]{2}')"},
    {"Expressions",
     "SELECT upper(s) || text, i::DECIMAL(10, 2) * 3, day + INTERVAL 1 MONTH, if(g > 3, s, text) FROM t"},
    {"Limit", "SELECT i, text FROM t WHERE g <> 2 LIMIT 50 OFFSET 20"},
    {"Totals", "SELECT count(*), sum(i), avg(d), min(s), max(text), count(DISTINCT s) FROM t"},
    {"Groups", "SELECT g, s, count(*), sum(d), min(text), string_agg(s ORDER BY i) FROM t GROUP BY g, s"},
    {"OneKey", "SELECT g, count(*), avg(i), median(d), list(s) FROM t GROUP BY g"},
    {"TextKey", "SELECT text, count(*) FROM t GROUP BY text"},
    {"GroupingSets", "SELECT g, s, sum(i) FROM t GROUP BY CUBE (g, s)"},
    {"Distinct", "SELECT DISTINCT s, g FROM t"},
    {"DistinctOn", "SELECT DISTINCT ON (g) g, i, s FROM t ORDER BY g, d, i"},
    {"Sort", "SELECT * EXCLUDE (l, n) FROM t ORDER BY s DESC NULLS LAST, d, i"},
    {"SortNested", "SELECT l, n FROM t ORDER BY n, l"},
    {"Top", "SELECT i, text FROM t ORDER BY text DESC LIMIT 17"},
    {"Ranks",
     "SELECT i, rank() OVER (PARTITION BY g ORDER BY d), row_number() OVER (PARTITION BY s ORDER BY i) FROM "
     "t"},
    {"Frames",
     "SELECT i, sum(d) OVER w, min(text) OVER w, median(i) OVER w, count(DISTINCT s) OVER w FROM t WINDOW w "
     "AS "
     "(PARTITION BY g ORDER BY i ROWS BETWEEN 9 PRECEDING AND 3 FOLLOWING)"},
    {"Lag",
     "SELECT i, lag(text, 2, 'none') OVER (ORDER BY i), last_value(s IGNORE NULLS) OVER (PARTITION BY g "
     "ORDER BY i) "
     "FROM t"},
    {"TopOfGroups",
     "SELECT g, i, text FROM t QUALIFY row_number() OVER (PARTITION BY g ORDER BY d DESC, i) <= 3"},
    {"Join", "SELECT i, v, text FROM t JOIN u ON t.i = u.k"},
    {"TextJoin", "SELECT i, v FROM t JOIN u USING (s) WHERE v % 3 = 0"},
    {"LeftJoin", "SELECT i, k, v FROM t LEFT JOIN u ON t.i = u.k AND u.v > 100"},
    {"FullJoin", "SELECT i, k, v, text FROM t FULL JOIN u ON t.i = u.v + 500"},
    {"SemiJoin", "SELECT i FROM t WHERE i IN (SELECT v FROM u) AND NOT EXISTS (FROM u WHERE u.k = t.g)"},
    {"Inequality", "SELECT i, v FROM t JOIN u ON t.i < u.v AND t.i > u.v - 3"},
    {"Asof", "SELECT i, v FROM t ASOF JOIN u ON t.g = u.k AND t.i >= u.v"},
    {"Correlated", "SELECT i, (SELECT sum(v) FROM u WHERE u.k = t.g AND u.v > t.i) FROM t WHERE i < 100"},
    {"Product", "SELECT count(*), sum(i * v) FROM t, u WHERE t.g + u.k > 5"},
    {"Union", "SELECT i, s FROM t UNION SELECT v, s FROM u"},
    {"Except", "SELECT s FROM t EXCEPT ALL SELECT s FROM u"},
    {"Intersect", "SELECT i FROM t INTERSECT SELECT v FROM u"},
    {"Recursion",
     "WITH RECURSIVE r(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || n FROM r WHERE n < 30) FROM r"},
    {"UsingKey",
     "WITH RECURSIVE r(k, n) USING KEY (k) AS (SELECT g, i FROM t WHERE i < 7 UNION SELECT k, n + 1 FROM r "
     "WHERE "
     "n < 20) FROM r"},
    {"Unnest", "SELECT i, unnest(l), n.b FROM t WHERE i % 3 = 0"},
    {"Lambda",
     "SELECT list_transform(l, x -> x * 2), list_filter(l, x -> x > 9), list_sort(l), list_sum(l) FROM t"},
    {"Nested",
     "SELECT {'k': s, 'v': [d, i]}, map([s, 'y'], [i, 2]), n.a FROM t WHERE s IS NOT NULL AND s <> 'y'"},
    {"NestedKeys", "SELECT n.b, l[1] % 5, list(n), arg_max(l, d) FROM t GROUP BY ALL"},
    {"Sample", "SELECT count(*) FROM (FROM t USING SAMPLE reservoir(50 ROWS) REPEATABLE (3))"},
    {"Quantiles",
     "SELECT g, quantile_cont(d, [0.1, 0.9]), mode(s), approx_count_distinct(text), histogram(g) FROM t "
     "GROUP BY g"},
    {"Pivot", "PIVOT (SELECT g, day, d FROM t) ON g IN (1, 2, 3) USING sum(d)"},
    {"ScalarSubquery",
     "SELECT i FROM t WHERE d > (SELECT avg(v) FROM u WHERE s LIKE 's1%') AND i > ALL (SELECT k FROM u)"},
};

INSTANTIATE_TEST_SUITE_P(Sql, Queries, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lanewise
