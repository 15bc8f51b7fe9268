#include "api/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/testing/message_of.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "data/testing/text_rows.h"
#include "sql/database.h"

namespace lanewise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SessionOptions options(const std::string& lanes = "simd", int threads = 2) {
  SessionOptions result;
  result.lanes = lanes;
  result.threads = threads;
  return result;
}

const char* const kSetUp[] = {
    "SET TimeZone = 'UTC'",
    "CREATE TABLE t AS SELECT (i % 97)::INTEGER AS a, 'name ' || i % 1013 AS s, i::DOUBLE / 8 AS d, "
    "DATE '2020-01-01' + (i % 400)::INTEGER AS day, (i % 10000 / 100)::DECIMAL(10, 2) AS price, "
    "if(i % 3 = 0, NULL, i) AS n FROM range(200000) r(i)",
};

/// Each query has only one possible row order, and sums that are exact in doubles.
const char* const kQueries[] = {
    "SELECT 1, 'x', NULL",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT count(*), count(n), sum(n), min(s), max(s), avg(a), sum(d) FROM t",
    "SELECT count(*) FROM t WHERE s LIKE '%99%'",
    "SELECT count(*) FROM t WHERE s ~ 'name [1-3]+$' AND day < DATE '2020-06-01'",
    "SELECT a, count(*) AS c, sum(price) FROM t GROUP BY a HAVING count(*) > 2000 ORDER BY c DESC, a",
    "SELECT s, count(DISTINCT a) FROM t GROUP BY s ORDER BY s DESC LIMIT 10 OFFSET 3",
    "SELECT DISTINCT a % 10 AS x FROM t ORDER BY x",
    "SELECT * FROM t ORDER BY d LIMIT 5",
    "SELECT a, s FROM t WHERE n IS NULL AND a IN (3, 5, 7) ORDER BY ALL LIMIT 20",
    "SELECT a FROM t WHERE d > (SELECT avg(d) FROM t) ORDER BY d LIMIT 7",
    "SELECT max(x) FROM (SELECT a AS x FROM t UNION ALL SELECT -a FROM t)",
    "WITH c AS MATERIALIZED (SELECT a, count(*) AS k FROM t GROUP BY a) SELECT sum(k), (SELECT max(k) FROM "
    "c) FROM c",
    "SELECT a % 3 AS g, string_agg(s, '+' ORDER BY s DESC) FROM t WHERE d < 20 GROUP BY g ORDER BY g",
    "SELECT median(a), quantile_disc(d, 0.25), quantile_cont(d, 0.75) FROM t",
    "SELECT CASE WHEN a < 10 THEN 'few' WHEN a < 50 THEN s END AS k, count(*) FROM t GROUP BY k ORDER BY 2 "
    "DESC, 1 LIMIT 9",
    "SELECT a % 2 AS g, day > '2020-07-01' AS h, count(*), GROUPING(g, h) FROM t GROUP BY ROLLUP (g, h) "
    "ORDER BY ALL",
    "SELECT DISTINCT ON (a) a, d FROM t ORDER BY a, d DESC LIMIT 5",
    "SELECT first(s ORDER BY d DESC), any_value(n ORDER BY d) FROM t",
    "SELECT count(*) FROM range(1000000) r(i) WHERE i % 7 = 3",
    "FROM t WHERE false",
    "SELECT split_part(s, ' ', 2)::INTEGER AS k FROM t WHERE d < 3 ORDER BY k",
    "SELECT * FROM t LIMIT 0",
};

Table all_of(ResultStream& stream) {
  Table table{stream.schema(), {}};
  while (auto batch = stream.next()) table.batches.push_back(std::move(*batch));
  return table;
}

