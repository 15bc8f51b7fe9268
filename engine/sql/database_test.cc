#include "sql/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/testing/message_of.h"
#include "sql/duckdb/errors.h"
#include "sql/testing/scanned_rows.h"

namespace lanewise::sql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DatabaseTest : public testing::Test {
 protected:
  DatabaseTest() {
    run("CREATE TABLE t(a INTEGER, s VARCHAR, d DOUBLE, l INTEGER[], e ENUM('x', 'y'), z TIMESTAMPTZ)");
    run("INSERT INTO t SELECT i, 's' || i, i, [i], if(i % 2 = 0, 'x', 'y'), now() FROM range(3000) r(i)");
  }
  std::optional<Table> run(const std::string& statement) { return database_.run(statement, nullptr); }
  std::string plan(const std::string& query) { return plan::to_string(*database_.plan(query).root); }
  std::string unsupported(const std::string& query) {
    return message_of<UnsupportedError>([&] { database_.plan(query); });
  }
  std::string wrong(const std::string& statement) {
    return message_of<UserError>([&] { database_.plan(statement); });
  }

  Database database_{DatabaseOptions{.threads = 2}};
};

TEST_F(DatabaseTest, SplitsStatements) {
  EXPECT_THAT(database_.split("SELECT 1; SELECT ';' -- two;\n;\n\n INSERT INTO t VALUES (1)"),
              ElementsAre("SELECT 1", "SELECT ';' -- two;", "INSERT INTO t VALUES (1)"));
  EXPECT_THAT(database_.split(" SELECT 3 \u00fc ; DROP TABLE t\u00fc"),
              ElementsAre("SELECT 3 \u00fc", "DROP TABLE t\u00fc"));
  EXPECT_TRUE(database_.split("").empty());
  EXPECT_TRUE(database_.split(" ; -- nothing").empty());
}

TEST_F(DatabaseTest, ShowsWhereTheSyntaxIsWrong) {
  const std::string message = message_of<UserError>([&] { database_.split("SELECT 1;\nSELEC 2"); });
  EXPECT_THAT(message, HasSubstr("syntax error at or near \"SELEC\""));
  EXPECT_THAT(message, HasSubstr("LINE 2: SELEC 2\n        ^"));
}

TEST_F(DatabaseTest, TellsQueriesFromStatements) {
  for (const char* query : {"SELECT 1", "FROM t", "VALUES (1)", "WITH c AS (SELECT 1) SELECT * FROM c",
                            "TABLE t", "PIVOT t ON s USING sum(a)", "SELECT 1 UNION SELECT 2"}) {
    EXPECT_EQ(database_.parse(query).kind, Statement::Kind::kQuery) << query;
  }
  for (const char* statement :
       {"DESCRIBE t", "SHOW TABLES", "EXPLAIN DROP TABLE t", "PRAGMA table_info('t')", "SET threads = 1",
        "CREATE TABLE u AS SELECT 1", "COPY t TO '/tmp/x'", "BEGIN", "CALL pragma_version()"}) {
    EXPECT_NE(database_.parse(statement).kind, Statement::Kind::kQuery) << statement;
  }
  run("PREPARE p AS SELECT 1");
  run("PREPARE i AS INSERT INTO t(a) VALUES (1)");
  EXPECT_EQ(database_.parse("EXPLAIN SELECT 1").explain, Statement::Explain::kPlan);
  EXPECT_EQ(database_.parse("EXPLAIN ANALYZE COPY (FROM t) TO 'x'").explain, Statement::Explain::kProfile);
  EXPECT_EQ(database_.parse("EXPLAIN SELECT 1").format, Statement::Format::kText);
  EXPECT_EQ(database_.parse("EXPLAIN (FORMAT html) SELECT 1").format, Statement::Format::kHtml);
  EXPECT_EQ(database_.parse("EXPLAIN (ANALYZE, FORMAT json) SELECT 1").explain, Statement::Explain::kProfile);
  EXPECT_EQ(database_.parse("EXPLAIN PIVOT t ON s USING sum(a)").explain, Statement::Explain::kPlan);
  EXPECT_TRUE(may_change_database("SELECT NextVal('s')"));
  EXPECT_TRUE(may_change_database("EXPLAIN ANALYZE INSERT INTO t(a) VALUES (1)"));
  EXPECT_FALSE(may_change_database("EXPLAIN INSERT INTO t(a) VALUES (1)"));
  EXPECT_EQ(database_.parse("EXECUTE p").kind, Statement::Kind::kQuery);
  EXPECT_NE(database_.parse("EXECUTE i").kind, Statement::Kind::kQuery);
}

