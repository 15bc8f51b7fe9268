#include "ops/scan/bounds/needed_ranges.h"

#include <gtest/gtest.h>

#include <string>

#include "expr/functions/build.h"

namespace lanewise::ops {
namespace needed_ranges_test {

ExprPtr number(int32_t value) { return literal(Value::int32(value)); }
ExprPtr at(size_t index) { return column(index, TypeId::kInt32); }

std::string ranges(const std::vector<ExprPtr>& predicates) {
  std::string text;
  for (const NeededRange& range : needed_ranges(predicates))
    text += std::to_string(range.column) + ":" + range.least.to_string() + ".." + range.greatest.to_string() +
            " ";
  return text;
}

TEST(NeededRanges, AreThoseOfComparisonsWithConstants) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({call("=", {at(1), number(5)})}), "1:5..5 ");
  EXPECT_EQ(ranges({call(">=", {at(0), number(5)}), call("<", {at(0), number(9)})}), "0:5..9 ");
  EXPECT_EQ(ranges({call(">=", {number(5), at(0)})}), "0:NULL..5 ");
  EXPECT_EQ(ranges({call(">", {at(0), number(5)}), call(">", {at(0), number(3)})}), "0:5..NULL ");
  EXPECT_EQ(ranges({call("<=", {at(2), number(5)}), call("=", {at(0), number(1)})}), "2:NULL..5 0:1..1 ");
}

TEST(NeededRanges, AreThoseOfLists) {
  EXPECT_EQ(ranges({in_list(at(0), {number(7), number(-3), number(4)})}), "0:-3..7 ");
  EXPECT_EQ(ranges({in_list(at(0), {number(7), literal(Value(TypeId::kInt32))})}), "");
}

TEST(NeededRanges, NothingElseBounds) {
  EXPECT_EQ(ranges({call("<>", {at(0), number(5)}), call("=", {at(0), at(1)}),
                    call("=", {at(0), literal(Value(TypeId::kInt32))}), literal(Value::boolean(false)),
                    call("=", {call("+", {at(0), number(1)}), number(5)})}),
            "");
}

}  // namespace needed_ranges_test
}  // namespace lanewise::ops
