#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include "expr/function.h"

namespace lanewise {
namespace {

struct Chunk {
  Arena arena;
  EvalContext context{.arena = &arena};
  std::vector<ColumnPtr> columns;
  std::vector<Vector> vectors;

  void add(Type type, const std::vector<Value>& values) {
    columns.push_back(make_column(type, values));
    vectors.push_back(slice(*columns.back(), 0, static_cast<uint32_t>(values.size()), arena));
  }
  std::string run(const ExprPtr& expr) {
    const auto rows = static_cast<uint32_t>(columns[0]->rows);
    const Vector result = evaluate(*expr, vectors, ActiveSet(rows, arena), context);
    std::string text;
    for (uint32_t row = 0; row < rows; ++row)
      text += (row == 0 ? "" : " ") + value_at(result, row).to_string();
    return text;
  }
};

ExprPtr i32(int32_t value) { return literal(Value::int32(value)); }

TEST(Evaluate, ArithmeticAndComparison) {
  Chunk chunk;
  chunk.add(TypeId::kInt32, {Value::int32(1), Value::int32(2), Value(TypeId::kInt32), Value::int32(-4)});
  const ExprPtr x = column(0, TypeId::kInt32);
  EXPECT_EQ(chunk.run(call("+", {x, i32(1)})), "2 3 NULL -3");
  EXPECT_EQ(chunk.run(call("*", {x, x})), "1 4 NULL 16");
  EXPECT_EQ(chunk.run(call("<", {x, i32(2)})), "true false NULL true");
  EXPECT_EQ(chunk.run(call("//", {x, call("-", {x, x})})), "NULL NULL NULL NULL");
}

TEST(Evaluate, OverflowNamesOperationAndValues) {
  Chunk chunk;
  chunk.add(TypeId::kInt32, {Value::int32(1), Value::int32(2147483647)});
  const ExprPtr sum = call("+", {column(0, TypeId::kInt32), i32(1)});
  try {
    chunk.run(sum);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "Overflow in addition of INT32 (2147483647 + 1)!");
  }
}

TEST(Evaluate, ErrorsOnlyForActiveRows) {
  Chunk chunk;
  chunk.add(TypeId::kInt32, {Value::int32(1), Value::int32(2147483647)});
  const ExprPtr x = column(0, TypeId::kInt32);
  const ExprPtr small = call("<", {x, i32(10)});
  const ExprPtr positive = call(">", {call("+", {x, i32(1)}), i32(0)});
  EXPECT_EQ(chunk.run(conjunction({small, positive})), "true false");
  EXPECT_EQ(chunk.run(case_when({small, call("+", {x, i32(1)}), x})), "2 2147483647");
}

}  // namespace
}  // namespace lanewise
