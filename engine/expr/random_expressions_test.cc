#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "base/testing/test_size.h"
#include "expr/casts/cast.h"
#include "expr/evaluate.h"
#include "expr/function.h"
#include "primitives/random_column.h"

/// Random trees of AND, OR, NOT, CASE, COALESCE, IN, BETWEEN, comparisons, arithmetic and casts: vectorised
/// evaluation equals the reference for the active rows, and raises only for them.
namespace lanewise {
namespace {

constexpr uint32_t kSizes[] = {0, 1, 31, 33, 64, 65, 130, 1000};

struct Generator {
  std::mt19937 random;
  std::vector<Type> columns;

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  static Value value(Type type, uint32_t k) {
    const Value any = random::value(type, k);
    if (type.id == TypeId::kVarchar && k % 2 == 0)
      return Value::varchar(std::to_string(static_cast<int>(k) - 5));
    if (!std::holds_alternative<int128_t>(any.held()) || type.id == TypeId::kBool) return any;
    if (type.id == TypeId::kTime)
      return {type, any.integer() < 0 ? -(any.integer() % 86'400'000'000) : any.integer() % 86'400'000'000};
    return {type, any.integer() % 1000};
  }

  ExprPtr leaf(Type type) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == type) fitting.push_back(i);
    }
    if (!fitting.empty() && pick(4) != 0)
      return column(fitting[pick(static_cast<uint32_t>(fitting.size()))], type);
    return literal(pick(8) == 0 ? Value(type) : value(type, pick(30)));
  }

  std::vector<ExprPtr> some(Type type, uint32_t least, int depth) {
    std::vector<ExprPtr> result;
    for (uint32_t n = least + pick(3); n > 0; --n) result.push_back(any(type, depth));
    return result;
  }

  Type any_type() { return columns[pick(static_cast<uint32_t>(columns.size()))]; }

  /// Constant patterns asked of one column, which an OR unites, among other conditions.
  std::vector<ExprPtr> pattern_tests(int depth) {
    constexpr std::string_view kTests[] = {"contains", "prefix", "suffix", "~~*", "regexp_matches"};
    constexpr const char* kPatterns[] = {"1", "-", "a", "ab", "", "\xC3\xA4"};
    std::vector<ExprPtr> tests = some(TypeId::kBool, 0, depth);
    const size_t text = columns.size() - 1;
    for (uint32_t n = 1 + pick(4); n > 0; --n) {
      const Value pattern = Value::varchar(kPatterns[pick(std::size(kPatterns))]);
      tests.push_back(call(kTests[pick(std::size(kTests))], {column(text, columns[text]), literal(pattern)}));
    }
    return tests;
  }

  ExprPtr condition(int depth) {
    const Type type = any_type();
    switch (pick(9)) {
      case 0:
        return conjunction(some(TypeId::kBool, 2, depth));
      case 1:
        return disjunction(some(TypeId::kBool, 2, depth));
      case 2:
        return call("NOT", {any(TypeId::kBool, depth)});
      case 3:
        return call(pick(2) == 0 ? "IS NULL" : "IS NOT NULL", {any(type, depth)});
      case 4: {
        std::vector<ExprPtr> items;
        const bool literals = pick(2) == 0;
        for (uint32_t n = 1 + pick(12); n > 0; --n) {
          items.push_back(literals ? literal(pick(10) == 0 ? Value(type) : value(type, pick(30)))
                                   : leaf(type));
        }
        return in_list(any(type, depth), items);
      }
      case 5:
        return call("BETWEEN", {any(type, depth), leaf(type), leaf(type)});
      case 6:
        return disjunction(pattern_tests(depth));
      default: {
        constexpr std::string_view kNames[] = {
            "=", "<>", "<", ">", "<=", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"};
        return call(kNames[pick(std::size(kNames))], {any(type, depth), any(type, depth)});
      }
    }
  }

  ExprPtr any(Type type, int depth) {
    if (depth == 0 || pick(5) == 0) return leaf(type);
    --depth;
    if (type.id == TypeId::kBool && pick(4) != 0) return condition(depth);
    switch (pick(5)) {
      case 0: {
        std::vector<ExprPtr> args;
        for (uint32_t n = 1 + pick(2); n > 0; --n) {
          args.push_back(any(TypeId::kBool, depth));
          args.push_back(any(type, depth));
        }
        if (pick(3) != 0) args.push_back(any(type, depth));
        return case_when(args);
      }
      case 1:
        return coalesce(some(type, 1, depth));
      case 2: {
        const Type from = any_type();
        if (!expr::can_cast(from, type)) return leaf(type);
        return cast(any(from, depth), type, pick(3) != 0);
      }
      default:
        if (type.is_integer() || type.is_float()) {
          constexpr std::string_view kNames[] = {"+", "-", "*", "//", "%"};
          return call(kNames[pick(std::size(kNames))], {any(type, depth), any(type, depth)});
        }
        return leaf(type);
    }
  }
};

void check(const Expr& expr, const std::vector<Vector>& columns, const ActiveSet& rows,
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
    check(*generator.any(type, 4), columns, active,
          targets[generator.pick(static_cast<uint32_t>(targets.size()))]);
  }
}

}  // namespace
}  // namespace lanewise