class BothEngines : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(BothEngines, GiveTheSameAnswers) {
  const auto& [lanes, threads] = GetParam();
  Session session(options(lanes, threads));
  sql::Database duckdb({.threads = 2});
  for (const char* statement : kSetUp) {
    EXPECT_FALSE(session.run(statement).has_rows);
    duckdb.run(statement, nullptr);
  }
  for (const char* query : kQueries) {
    const StatementResult result = session.run(query);
    EXPECT_EQ(result.engine, "lanewise") << query;
    const Table expected = *duckdb.run(query, nullptr);
    EXPECT_EQ(text_of(result.table), text_of(expected)) << query;
    ResultStream stream = session.stream(query);
    EXPECT_EQ(text_of(all_of(stream)), text_of(expected)) << query;
    EXPECT_EQ(stream.result().engine, "lanewise") << query;
    ASSERT_EQ(result.table.schema.size(), expected.schema.size()) << query;
    for (size_t i = 0; i < expected.schema.size(); ++i) {
      EXPECT_EQ(result.table.schema[i].name, expected.schema[i].name) << query;
      EXPECT_EQ(result.table.schema[i].type, expected.schema[i].type) << query;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LanesAndThreads, BothEngines,
                         testing::Combine(testing::Values("scalar", "simd", "emulated"),
                                          testing::Values(1, 2)));

TEST(Session, KeepsColumnsHotUntilTheyChange) {
  Session session(options());
  session.run("CREATE TABLE t AS SELECT i FROM range(100000) r(i)");
  const std::string query = "SELECT sum(i) FROM t";
  EXPECT_FALSE(session.run(query).hot);
  EXPECT_TRUE(session.run(query).hot);
  session.run("INSERT INTO t VALUES (1)");
  const StatementResult after = session.run(query);
  EXPECT_FALSE(after.hot);
  EXPECT_EQ(after.table.value(0, 0).to_string(), "4999950001");
}

TEST(Session, StreamsMoreThanItsMemory) {
  SessionOptions small = options();
  small.engine_memory = size_t{64} << 20;
  small.temp_directory = kNoTempDirectory;
  Session session(small);
  const std::string query = "SELECT i, 'text of some length ' || i AS s FROM range(5000000) r(i)";
  EXPECT_THAT(message_of<UserError>([&] { session.run(query); }), HasSubstr("memory"));
  ResultStream stream = session.stream(query);
  int64_t rows = 0, last = -1;
  while (auto batch = stream.next()) {
    for (int64_t row = 0; row < batch->rows; row += 1000) {
      const Value value = batch->columns[0]->value(row);
      EXPECT_GT(static_cast<int64_t>(value.integer()), last);
      last = static_cast<int64_t>(value.integer());
    }
    rows += batch->rows;
  }
  EXPECT_EQ(rows, 5'000'000);
  EXPECT_EQ(stream.result().profile.front().rows_out, 5'000'000u);
}

TEST(Session, WritesMoreThanItsMemory) {
  const int64_t rows = test_size(1'500'000, 3'000'000);
  const TemporaryFolder folder;
  SessionOptions small = options();
  small.engine_memory = static_cast<size_t>(rows) * 22;
  small.temp_directory = kNoTempDirectory;
  Session session(small);
  const std::string query =
      "SELECT i, 'text of some length ' || i AS s FROM range(" + std::to_string(rows) + ") r(i)";
  const std::string path = folder.file("big.parquet"), again = folder.file("again.parquet");
  session.run("COPY (" + query + ") TO '" + path + "'");
  session.run("CREATE TABLE big AS " + query);
  session.run("INSERT INTO big SELECT * FROM big WHERE i < 1000000");
  ResultStream stream = session.stream(query);
  session.write_parquet(stream.batches(), again);
  for (const std::string& from : {"'" + path + "'", std::string("big"), "'" + again + "'"}) {
    const Table table = session.run("SELECT count(*), max(i), min(s), sum(i) FROM " + from).table;
    EXPECT_EQ(table.value(0, 0).to_string(), std::to_string(from == "big" ? rows + 1'000'000 : rows)) << from;
    EXPECT_EQ(table.value(0, 1).to_string(), std::to_string(rows - 1)) << from;
  }
}

TEST(Session, WritesNothingIfARowRaisesAnError) {
  const TemporaryFolder folder;
  Session session(options());
  const std::string query =
      "SELECT CASE WHEN i = 1999999 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(2000000) r(i)";
  const std::string path = folder.file("bad.csv");
  for (const std::string& statement :
       {"COPY (" + query + ") TO '" + path + "'", "CREATE TABLE bad AS " + query})
    EXPECT_THAT(message_of<UserError>([&] { session.run(statement); }), HasSubstr("Could not convert"))
        << statement;
  EXPECT_FALSE(std::ifstream(path).good());
  EXPECT_THAT(message_of<UserError>([&] { session.run("FROM bad"); }), HasSubstr("bad"));
}

TEST(Session, WritesWhatOnlyTheFirstConnectionKnows) {
  const TemporaryFolder folder;
  Session session(options());
  const auto rows_of = [&](const std::string& statement) { return text_of(session.run(statement).table); };
  for (const char* statement :
       {"CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)", "CREATE TEMP MACRO f(x) AS x + 1",
        "CREATE TEMP TABLE u AS SELECT i FROM range(10) r(i)", "INSERT INTO u SELECT i + 10 FROM u",
        "INSERT INTO t SELECT 1, 1", "INSERT INTO t SELECT 1, 5 ON CONFLICT DO UPDATE SET b = f(excluded.b)",
        "CREATE TABLE IF NOT EXISTS t AS SELECT i FROM range(3000000) r(i)"}) {
    session.run(statement);
  }
  EXPECT_EQ(rows_of("INSERT INTO t SELECT 2, 2 RETURNING f(b)"), rows_of("SELECT 3"));
  EXPECT_EQ(rows_of("SELECT sum(b), count(*) FROM t"), rows_of("SELECT 8::HUGEINT, 2"));
  EXPECT_EQ(rows_of("SELECT count(*), max(i) FROM u"), rows_of("SELECT 20, 19"));
  session.run("BEGIN");
  session.run("CREATE TABLE v AS SELECT * FROM t");
  EXPECT_EQ(rows_of("SELECT count(*) FROM v"), rows_of("SELECT 2"));
  session.run("ROLLBACK");
  EXPECT_THAT(message_of<UserError>([&] { session.run("FROM v"); }), HasSubstr("v"));
}

TEST(Session, StreamsAfterUseOfASchema) {
  const TemporaryFolder folder;
  for (const char* use : {"USE s", "SET search_path = 's,main'"}) {
    Session session(options());
    session.run("CREATE SCHEMA s");
    session.run(use);
    session.run("CREATE TABLE t AS SELECT i FROM range(3) r(i)");
    ResultStream stream = session.stream("SELECT [i] AS l FROM s.t");
    Table first{stream.schema(), {*stream.next()}};
    EXPECT_EQ(session.as_json(first).value(2, 0).to_string(), "[2]") << use;
    EXPECT_FALSE(stream.next());
    const std::string path = folder.file("t.csv");
    session.run("COPY t TO '" + path + "'");
    EXPECT_TRUE(std::ifstream(path).good()) << use;
  }
}

TEST(Session, CopiesToAFolderThatItReads) {
  const TemporaryFolder folder;
  Session session(options());
  const std::string to = "'" + folder.file("d") + "' (FORMAT parquet, PARTITION_BY (k), OVERWRITE)";
  session.run("COPY (SELECT i % 3 AS k, i AS v FROM range(300000) r(i)) TO " + to);
  const std::string files = "'" + folder.file("d") + "/**/*.parquet'";
  session.run("COPY (SELECT k, v + 1 AS v FROM " + files + ") TO " + to);
  EXPECT_EQ(session.run("SELECT sum(v) FROM " + files).table.value(0, 0).to_string(), "45000150000");
}

TEST(Session, DoesOneThingWhileAStreamIsRead) {
  Session session(options());
  session.run("CREATE TYPE mood AS ENUM ('sad', 'happy')");
  const std::string query =
      "SELECT [i, NULL] AS l, TIMESTAMPTZ '2020-01-01 00:00:00+00' AS t FROM range(3000000) r(i)";
  {
    ResultStream stream = session.stream(query);
    Table first{stream.schema(), {}};
    first.batches.push_back(*stream.next());
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { session.run("SELECT 1"); }, [&] { session.stream("SELECT 1"); },
             [&] { session.split("SELECT 1"); }, [&] { session.explain("SELECT 1"); },
             [&] { session.drop_table("x"); }}) {
      EXPECT_THAT(message_of<UserError>(call), HasSubstr("still being read"));
    }
    EXPECT_THAT(session.as_json(first).value(0, 0).to_string(), HasSubstr("null"));
    EXPECT_THAT(session.printable(first).value(0, 1).to_string(), HasSubstr("2020-01-01"));
  }  // stops it
  EXPECT_EQ(session.run("SELECT 1").table.rows(), 1);
  ResultStream explained = session.stream("EXPLAIN SELECT 1");
  EXPECT_GT(all_of(explained).rows(), 0);
  ResultStream described = session.stream("SHOW TABLES");
  EXPECT_EQ(described.result().engine, "duckdb");
  ResultStream cancelled = session.stream(query);
  session.cancel();
  EXPECT_THROW(all_of(cancelled), CancelledError);
  EXPECT_EQ(session.run("SELECT 1").table.rows(), 1);
}

