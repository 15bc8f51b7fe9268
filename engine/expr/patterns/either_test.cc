#include "expr/patterns/either.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include "expr/function.h"

// For tests that the results equal those of the single patterns: random_expressions_test.cc and
// unite_test.cc.
namespace lanewise::expr {
namespace {

const Type kStrings = TypeId::kVarchar;

ExprPtr text_literal(std::string value) { return literal(Value::varchar(std::move(value))); }
ExprPtr test(std::string_view function, std::string pattern, size_t of = 0) {
  return call(function, {column(of, kStrings), text_literal(std::move(pattern))});
}
const Either* either_of(const ExprPtr& expr) { return static_cast<const Either*>(expr->prepared.get()); }

TEST(Either, TakesTestsOfOneColumn) {
  const ExprPtr expr = disjunction({test("contains", "README"), test("=", "x"), test("suffix", ".txt", 1),
                                    test("~~", "%COPYING%"), test("regexp_matches", "LICENSE")});
  ASSERT_NE(expr->prepared, nullptr);
  EXPECT_EQ(either_of(expr)->args, (std::vector<size_t>{0, 3, 4}));
  EXPECT_TRUE(expr->prepared->holds(3));
  EXPECT_FALSE(expr->prepared->holds(1));
  const std::string said = expr->prepared->describe(lanes::simd(), {});
  EXPECT_TRUE(said.starts_with("3 patterns in one pass: ")) << said;
}

TEST(Either, LeavesOtherTestsAlone) {
  const auto varying = call("contains", {column(0, kStrings), column(1, kStrings)});
  EXPECT_EQ(disjunction({test("contains", "a"), varying})->prepared, nullptr);
  EXPECT_EQ(disjunction({test("!~~", "%ab%"), test("!~~", "%cd%")})->prepared, nullptr);
  EXPECT_EQ(disjunction({test("contains", "README", 0), test("contains", "LICENSE", 1)})->prepared, nullptr);
}

TEST(Either, ReadsTheColumnThatTheOrReads) {
  const ExprPtr expr = disjunction({test("contains", "README", 2), test("contains", "LICENSE", 2)});
  ASSERT_NE(expr->prepared, nullptr);
  const ExprPtr other = remap(expr, {5, 6, 7});
  EXPECT_EQ(either_of(other)->test->args[0]->column, 7u);
  EXPECT_EQ(either_of(expr)->test->args[0]->column, 2u);
}

}  // namespace
}  // namespace lanewise::expr
