#include "ops/aggregate/gpu/row_aggregation.h"

#include <gmock/gmock.h>

#include "expr/functions/build.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/gpu/testing/cores.h"

namespace lanewise::ops {
namespace row_aggregation_test {

ExprPtr key() { return column(0, TypeId::kInt32); }
ExprPtr text() { return column(1, TypeId::kVarchar); }

TEST(RowAggregations, EachColumnComesOnce) {
  plan::AggregateCall joined =
      call_of("string_agg", {text(), literal(Value::varchar("-"))}, TypeId::kVarchar);
  joined.order = {{.expr = key()}};
  const RowAggregation rows({{key()}, {joined, call_of("mode", {text()}, TypeId::kVarchar)}});
  EXPECT_EQ(rows.columns().size(), 2U);
  EXPECT_EQ(rows.schema()[1].type, Type(TypeId::kVarchar));
}

TEST(RowAggregations, FiltersKeepValuesFromRaising) {
  const ExprPtr filter = call("<", {key(), literal(Value::int32(3))});
  const RowAggregation rows({{}, {call_of("string_agg", {text()}, TypeId::kVarchar, {.filter = filter})}});
  ASSERT_EQ(rows.columns().size(), 2U);
  EXPECT_EQ(rows.columns()[0]->kind, Expr::Kind::kCase);
}

TEST(RowAggregations, TheHostAggregatesTheRows) {
  const plan::AggregateCall joined =
      call_of("string_agg", {text(), literal(Value::varchar("-"))}, TypeId::kVarchar);
  const RowAggregation rows({{key()}, {joined}});
  const Type number = TypeId::kInt32, string = TypeId::kVarchar;
  Table table{rows.schema(), {}};
  for (const char* value : {"a", "b"})
    table.batches.push_back(
        {1, {make_column(number, {Value::int32(7)}), make_column(string, {Value::varchar(value)})}});
  const Table result = rows.finish(std::move(table), {{"k", number}, {"s", string}}, with_cores());
  ASSERT_EQ(result.rows(), 1);
  EXPECT_EQ(result.value(0, 1).text(), "a-b");
}

}  // namespace row_aggregation_test
}  // namespace lanewise::ops