TEST(Session, RunsStatementsInDuckDb) {
  Session session(options());
  const auto statements =
      session.split("CREATE TABLE t(i INTEGER); INSERT INTO t VALUES (1), (2); DESCRIBE t; FROM t");
  ASSERT_EQ(statements.size(), 4u);
  EXPECT_FALSE(session.run(statements[0]).has_rows);
  EXPECT_FALSE(session.run(statements[1]).has_rows);
  const StatementResult described = session.run(statements[2]);
  EXPECT_TRUE(described.has_rows);
  EXPECT_EQ(described.engine, "duckdb");
  EXPECT_EQ(described.fallback_reason, "");
  EXPECT_EQ(session.run(statements[3]).table.rows(), 2);
}

TEST(Session, FallsBackOnlyWhenAsked) {
  const std::string query = "SELECT DISTINCT ('POINT(1 ' || i % 1 || ')')::GEOMETRY FROM range(3) r(i)";
  Session strict(options());
  EXPECT_THAT(message_of<UserError>([&] { strict.run(query); }), HasSubstr("GEOMETRY"));
  SessionOptions with_fallback = options();
  with_fallback.fallback_duckdb = true;
  Session session(with_fallback);
  const StatementResult result = session.run(query);
  EXPECT_EQ(result.engine, "duckdb");
  EXPECT_THAT(result.fallback_reason, HasSubstr("GEOMETRY"));
  EXPECT_EQ(result.table.value(0, 0).to_string(), "POINT (1 0)");
  EXPECT_EQ(session.run("SELECT 1").engine, "lanewise");
  EXPECT_THAT(message_of<UserError>([&] { session.run("SELECT nothing"); }), HasSubstr("LINE 1"));
  EXPECT_EQ(session.run("SELECT 'POINT(1 2)'::GEOMETRY AS b").engine, "duckdb");
}

