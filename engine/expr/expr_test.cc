#include "expr/expr.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include <limits>

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

ExprPtr like(const char* pattern) {
  return call("~~", {column(0, TypeId::kVarchar), literal(Value::varchar(pattern))});
}
ExprPtr decimal(uint8_t precision, uint8_t scale, int64_t unscaled) {
  return literal(Value(Type::decimal(precision, scale), int128_t{unscaled}));
}
ExprPtr interval(int32_t months, int32_t days) {
  return literal(Value(TypeId::kInterval, Interval{months, days, 0}));
}

/// Each is made twice, since equal objects are equal too.
std::vector<ExprPtr> look_alikes() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ExprPtr i = column(0, kInt), text = column(0, TypeId::kVarchar);
  return {call("+", {literal(Value::int32(1)), i}),
          call("+", {literal(Value::int64(1)), cast(i, kBig)}),
          cast(call("+", {literal(Value::int32(1)), i}), kBig),
          real(0.0),
          real(-0.0),
          real(nan),
          real(-nan),
          literal(Value(TypeId::kFloat32, 0.0)),
          literal(Value(kReal)),
          decimal(4, 1, 10),
          decimal(4, 2, 100),
          decimal(5, 2, 100),
          decimal(4, 2, 10),
          interval(1, 0),
          interval(0, 30),
          literal(Value::varchar("NULL")),
          literal(Value(TypeId::kVarchar)),
          literal(Value(TypeId::kBlob, Value::Text("NULL"))),
          cast(text, kInt),
          cast(text, kInt, true),
          cast(text, kBig),
          like("a%"),
          like("a%b"),
          like("%a"),
          disjunction({like("a%"), like("%b")}),
          disjunction({like("%b"), like("a%")}),
          in_list(text, {literal(Value::varchar("a")), literal(Value::varchar("b"))}),
          in_list(text, {literal(Value::varchar("a")), literal(Value::varchar("c"))})};
}

TEST(Expr, EqualComparesTypesAndBitsOfLiterals) {
  const std::vector<ExprPtr> all = look_alikes(), again = look_alikes();
  for (size_t a = 0; a < all.size(); ++a) {
    for (size_t b = 0; b < all.size(); ++b)
      EXPECT_EQ(equal(all[a], again[b]), a == b) << all[a]->to_string() << " and " << again[b]->to_string();
  }
}

TEST(Expr, VolatileOnesAreNotEqual) {
  const ExprPtr random = call("random", {});
  EXPECT_FALSE(equal(random, random));
  EXPECT_FALSE(equal(call("+", {random, real(1)}), call("+", {random, real(1)})));
}

}  // namespace
}  // namespace lanewise