TEST_F(DatabaseTest, TellsChangesThatAQueryFindsFromOthers) {
  for (const char* statement :
       {"UPDATE t SET a = u.a FROM t u", "UPDATE t SET a = (SELECT 1)", "DELETE FROM t USING t u",
        "DELETE FROM t WHERE a IN (SELECT 1)", "INSERT INTO t VALUES ((SELECT 1))",
        "MERGE INTO t USING t u ON t.a = u.a WHEN MATCHED THEN DELETE"}) {
    EXPECT_EQ(database_.parse(statement).kind, Statement::Kind::kChange) << statement;
  }
  for (const char* statement :
       {"UPDATE t SET a = 1 WHERE a = 2", "DELETE FROM t WHERE a = 2", "INSERT INTO t VALUES (1)"})
    EXPECT_EQ(database_.parse(statement).kind, Statement::Kind::kOther) << statement;
}

TEST_F(DatabaseTest, ShowsWhereAQueryIsWrong) {
  EXPECT_THAT(wrong("SELECT a,\n  b FROM t"), HasSubstr("LINE 2:   b FROM t\n          ^"));
  EXPECT_THAT(wrong("SELECT a FROM nothing"), HasSubstr("Table with name nothing does not exist"));
  EXPECT_THAT(wrong("SELECT a + s[1:2] || d + TRUE FROM t"), HasSubstr("LINE 1"));
  EXPECT_THAT(wrong("FROM '/no/such.parquet'"), HasSubstr("/no/such.parquet"));
  EXPECT_THAT(wrong("SELECT a FROM t WHERE a = ?"), HasSubstr("parameters"));
}

TEST_F(DatabaseTest, NamesABrokenFile) {
  TemporaryFolder folder;
  for (const char* name : {"broken.parquet", "broken.db"}) {
    std::ofstream(folder.file(name))
        << "PAR1 this is neither Parquet nor a database, although it is long enough";
  }
  EXPECT_THAT(wrong("FROM '" + folder.file("broken.parquet") + "'"), HasSubstr("broken.parquet"));
  EXPECT_THAT(message_of<UserError>([&] { Database({.path = folder.file("broken.db")}); }),
              HasSubstr("broken.db"));
  EXPECT_THAT(message_of<UserError>([&] { Database({.path = "/no/such/folder/x.db"}); }),
              HasSubstr("/no/such/folder"));
}

TEST_F(DatabaseTest, NamesWhatItDoesNotSupport) {
  for (const auto& [query, what] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT t.a FROM t ASOF JOIN t u ON t.a >= u.a AND t.s <> u.s",
            "ASOF joins with other conditions"},
           {"SELECT s::GEOMETRY FROM t", "GEOMETRY"},
           {"SELECT a FROM t LIMIT (SELECT DATE '2020-01-01')", "LIMIT and OFFSET of DATE"},
       }) {
    const std::string message = unsupported(query);
    EXPECT_THAT(message, HasSubstr(what)) << query;
    EXPECT_THAT(message, HasSubstr("supported yet")) << query;
  }
}