TEST(Session, ExplainsPlansWithLanesAndMatchers) {
  Session session(options("scalar", 1));
  session.run("CREATE TABLE t AS SELECT 'x' || i AS s FROM range(1000) r(i)");
  const std::string text = session.explain("SELECT count(*) FROM t WHERE s LIKE '%9%' AND s ~ '(x|[1-5])*'");
  EXPECT_THAT(text, HasSubstr("Aggregate: count_star(*)"));
  EXPECT_THAT(text, HasSubstr("Scan: t [s]"));
  EXPECT_THAT(text, HasSubstr("(about 200 rows)"));
  EXPECT_THAT(
      text,
      HasSubstr("contains(s, '9'): contains (one text anywhere, searched over all rows at once on scalar)"));
  EXPECT_THAT(text, HasSubstr("rows (automaton on lanes of scalar, "));
  EXPECT_THAT(text, HasSubstr("lanes scalar, 1 thread"));
}

TEST(Session, ProfilesWhatTheLanesDid) {
  SessionOptions counted = options("interleaved", 1);
  counted.profile_lanes = true;
  Session session(counted);
  session.run("CREATE TABLE t AS SELECT repeat('x', i % 100) || i AS s FROM range(5000) r(i)");
  const std::string query = "SELECT count(*) FROM t WHERE s ~ '(x|[1-5])*'";
  const auto scan_of = [](const StatementResult& result) { return result.profile.back(); };
  const ops::OperatorProfile scan = scan_of(session.run(query));
  EXPECT_EQ(scan.name, "Scan t");
  EXPECT_EQ(scan.target, "interleaved");
  EXPECT_THAT(scan.matchers, ElementsAre(HasSubstr("rows (automaton on lanes of interleaved")));
  EXPECT_GT(scan.occupancy, 0.5);
  EXPECT_LE(scan.occupancy, 1);
  Session silent(options("interleaved", 1));
  silent.run("CREATE TABLE t AS SELECT 'x' AS s");
  EXPECT_LT(scan_of(silent.run(query)).occupancy, 0);
  EXPECT_THAT(scan_of(silent.run(query)).matchers, IsEmpty());
}

