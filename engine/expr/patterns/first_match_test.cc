#include "expr/patterns/first_match.h"
#include "expr/functions/build.h"

#include <gtest/gtest.h>

#include <random>

#include "expr/evaluation/evaluate.h"
#include "expr/function.h"

namespace lanewise::expr {
namespace {

const Type kString = TypeId::kVarchar;

ExprPtr text(std::string value) { return literal(Value::varchar(std::move(value))); }
ExprPtr regex(std::string pattern, size_t of = 0) {
  return call("regexp_matches", {column(of, kString), text(std::move(pattern))});
}
ExprPtr dear_case(size_t of = 0) {
  return case_when({regex("[0-9]a|b[0-9]", of), text("digits"), call("=", {column(of, kString), text("b")}),
                    text("b"), disjunction({regex("^(a.)*$", of), regex("(bb|ab)+$", of)}), text("pairs"),
                    regex("[ab][ab].*[0-9]", of), text("mixed"), text("other")});
}
const FirstMatch* first_match_of(const ExprPtr& expr) {
  return static_cast<const FirstMatch*>(expr->prepared.get());
}
/// The same CASE, whose conditions are tested one by one.
ExprPtr one_by_one(const ExprPtr& expr) {
  auto plain = std::make_shared<Expr>(*expr);
  plain->prepared = nullptr;
  return plain;
}

TEST(FirstMatch, TakesConditionsOfOneColumn) {
  const ExprPtr expr = dear_case();
  ASSERT_NE(expr->prepared, nullptr);
  // An OR is one pattern where that costs less on this machine.
  const bool is_united = expr->args[4]->prepared != nullptr;
  EXPECT_EQ(first_match_of(expr)->args(),
            is_united ? (std::vector<size_t>{0, 4, 6}) : (std::vector<size_t>{0, 6}));
  const std::string said = expr->prepared->describe(lanes::simd(), {});
  EXPECT_NE(said.find(" patterns in one pass, the first that matches: "), said.npos) << said;
  EXPECT_NE(said.find(", one by one "), said.npos) << said;
  EXPECT_EQ(first_match_of(remap(expr, {7}))->text().column, 7u);
}

TEST(FirstMatch, LeavesCheapAndOtherConditionsAlone) {
  const auto of = [](ExprPtr one, ExprPtr other) {
    return case_when({std::move(one), text("x"), std::move(other), text("y")})->prepared;
  };
  EXPECT_EQ(of(regex("[0-9]a|b[0-9]", 0), regex("[0-9]a|b[0-9]", 1)), nullptr);
  EXPECT_EQ(of(regex("[0-9]a|b[0-9]"), call("regexp_matches", {column(0, kString), column(1, kString)})),
            nullptr);
  // Each alone is found faster than any automaton steps.
  EXPECT_EQ(of(call("prefix", {column(0, kString), text("usr")}),
               call("prefix", {column(0, kString), text("bin")})),
            nullptr);
}

TEST(FirstMatch, AnswersAsTheConditionsOneByOne) {
  std::mt19937 random(3);
  for (size_t rows : {1, 31, 64, 65, 1000}) {
    std::vector<Value> values;
    for (size_t i = 0; i < rows; ++i) {
      std::string value;
      for (size_t n = random() % 9; n > 0; --n) value += "ab1c"[random() % 4];
      values.push_back(random() % 7 ? Value::varchar(value) : Value(kString));
    }
    const ColumnPtr strings = make_column(kString, values);
    for (lanes::Target target : lanes::supported_targets()) {
      Arena arena;
      EvalContext context{.arena = &arena, .target = target};
      const uint32_t first = rows > 40 ? 9 : 0, count = static_cast<uint32_t>(rows) - first;
      const Vector vectors[] = {slice(*strings, first, count, arena)};
      auto* some = arena.allocate<uint64_t>(bits::words(count) + 1);
      for (size_t word = 0; word < bits::words(count); ++word) some[word] = random() * uint64_t{random()};
      const ActiveSet all(count, arena);
      for (const ActiveSet& active : {all, all.narrowed(some)}) {
        const Vector result = evaluate(*dear_case(), vectors, active, context);
        const Vector expected = evaluate(*one_by_one(dear_case()), vectors, active, context);
        active.for_each([&](uint32_t row) {
          EXPECT_EQ(value_at(result, row), value_at(expected, row)) << lanes::name(target) << ", row " << row;
        });
      }
    }
  }
}

}  // namespace
}  // namespace lanewise::expr
