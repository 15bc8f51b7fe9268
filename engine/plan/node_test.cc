#include "plan/node.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "expr/functions/build.h"

namespace lanewise::plan {
namespace {

class NamesOnly : public Source {
 public:
  explicit NamesOnly(Schema schema) : schema_(std::move(schema)) {}
  std::string name() const override { return "paths.parquet"; }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override { return {}; }
  int64_t estimated_rows() const override { return 7000; }
  std::unique_ptr<lanewise::Scan> scan(const std::vector<size_t>&, BatchSize, MemoryBudget*,
                                       const Cancellation*) const override {
    return nullptr;
  }

 private:
  Schema schema_;
};

std::shared_ptr<const Source> paths() {
  return std::make_shared<NamesOnly>(
      Schema{{"path", TypeId::kVarchar}, {"size", TypeId::kInt64}, {"pkg", TypeId::kVarchar}});
}
ExprPtr path() { return column(0, TypeId::kVarchar); }
ExprPtr size() { return column(1, TypeId::kInt64); }
ExprPtr big(int64_t value) { return literal(Value::int64(value)); }
AggregateCall count() {
  AggregateCall call;
  call.function = "count";
  call.type = TypeId::kInt64;
  return call;
}

NodePtr example() {
  auto rows = scan(paths(), {0, 1}, {call("~~", {path(), literal(Value::varchar("%.so"))})});
  AggregateCall sum;
  sum.function = "sum";
  sum.args = {size()};
  sum.distinct = true;
  sum.filter = call(">", {size(), big(10)});
  sum.type = TypeId::kInt128;
  auto groups =
      aggregate(filter(rows, call("<", {size(), big(100)})), {path()}, {count(), sum}, {"path", "n", "sum"});
  return sort(project(groups, {column(1, TypeId::kInt64), path()}, {"n", "path"}),
              {{column(0, TypeId::kInt64), true, true}}, 10, 5);
}

TEST(Plan, PrintsALineForEachNodeAndMatcher) {
  const std::string text = to_string(*example());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_EQ(text.find("Sort: n DESC NULLS FIRST limit 10 offset 5"), 0u) << text;
  EXPECT_NE(text.find("\n  Project: n, path\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    Aggregate: count(*), sum(DISTINCT size) FILTER (WHERE (size > 10)) by path\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n      Filter: (size < 100)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        Scan: paths.parquet [path, size] "), std::string::npos) << text;
  EXPECT_NE(text.find("\n            (path LIKE '%.so'): suffix (a suffix, compared on "), std::string::npos)
      << text;
  EXPECT_NE(text.find("%.so"), std::string::npos) << text;
}

TEST(Plan, HasAJsonForm) {
  const auto json = nlohmann::json::parse(to_json(*example()));
  EXPECT_EQ(json["node"], "Sort");
  EXPECT_EQ(json["limit"], 10);
  EXPECT_EQ(json["keys"][0]["descending"], true);
  EXPECT_EQ(json["schema"][1]["type"], "VARCHAR");
  const auto& groups = json["children"][0]["children"][0];
  EXPECT_EQ(groups["node"], "Aggregate");
  EXPECT_EQ(groups["aggregates"][1]["filter"]["call"], ">");
  EXPECT_EQ(groups["children"][0]["children"][0]["source"], "paths.parquet");
}

TEST(Plan, EstimatesWhatFollows) {
  EXPECT_EQ(scan(paths(), {0})->estimated_rows, 7000);
  EXPECT_EQ(limit(scan(paths(), {0}), 10)->estimated_rows, 10);
  EXPECT_EQ(limit(scan(paths(), {0}), -1, 6999)->estimated_rows, 1);
  EXPECT_LT(filter(scan(paths(), {0, 1}), call("<", {size(), big(1)}))->estimated_rows, 0);
  EXPECT_EQ(union_all({scan(paths(), {0}), scan(paths(), {2})})->estimated_rows, 14000);
  EXPECT_EQ(aggregate(scan(paths(), {0}), {}, {count()}, {"n"})->estimated_rows, 1);
  EXPECT_EQ(with_estimate(scan(paths(), {0}), 3)->estimated_rows, 3);
}

TEST(Plan, SchemasFollow) {
  auto left = scan(paths(), {0, 1});
  auto joined = scalar_join(left, aggregate(left, {}, {count()}, {"n"}), "more than one row");
  ASSERT_EQ(joined->schema.size(), 3u);
  EXPECT_EQ(joined->schema[2].name, "n");
  auto body = cte(7, left, cte_ref(7, left->schema));
  EXPECT_EQ(body->schema[1].name, "size");
  EXPECT_STREQ(name(body->payload), "Cte");
}

template <class F>
void expect_misfit(F build, const std::string& message) {
  try {
    build();
    FAIL() << message;
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(Plan, RefusesWhatDoesNotFit) {
  auto rows = scan(paths(), {0, 1});
  expect_misfit([&] { scan(paths(), {3}); }, "plan node Scan: paths.parquet has no column #3");
  expect_misfit([&] { scan(paths(), {1}, {call("~~", {path(), path()})}); },
                "Scan: column #0 (size) is BIGINT, not VARCHAR");
  expect_misfit([&] { filter(rows, size()); }, "Filter: a predicate of type BIGINT");
  expect_misfit([&] { filter(rows, call("<", {column(2, TypeId::kInt64), big(1)})); }, "Filter: column #2");
  expect_misfit([&] { project(rows, {size()}, {}); }, "Project: as many names");
  expect_misfit([&] { aggregate(rows, {size()}, {count()}, {"n"}); }, "Aggregate: as many names");
  expect_misfit([&] { sort(rows, {{column(9, TypeId::kInt64), false, false}}); }, "Sort: column #9");
  expect_misfit([&] { limit(rows, 1, -1); }, "Limit: offset -1");
  expect_misfit([&] { union_all({rows, scan(paths(), {0})}); }, "UnionAll: the children differ");
  expect_misfit([&] { union_all({}); }, "UnionAll: a child is missing");
  expect_misfit([&] { filter(nullptr, size()); }, "Filter: a child is missing");
  auto table = std::make_shared<Table>();
  table->schema = {{"x", TypeId::kInt32}};
  table->batches.push_back({2, {make_column(TypeId::kInt32, {Value::int32(1)})}});
  expect_misfit([&] { values(table); }, "Values: columns differ in length");
}

}  // namespace
}  // namespace lanewise::plan