TEST(Session, NamesBadOptions) {
  EXPECT_THAT(message_of<UserError>([] { Session session(options("avx1024")); }), HasSubstr("avx1024"));
  SessionOptions file = options();
  file.database = "/no/such/folder/x.db";
  EXPECT_THAT(message_of<UserError>([&] { Session session(file); }), HasSubstr("/no/such/folder"));
}

TEST(Session, KeepsToItsMemory) {
  SessionOptions small = options();
  small.memory_limit = size_t{8} << 20;
  small.temp_directory = kNoTempDirectory;
  Session session(small);
  const std::string sort = "SELECT i FROM range(10000000) r(i) ORDER BY i % 1000 DESC";
  EXPECT_THAT(message_of<MemoryError>([&] { session.run(sort); }), HasSubstr("memory limit of 8 MiB"));
  EXPECT_EQ(session.run("SELECT count(*) FROM range(1000)").table.value(0, 0).to_string(), "1000");
}

TEST(Session, SpillsWhatExceedsItsMemory) {
  const TemporaryFolder folder;
  SessionOptions small = options();
  small.memory_limit = size_t{8} << 20;
  small.temp_directory = folder.path().string();
  Session session(small);
  const StatementResult sorted = session.run("SELECT i FROM range(3000000) r(i) ORDER BY i % 1000 DESC, i");
  EXPECT_GT(sorted.spilled, 16u << 20);
  EXPECT_EQ(sorted.table.value(0, 0).to_string(), "999");
  EXPECT_EQ(sorted.table.value(2999999, 0).to_string(), "2999000");
  EXPECT_EQ(session.run("SELECT 1").spilled, 0u);
  small.temp_directory = "/no/such/folder";
  EXPECT_THAT(message_of<UserError>([&] { Session missing(small); }), HasSubstr("/no/such/folder"));
}

TEST(Session, StopsOnRequest) {
  Session session(options());
  for (const char* query : {"SELECT count(*) FROM range(100000000000) r(i) WHERE i % 7 = 9",
                            "CREATE TABLE t AS SELECT i FROM range(100000000000) r(i)"}) {
    std::clock_t asked = 0;  // processor time: independent of the machine's load
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      asked = std::clock();
      session.cancel();
    });
    EXPECT_THROW(session.run(query), CancelledError) << query;
    stopper.join();
    EXPECT_LT(std::clock() - asked, 2 * CLOCKS_PER_SEC) << query;
  }
  EXPECT_EQ(session.run("SELECT 1").table.rows(), 1);
}

TEST(Session, WritesWhatItAnswers) {
  const TemporaryFolder folder;
  const std::string path = folder.file("result.parquet");
  Session session(options());
  const StatementResult result =
      session.run("SELECT i, 'row ' || i AS s FROM range(300000) r(i) WHERE i % 3 = 0");
  session.write_parquet(batches_of(result.table), path);
  const StatementResult back = session.run("FROM '" + path + "'");
  EXPECT_EQ(text_of(back.table), text_of(result.table));
}

}  // namespace
}  // namespace lanewise
