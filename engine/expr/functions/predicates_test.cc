#include "expr/functions/predicates.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

namespace lanewise::expr {
namespace {

const ExprPtr kNumber = call("<", {column(0, TypeId::kInt32), literal(Value::int32(5))});
const ExprPtr kText = call("=", {column(1, TypeId::kVarchar), literal(Value::varchar("a"))});

ExprPtr matches(ExprPtr pattern) {
  return call("regexp_matches", {column(1, TypeId::kVarchar), std::move(pattern)});
}

TEST(OrderByCost, PutsCheapPredicatesFirst) {
  const ExprPtr pattern = matches(literal(Value::varchar("a+b")));
  EXPECT_EQ(order_by_cost({pattern, kText, kNumber}), (std::vector<ExprPtr>{kNumber, kText, pattern}));
}

TEST(OrderByCost, LeavesWhatMayRaiseAfterWhatPrecedesIt) {
  const ExprPtr may_raise = matches(column(2, TypeId::kVarchar));  // a row's pattern may be invalid
  EXPECT_EQ(order_by_cost({kText, may_raise, kNumber}), (std::vector<ExprPtr>{kText, may_raise, kNumber}));
}

}  // namespace
}  // namespace lanewise::expr
