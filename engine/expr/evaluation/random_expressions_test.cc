#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "base/testing/test_size.h"
#include "expr/evaluation/evaluate.h"
#include "expr/testing/random_expressions.h"

/// Random trees of AND, OR, NOT, CASE, COALESCE, IN, BETWEEN, comparisons, arithmetic and casts: vectorised
/// evaluation equals the reference for the active rows, and raises only for them.
namespace lanewise {
namespace {

using random::Generator;

constexpr uint32_t kSizes[] = {0, 1, 31, 33, 64, 65, 130, 1000};

void check_random(const Expr& expr, const std::vector<Vector>& columns, const ActiveSet& rows,
                  lanes::Target target) {
  Arena& arena = rows.arena();
  EvalContext context{.arena = &arena, .target = target};
  std::vector<std::optional<Value>> expected(rows.rows());
  auto* sound = arena.allocate<uint64_t>(bits::words(rows.rows()) + 1);
  std::fill_n(sound, bits::words(rows.rows()) + 1, 0);
  bool raises = false;
  rows.for_each([&](uint32_t row) {
    std::vector<Value> values;
    for (const Vector& vector : columns) values.push_back(value_at(vector, row));
    try {
      expected[row] = evaluate_reference(expr, values);
      bits::set(sound, row);
    } catch (const UserError&) {
      raises = true;
    }
  });
  if (raises) {
    EXPECT_THROW(evaluate(expr, columns, rows, context), UserError) << expr.to_string();
  }
  const ActiveSet active = rows.narrowed(sound);
  const Vector result = evaluate(expr, columns, active, context);
  active.for_each([&](uint32_t row) {
    const Value got = value_at(result, result.constant ? 0 : row);
    ASSERT_TRUE(got == *expected[row]) << expr.to_string() << " in row " << row << " is " << got.to_string()
                                       << ", not " << expected[row]->to_string();
  });
  if (expr.type.id != TypeId::kBool) return;
  const ActiveSet kept = narrow(expr, columns, active, context);
  active.for_each([&](uint32_t row) {
    ASSERT_EQ(bits::test(kept.bitmap(), row), expected[row]->is_true())
        << expr.to_string() << " in row " << row;
  });
}

TEST(Expressions, RandomTreesEqualTheirReference) {
  Generator generator;
  generator.random.seed(11);
  for (const Type& type : random::all_types()) generator.columns.push_back(type);
  generator.columns.push_back(TypeId::kInt32);
  generator.columns.push_back(TypeId::kVarchar);
  const std::vector<lanes::Target> targets = lanes::supported_targets();
  for (int trial = 0; trial < test_size(300, 1500) && !::testing::Test::HasFailure(); ++trial) {
    const uint32_t rows = kSizes[generator.pick(std::size(kSizes))];
    Arena arena;
    std::vector<ColumnPtr> held;
    std::vector<Vector> columns;
    for (const Type& type : generator.columns) {
      std::vector<Value> values;
      for (uint32_t row = 0; row < rows + 2; ++row) {
        values.push_back(generator.pick(7) == 0 ? Value(type) : Generator::value(type, generator.pick(30)));
      }
      ColumnPtr column = make_column(type, values);
      if (generator.pick(4) == 0) column = random::dictionary_of(*column);
      held.push_back(column);
      columns.push_back(slice(*column, 2, rows, arena));
    }
    ActiveSet active(rows, arena);
    if (generator.pick(2) == 0) {
      auto* keep = arena.allocate<uint64_t>(bits::words(rows) + 1);
      const uint32_t one_of = 1 + generator.pick(12);
      std::fill_n(keep, bits::words(rows) + 1, 0);
      for (uint32_t row = 0; row < rows; ++row) {
        if (generator.pick(one_of) == 0) bits::set(keep, row);
      }
      active.narrow(keep);
    }
    const Type type = generator.pick(2) == 0 ? Type(TypeId::kBool) : generator.any_type();
    check_random(*generator.any(type, 4), columns, active,
                 targets[generator.pick(static_cast<uint32_t>(targets.size()))]);
  }
}

}  // namespace
}  // namespace lanewise
