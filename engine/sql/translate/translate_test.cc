#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql/duckdb/errors.h"
#include "sql/testing/scanned_rows.h"

namespace lanewise::sql {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

/// "Project(Sort(Scan))".
std::string shape(const plan::Node& node) {
  std::string text = plan::name(node.payload);
  if (node.children.empty()) return text;
  text += '(';
  for (size_t i = 0; i < node.children.size(); ++i) text += (i == 0 ? "" : ", ") + shape(*node.children[i]);
  return text + ')';
}

class Translation : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    database_ = std::make_unique<Database>(DatabaseOptions{.threads = 1});
    run("SET TimeZone = 'UTC'");
    run("CREATE TABLE t AS SELECT i::INTEGER AS a, 's' || i AS s, i::DOUBLE AS d, DATE '2020-01-01' + "
        "i::INTEGER AS day, "
        "i::DECIMAL(10, 2) AS price, TIMESTAMP '2020-01-01' + to_seconds(i) AS at, "
        "if(i % 2 = 0, 'x', 'y')::ENUM('x', 'y') AS e FROM range(5000) r(i)");
    run("INSERT INTO t SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL");
    run("CREATE TABLE u AS SELECT 1 AS a");
  }
  static void TearDownTestSuite() { database_.reset(); }
  static void run(const std::string& statement) { database_->run(statement, nullptr); }
  static Query plan(const std::string& query) { return database_->plan(query); }
  static std::string text(const std::string& query) { return plan::to_string(*plan(query).root); }

  static void expect_planned(std::initializer_list<std::string> expressions) {
    for (const std::string& expression : expressions) {
      EXPECT_NO_THROW(plan("SELECT " + expression + " FROM t")) << expression;
    }
  }

  static std::unique_ptr<Database> database_;
};

std::unique_ptr<Database> Translation::database_;

TEST_F(Translation, MakesTheExpectedShape) {
  for (const auto& [query, expected] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT 1, 'x', NULL", "Project(Values)"},
           {"SELECT a FROM t", "Project(Scan)"},
           {"SELECT a FROM t WHERE a > 3 AND s LIKE '%x%'", "Project(Scan)"},
           {"SELECT a FROM t WHERE a > 3 OR s = 'x'", "Project(Scan)"},
           {"SELECT a FROM t WHERE false", "Values"},
           {"VALUES (1, 'a'), (2, NULL)", "Project(Values)"},
           {"SELECT count(*), sum(a) FROM t", "Project(Aggregate(Scan))"},
           {"SELECT s, count(*) AS n FROM t GROUP BY s HAVING count(*) > 3",
            "Project(Filter(Aggregate(Scan)))"},
           {"SELECT a FROM t ORDER BY a", "Sort(Project(Scan))"},
           {"SELECT a FROM t ORDER BY s", "Project(Sort(Project(Scan)))"},
           {"SELECT a, s FROM t ORDER BY a LIMIT 5", "Sort(Project(Scan))"},
           {"SELECT a FROM t LIMIT 5 OFFSET 2", "Project(Limit(Scan))"},
           {"SELECT DISTINCT a, s FROM t", "Distinct(Project(Scan))"},
           {"SELECT DISTINCT ON (a) a, s FROM t", "Project(Aggregate(Project(Scan)))"},
           {"SELECT a FROM t UNION ALL SELECT a FROM t WHERE a > 1",
            "UnionAll(Project(Scan), Project(Scan))"},
           {"SELECT a FROM t UNION SELECT a FROM u", "Distinct(UnionAll(Project(Scan), Project(Scan)))"},
           {"WITH c AS MATERIALIZED (SELECT a FROM t) SELECT * FROM c UNION ALL SELECT * FROM c",
            "Cte(Project(Scan), UnionAll(Project(CteRef), Project(CteRef)))"},
           {"SELECT a, (SELECT max(d) FROM t) FROM t", "Project(ScalarJoin(Scan, Project(Aggregate(Scan))))"},
           {"SELECT a FROM t WHERE a > (SELECT avg(a) FROM t)",
            "Project(Filter(ScalarJoin(Scan, Project(Aggregate(Scan)))))"},
           {"SELECT a FROM t WHERE a = (SELECT a FROM u)",
            "Project(Filter(ScalarJoin(Scan, Project(Scan))))"},
           {"SELECT a FROM t WHERE 1 < (SELECT max(a) FROM u)",
            "Project(Filter(ScalarJoin(Scan, "
            "Project(Filter(Project(Aggregate(Project(Aggregate(Scan)))))))))"},
           {"SELECT a > (SELECT max(d) FROM t), d > (SELECT max(d) FROM t) FROM t",
            "Project(ScalarJoin(Scan, Cte(Project(Aggregate(Project(Aggregate(Scan)))), "
            "ScalarJoin(Project(CteRef), Project(CteRef)))))"},
           {"SELECT a, m FROM t, (SELECT max(a) AS m FROM u)",
            "Project(ScalarJoin(Scan, Project(Aggregate(Scan))))"},
           {"SELECT sum(a) FILTER (WHERE d > 1) FROM (SELECT a, d FROM t ORDER BY d LIMIT 10)",
            "Project(Aggregate(Sort(Project(Scan))))"},
       }) {
    EXPECT_EQ(shape(*plan(query).root), expected) << query << '\n' << text(query);
  }
}

