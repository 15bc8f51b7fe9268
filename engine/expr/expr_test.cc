#include "expr/expr.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include "expr/function.h"

namespace lanewise {
namespace {

const Type kInt = TypeId::kInt32, kBig = TypeId::kInt64, kReal = TypeId::kFloat64;

ExprPtr real(double value) { return literal(Value(kReal, value)); }
ExprPtr more(double by) { return call("+", {column(0, kReal), real(by)}); }

TEST(Expr, EqualsByStructure) {
  const std::vector<ExprPtr> all = {
      nullptr,
      column(0, kInt),
      column(1, kInt),
      column(0, kBig),
      literal(Value::int32(1)),
      literal(Value::int64(1)),
      literal(Value(kInt)),
      literal(Value(kBig)),
      more(1),
      more(0.0),
      more(-0.0),
      call("-", {column(0, kReal), real(1)}),
      cast(column(0, kInt), kBig),
      cast(column(0, kInt), kBig, true),
      coalesce({column(0, kInt), column(1, kInt)}),
      coalesce({column(0, kInt), column(1, kInt), column(2, kInt)}),
  };
  for (size_t a = 0; a < all.size(); ++a) {
    for (size_t b = 0; b < all.size(); ++b) EXPECT_EQ(equal(all[a], all[b]), a == b) << a << " and " << b;
  }
  EXPECT_TRUE(equal(more(2), more(2))) << "another object";
}

TEST(Expr, VolatileOnesAreNotEqual) {
  const ExprPtr random = call("random", {});
  EXPECT_FALSE(equal(random, random));
  EXPECT_FALSE(equal(call("+", {random, real(1)}), call("+", {random, real(1)})));
}

}  // namespace
}  // namespace lanewise