/// With each optimiser that is off, one of these queries would get a plan that the engine cannot run.
TEST_F(DatabaseTest, HasAReasonForEachOptimiserThatIsOff) {
  const std::string off = kDisabledOptimizers;
  const std::string table =
      "CREATE TABLE many AS SELECT i, 'n' || i % 7 AS s, i * 2 AS j FROM range(300000) r(i)";
  run(table);
  const std::string list = "1, 3, 5, 7, 9, 11, 13, 15, 17, 19";
  for (const auto& [optimiser, query] : std::vector<std::pair<std::string, std::string>>{
           {"compressed_materialization", "SELECT i, s FROM many ORDER BY s, i"},
           {"late_materialization", "SELECT * FROM many ORDER BY j LIMIT 3"},
           {"in_clause", "SELECT i FROM many WHERE i * 2 IN (" + list + ")"},
           {"regex_range", "SELECT i FROM many WHERE regexp_full_match(s || i, 'n[0-9]')"},
           {"row_group_pruner", "SELECT i FROM many ORDER BY i DESC LIMIT 3"},
           {"sampling_pushdown", "SELECT i FROM many TABLESAMPLE system(10%)"},
       }) {
    EXPECT_NO_THROW(plan(query)) << query;
    EXPECT_THAT(off, HasSubstr(optimiser));
    std::string others = off;
    others.replace(others.find(optimiser), optimiser.size() + 1, "");
    Database with({.threads = 2, .disabled_optimizers = others});
    with.run(table, nullptr);
    if (optimiser == "late_materialization" || optimiser == "in_clause") {
      EXPECT_THAT(plan::to_string(*with.plan(query).root), HasSubstr("Join")) << optimiser;
    } else if (optimiser == "compressed_materialization") {
      EXPECT_THAT(plan::to_string(*with.plan(query).root), HasSubstr("duckdb[")) << optimiser;
    } else {
      EXPECT_THAT(message_of<UnsupportedError>([&] { with.plan(query); }), HasSubstr("not supported yet"))
          << optimiser;
    }
  }
  // Those that hide windows have theirs in NamesWhatItDoesNotSupport.
  EXPECT_THAT(off, HasSubstr("top_n_window_elimination"));
  EXPECT_THAT(off, HasSubstr("window_self_join"));
}

TEST_F(DatabaseTest, WindowsOfTwoStatementsMayHaveOneName) {
  const std::string query = "SELECT ';', sum(a) OVER w FROM t WINDOW w AS (ORDER BY a)  -- ;\n";
  EXPECT_EQ(database_.split(query + ";" + query).size(), 2u);
  EXPECT_THAT(
      message_of<UserError>([&] { database_.split("SELECT 1; SELECT 2 FROM t WINDOW w AS (), w AS ()"); }),
      HasSubstr("already defined"));
}

TEST_F(DatabaseTest, RunsStatements) {
  EXPECT_FALSE(run("CREATE TABLE u(i INTEGER)"));
  EXPECT_FALSE(run("INSERT INTO u VALUES (1), (2)"));
  const auto tables = run("SHOW TABLES");
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->rows(), 2);
  EXPECT_EQ(run("FROM u WHERE i > 1")->value(0, 0).integer(), 2);
  EXPECT_EQ(
      run("SELECT [1, 2], {'a': 1}, '550e8400-e29b-41d4-a716-446655440000'::UUID")->value(0, 2).to_string(),
      "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(run("SELECT [1, 2]")->value(0, 0).to_string(), "[1, 2]");
  EXPECT_EQ(run("PIVOT u ON i USING count(*)")->rows(), 1);
  EXPECT_THAT(message_of<UserError>([&] { run("INSERT INTO u VALUES ('x')"); }),
              HasSubstr("Could not convert"));
}

TEST_F(DatabaseTest, SeesTheUsersTransaction) {
  run("BEGIN");
  run("DELETE FROM t");
  EXPECT_EQ(scanned(database_, "(SELECT a FROM t)").size(), 0u);
  run("ROLLBACK");
  EXPECT_EQ(scanned(database_, "(SELECT a FROM t)").size(), 3000u);
}

TEST_F(DatabaseTest, WritesParquet) {
  TemporaryFolder folder;
  const std::string path = folder.file("it's.parquet");
  run("CREATE TABLE wide AS SELECT i, 'row ' || i AS s, (i / 7)::DECIMAL(4, 1) AS d4, (i / 7)::DECIMAL(9, 1) "
      "AS d9, "
      "(i / 7)::DECIMAL(38, 1) AS d38, if(i % 3 = 0, NULL, i::DOUBLE) AS f, if(i % 5 = 0, NULL, 'few ' || i "
      "% 4) AS few, "
      "i % 2 = 0 AS b, DATE '2020-01-01' + (i % 100)::INTEGER AS day FROM range(1000) r(i)");
  run("INSERT INTO wide SELECT i, repeat('y', (i % 40)::INTEGER), 1, 2, 3, NULL, NULL, NULL, NULL FROM "
      "range(200000) r(i)");
  const std::string columns = "SELECT * FROM ";
  const auto table = run(columns + "wide");
  database_.write_parquet(*table, path);
  const auto back = run("SELECT * FROM read_parquet('" + folder.file("it''s.parquet") + "')");
  EXPECT_EQ(text_of(back->batches), text_of(table->batches));
  EXPECT_THAT(message_of<UserError>([&] { database_.write_parquet(*table, "/no/such/folder/x.parquet"); }),
              HasSubstr("/no/such/folder/x.parquet"));
  EXPECT_THAT(message_of<UserError>([&] { run("FROM lanewise_rows()"); }), HasSubstr("Lanewise itself"));
}