TEST_F(Translation, AggregatesGroupingSetsFromEachOther) {
  const std::string both = "UnionAll(Project(CteRef), Project(CteRef))";
  EXPECT_EQ(shape(*plan("SELECT s, count(*) FROM t GROUP BY ROLLUP (s)").root),
            "Project(Cte(Aggregate(Scan), Cte(Aggregate(CteRef), " + both + ")))");
  EXPECT_EQ(shape(*plan("SELECT s, a, count(*) FROM t GROUP BY GROUPING SETS ((s), (a))").root),
            "Project(Cte(Aggregate(Scan), Cte(Aggregate(Scan), " + both + ")))")
      << "neither set has the groups of the other";
  // DuckDB may put grouping sets in any order.
  EXPECT_THAT(shape(*plan("SELECT s, median(a) FROM t GROUP BY ROLLUP (s)").root),
              AnyOf("Project(UnionAll(Aggregate(Scan), Project(Aggregate(Scan))))",
                    "Project(UnionAll(Project(Aggregate(Scan)), Aggregate(Scan)))"));
}

TEST_F(Translation, NamesColumnsAsTheQueryDoes) {
  EXPECT_EQ(plan("SELECT a AS x, count(*), 1 + 1 FROM t GROUP BY a ORDER BY a LIMIT 3").names,
            (std::vector<std::string>{"x", "count_star()", "(1 + 1)"}));
}

TEST_F(Translation, KeepsPredicatesInTheScan) {
  const std::string scanned = text("SELECT s FROM t WHERE a > 3 AND s LIKE '%x_5%' AND a + d < 100");
  EXPECT_THAT(scanned, HasSubstr("Scan: t [a, s, d]"));
  for (const char* part : {"a > 3", "LIKE '%x_5%'", "< 100"}) EXPECT_THAT(scanned, HasSubstr(part));
  EXPECT_THAT(scanned, testing::Not(HasSubstr("Filter")));
}

TEST_F(Translation, DropsFiltersThatFollowFromOthers) {
  EXPECT_THAT(text("SELECT a, s FROM t ORDER BY a LIMIT 3"), testing::Not(HasSubstr("Dynamic")));
}

TEST_F(Translation, ReadsInListsAsLists) {
  const std::string in = text("SELECT a FROM t WHERE a * 2 IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)");
  EXPECT_THAT(in, HasSubstr("IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)"));
  EXPECT_THAT(text("SELECT a FROM t WHERE s NOT IN ('x', 'y') OR a = 1"), HasSubstr("NOT"));
}

TEST_F(Translation, ReadsWhatBindingTookOutOfAggregates) {
  EXPECT_THAT(text("SELECT string_agg(s, ' | ' ORDER BY a DESC) FROM t"),
              HasSubstr("string_agg(s, ' | ' ORDER BY a DESC"));
  EXPECT_THAT(text("SELECT string_agg(s) FROM t"), HasSubstr("string_agg(s, ',')"));
  EXPECT_THAT(text("SELECT quantile_cont(d, 0.25) FROM t"), HasSubstr("quantile_cont(d, 0.25)"));
  EXPECT_THAT(text("SELECT quantile_disc(a, 0.9) FROM t"), HasSubstr("quantile_disc(a, 0.9)"));
  EXPECT_THAT(text("SELECT median(a) FROM t"), HasSubstr("median(a)"));
  EXPECT_THAT(text("SELECT count(DISTINCT s) FILTER (WHERE a > 1) FROM t"),
              HasSubstr("count(DISTINCT s) FILTER (WHERE (a > 1))"));
}

TEST_F(Translation, GivesOrderedPicksTheirOrderBack) {
  EXPECT_THAT(text("SELECT first(s ORDER BY d DESC NULLS LAST, a) FROM t"),
              HasSubstr("first(s ORDER BY d DESC, a)"));
  EXPECT_THAT(text("SELECT any_value(s ORDER BY d) FROM t"), HasSubstr("any_value(s ORDER BY d)"));
  EXPECT_THAT(text("SELECT last(s ORDER BY d NULLS FIRST) FROM t"),
              HasSubstr("last(s ORDER BY d NULLS FIRST)"));
  // The key of both is computed once, below the aggregate.
  const std::string shared = text("SELECT first(s ORDER BY d), first(a ORDER BY d) FROM t");
  EXPECT_THAT(shared, HasSubstr("first(s ORDER BY d), first(a ORDER BY d)"));
  EXPECT_THAT(shared, testing::Not(HasSubstr("create_sort_key(")));
  EXPECT_THAT(text("SELECT first(s ORDER BY lower(s), d), last(a ORDER BY lower(s), d) FROM t"),
              HasSubstr("first(s ORDER BY lower(s), d), last(a ORDER BY lower(s), d)"));
}

TEST_F(Translation, ReadsConditions) {
  expect_planned({"a BETWEEN 1 AND 3", "a NOT BETWEEN 1 AND 3", "NOT (a = 1 AND d = 2)", "a IS NULL",
                  "s IS NOT NULL", "a IS DISTINCT FROM 3", "a IS NOT DISTINCT FROM 3",
                  "CASE WHEN a > 1 THEN 'x' WHEN a < 0 THEN s END",
                  "CASE a WHEN 1 THEN 'one' ELSE 'other' END", "COALESCE(s, 'none')", "NULLIF(a, 3)",
                  "IFNULL(a, 0)", "if(a > 1, 1, 2)", "d = d", "hash(a) IS NULL OR true"});
}

TEST_F(Translation, ReadsFunctionsOfText) {
  expect_planned({"s LIKE 'x%'",
                  "s LIKE '%x'",
                  "s LIKE '%x%'",
                  "s LIKE 'a%b'",
                  "s NOT LIKE 'q_'",
                  "s ILIKE '%X%'",
                  "s LIKE 'a#%' ESCAPE '#'",
                  "s ~ '^x.*'",
                  "s SIMILAR TO 'a|b'",
                  "regexp_matches(s, 'x+', 'i')",
                  "regexp_extract(s, 's(\\d)', 1)",
                  "regexp_replace(s, '\\d', 'n', 'g')",
                  "s || '!'",
                  "concat(s, a)",
                  "length(s)",
                  "upper(s)",
                  "substring(s, 1, 2)",
                  "s[2]",
                  "left(s, 1)",
                  "trim(s)",
                  "split_part(s, '1', 2)"});
}

TEST_F(Translation, ReadsArithmeticAndCasts) {
  expect_planned({"a + 1", "-a", "CAST(a AS VARCHAR)", "TRY_CAST(s AS INTEGER)", "a::DOUBLE", "price * 2",
                  "round(d, 1)", "greatest(a, 3)", "a % 3", "a // 2", "a / 2", "a + NULL"});
}

TEST_F(Translation, ReadsFunctionsOfDates) {
  expect_planned({"extract(year FROM day)", "date_trunc('month', \"at\")", "day + INTERVAL 1 DAY",
                  "day - DATE '2020-01-01'", "date_diff('day', day, DATE '2021-01-01')", "day > '2020-03-01'",
                  "\"at\"::DATE"});
}

TEST_F(Translation, ReadsEnums) { expect_planned({"e", "e = 'x'", "e || 'z'", "e::VARCHAR"}); }

TEST_F(Translation, ReadsConstantsOfAllTypes) {
  const auto table = [](const std::string& values) {
    const Query query = plan("VALUES " + values);
    const plan::Node* node = query.root.get();
    while (!node->children.empty()) node = node->children[0].get();
    return text_of(std::get<plan::Values>(node->payload).table->batches);
  };
  const std::string row =
      "(true, -1::TINYINT, 2::SMALLINT, 3, 4::BIGINT, -5::HUGEINT, 6::UTINYINT, 7::USMALLINT, 8::UINTEGER, "
      "9::UBIGINT, "
      "10::UHUGEINT, 1.5::FLOAT, -2.5::DOUBLE, 1.25, 12345678901234567890.5::DECIMAL(38, 1), DATE "
      "'2020-02-29', "
      "TIME '12:34:56', TIMESTAMP '2020-02-29 12:34:56', TIMESTAMPTZ '2020-02-29 12:34:56+00', INTERVAL '1 "
      "month 2 days', "
      "'tëxt', '\\xAB'::BLOB, NULL)";
  EXPECT_EQ(
      table(row),
      text_of(
          database_->run("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (VALUES " + row + ")", nullptr)->batches));
  EXPECT_EQ(table("(1, 'a'), (NULL, 'b'), (1 + 2, NULL)"),
            (TextRows{{"1", "a"}, {"NULL", "b"}, {"3", "NULL"}}));
}

TEST_F(Translation, CarriesEstimates) { EXPECT_NEAR(plan("SELECT a FROM t").root->estimated_rows, 5001, 1); }

TEST_F(Translation, ReadsDescribedFilesOnce) {
  TemporaryFolder folder;
  const std::string path = folder.file("t.parquet");
  run("COPY (SELECT * EXCLUDE (e) FROM t) TO '" + path + "'");
  EXPECT_EQ(shape(*plan("SELECT count(*) FROM '" + path + "' WHERE s LIKE '%9%' AND a < 1000").root),
            "Project(Aggregate(Scan))");
  EXPECT_THAT(text("SELECT s FROM '" + path + "' WHERE a = 3"), HasSubstr("t.parquet [a, s]"));
}

}  // namespace
}  // namespace lanewise::sql