TEST_F(DatabaseTest, WritesNumbersThatAreCodes) {
  TemporaryFolder folder;
  const std::string path = folder.file("codes.parquet");
  for (const Type type :
       {Type(TypeId::kInt64), Type::decimal(4, 1), Type::decimal(9, 1), Type::decimal(38, 1)}) {
    auto column = std::make_shared<Column>();
    column->type = type;
    column->rows = 3000;
    column->dictionary = make_column(type, {Value(type, int128_t{70}), Value(type, int128_t{-8})});
    column->values = Buffer::allocate(3000 * sizeof(uint32_t), nullptr, "a test");
    column->validity = Buffer::allocate(bits::words(3000) * sizeof(uint64_t), nullptr, "a test");
    std::fill_n(column->validity.mutable_as<uint64_t>(), bits::words(3000), 0);
    std::vector<Value> values;
    for (uint32_t row = 0; row < 3000; ++row) {
      const bool null = row % 5 == 4;
      column->values.mutable_as<uint32_t>()[row] = null ? 0xffff'ffff : row % 2;  // for NULL any value
      if (!null) bits::set(column->validity.mutable_as<uint64_t>(), row);
      values.push_back(null ? Value(type) : column->dictionary->value(row % 2));
    }
    const Schema schema{{"x", type}};
    database_.write_parquet({schema, {{3000, {column}}}}, path);
    EXPECT_EQ(text_of(run("FROM '" + path + "'")->batches), text_of({{3000, {make_column(type, values)}}}))
        << type.name();
  }
}

/// A source that ends on request.
class EndingSource : public Source {
 public:
  std::string name() const override { return "ending"; }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override { return {}; }
  int64_t estimated_rows() const override { return 1; }
  std::unique_ptr<Scan> scan(const std::vector<size_t>&, BatchSize, MemoryBudget* budget,
                             const Cancellation* cancellation) const override {
    cancellation->check();
    Buffer::allocate(2000, budget, "A test");
    throw UserError("there was room");
  }

 private:
  const Schema schema_{{"x", TypeId::kInt32}};
};

TEST(AddedSources, AreReadInTheirBudgetUntilTheyAreCancelled) {
  MemoryBudget budget(1000);
  Cancellation cancellation;
  Database database({.budget = &budget, .cancellation = &cancellation});
  database.add_source("t", std::make_shared<EndingSource>());
  const auto copy = [&] { database.run("CREATE TABLE c AS FROM t", nullptr); };
  EXPECT_THAT(message_of<MemoryError>(copy), HasSubstr("A test needs"));
  cancellation.cancel();
  EXPECT_THROW(copy(), CancelledError);
}

TEST_F(DatabaseTest, WritesEmptyTablesAndSameNames) {
  TemporaryFolder folder;
  const std::string path = folder.file("empty.parquet");
  database_.write_parquet(*run("SELECT a, s FROM t WHERE a < 0"), path);
  EXPECT_EQ(run("FROM '" + path + "'")->rows(), 0);
  database_.write_parquet(*run("SELECT 1 AS a, 2 AS a"), path);
  EXPECT_EQ(run("FROM '" + path + "'")->value(0, 1).integer(), 2);
}

TEST_F(DatabaseTest, StopsOnRequest) {
  std::atomic<bool> done{false};
  std::thread stopper([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      database_.interrupt();
    }
  });
  EXPECT_THROW(run("SELECT count(*) FROM range(1000000000000)"), CancelledError);
  done = true;
  stopper.join();
  EXPECT_NO_THROW(plan("SELECT a FROM t"));
  EXPECT_EQ(run("SELECT count(*) FROM t")->value(0, 0).integer(), 3000);
}

}  // namespace
}  // namespace lanewise::sql
