#include "expr/function.h"
#include "expr/arithmetic/functions.h"
#include "expr/comparisons/functions.h"
#include "expr/dates/functions.h"
#include "expr/functions/build.h"
#include "expr/math/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "base/testing/test_size.h"
#include "data/packed.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/functions.h"
#include "expr/nested/functions.h"
#include "expr/numbers.h"
#include "expr/testing/oracles.h"
#include "expr/vectors/loops.h"
#include "primitives/testing/random_column.h"

/// Every function on numbers, dates and nested values, for every list of up to three types that it takes: its
/// evaluator against its reference, over all forms of arguments, sets of rows, targets and sizes.
namespace lanewise {
namespace {

std::vector<Type> types() {
  std::vector<Type> result = random::all_types();
  for (const TimeUnit unit : {TimeUnit::kSecond, TimeUnit::kMilli, TimeUnit::kNano})
    result.push_back(Type::timestamp(unit));
  result.push_back(Type::decimal(15, 2));
  result.push_back(Type::decimal(38, 0));
  return result;
}

std::vector<Type> nested_types() {
  const Type number = TypeId::kInt32, real = TypeId::kFloat64, text = TypeId::kVarchar;
  const Type pair = Type::structure({{"a", number}, {"b", text}});
  return {number,
          TypeId::kInt64,
          text,
          real,
          pair,
          Type::list(number),
          Type::list(real),
          Type::list(text),
          Type::list(Type::list(number)),
          Type::list(pair),
          Type::array(number, 3),
          Type::map(text, number),
          Type::map(real, Type::list(text)),
          Type::list(TypeId::kInt64),
          Type::list(TypeId::kBool),
          TypeId::kInterval,
          Type::list(TypeId::kInterval)};
}

Value value(Type type, std::mt19937& random);

/// Elements repeat, and some are NULL; keys do neither.
Value nested_value(Type type, std::mt19937& random) {
  const auto element = [&](Type of) { return random() % 6 == 0 ? Value(of) : value(of, random); };
  std::vector<Value> values;
  if (type.id == TypeId::kStruct) {
    for (const Member& member : type.members()) values.push_back(element(member.type));
    return packed::pack(type, values);
  }
  const size_t count =
      type.id == TypeId::kArray ? type.nested->size : random() % 6 * (random() % 8 == 0 ? 9 : 1);
  while (values.size() < count) {
    if (type.id == TypeId::kMap) {
      Value key = value(type.members()[0].type, random);
      const auto is_key = [&](const Value& entry) { return packed::unpack(entry)[0] == key; };
      if (std::ranges::any_of(values, is_key)) break;
      values.push_back(packed::pack(type.element(), {std::move(key), element(type.members()[1].type)}));
    } else {
      values.push_back(!values.empty() && random() % 3 == 0 ? values[random() % values.size()]
                                                            : element(type.element()));
    }
  }
  return packed::pack(type, values);
}

/// A value of the type; half of the numbers are small, so that not everything overflows.
Value value(Type type, std::mt19937& random) {
  if (type.is_nested()) return nested_value(type, random);
  constexpr std::string_view kWords[] = {"hour", "minute", "second", "year",        "month",
                                         "day",  "us",     "epoch",  "NULLS FIRST", "DESC"};
  if (type.id == TypeId::kVarchar && random() % 2 == 0)
    return Value::varchar(std::string(kWords[random() % std::size(kWords)]));
  const Value any = random::value(type, random() % 200);
  if (type.is_float() && random() % 2 == 0) return {type, (static_cast<double>(random() % 9) - 4) / 4};
  if (!std::holds_alternative<int128_t>(any.held())) return any;
  const bool small = random() % 2 == 0;
  int128_t number =
      small && type.id != TypeId::kBool ? static_cast<int128_t>(random() % 40) - 20 : any.integer();
  const auto within = [&](int128_t limit) { number %= limit; };
  switch (type.id) {
    case TypeId::kDecimal:
      within(expr::power_of_ten(type.precision));
      break;
    case TypeId::kTime:
      within(86'400'000'000);
      if (number < 0) number = -number;
      break;
    case TypeId::kDate:
      if (small) number *= 9001;
      within(int128_t{1} << 31);
      break;
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      if (small) number *= 98'765'432'101;
      within((int128_t{1} << 63) - 1);
      break;
    default:
      break;
  }
  return {type, number};
}

/// A chunk of columns and literals for the arguments of a call.
struct TestChunk {
  Arena arena;
  std::vector<ColumnPtr> held;
  std::vector<Vector> columns;
  std::vector<ExprPtr> args;

  void add(Type type, uint32_t rows, bool literal_only, std::mt19937& random) {
    const int layout = literal_only ? 3 : static_cast<int>(random() % 4);
    std::vector<Value> values;
    for (uint32_t row = 0; row < rows + 3; ++row) {
      values.push_back(random() % 10 == 0 && !literal_only ? Value(type) : value(type, random));
    }
    ColumnPtr column = make_column(type, values);
    if (layout == 1) column = random::dictionary_of(*column);
    held.push_back(column);
    columns.push_back(layout < 2 ? slice(*column, 3, rows, arena) : constant(values[0], arena));
    args.push_back(layout == 3 ? literal(values[0]) : lanewise::column(columns.size() - 1, type));
  }
  std::vector<Value> row(uint32_t i) const {
    std::vector<Value> values;
    for (const Vector& vector : columns) values.push_back(value_at(vector, vector.constant ? 0 : i));
    return values;
  }
};

ActiveSet some_rows(uint32_t rows, double share, std::mt19937& random, Arena& arena) {
  const ActiveSet all(rows, arena);
  if (share >= 1) return all;
  auto* keep = arena.allocate<uint64_t>(bits::words(rows) + 1);
  std::fill_n(keep, bits::words(rows) + 1, 0);
  for (uint32_t row = 0; row < rows; ++row) {
    if (random() % 1000 < share * 1000) bits::set(keep, row);
  }
  return all.narrowed(keep);
}

std::string row_text(const Expr& expr, const TestChunk& chunk, uint32_t row) {
  std::string text = expr.to_string() + " of";
  for (const Value& value : chunk.row(row)) text += " [" + value.to_string() + "]";
  return text;
}

/// The same value, including the sign of zero and of NaN.
bool same(const Value& a, const Value& b) {
  return a == b && (a.is_null() || a.to_string() == b.to_string());
}

/// The entries whose references have run the evaluator's own function in this test.
std::set<const Function*> entries_sharing;

/// The number of rows compared; -1: the evaluator raises, as it should.
int check(const Expr& expr, const TestChunk& chunk, const ActiveSet& rows, lanes::Target target) {
  EvalContext context{.arena = &rows.arena(), .target = target};
  std::vector<std::optional<Value>> expected(rows.rows());
  bool raises = false;
  auto* sound = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
  std::fill_n(sound, bits::words(rows.rows()) + 1, 0);
  const uint64_t shared = expr::shared_references;
  rows.for_each([&](uint32_t row) {
    try {
      expected[row] = evaluate_reference(expr, chunk.row(row));
      bits::set(sound, row);
    } catch (const UserError&) {
      raises = true;
    }
  });
  if (expr::shared_references != shared) entries_sharing.insert(expr.function);
  if (raises) {
    EXPECT_THROW(evaluate(expr, chunk.columns, rows, context), UserError) << expr.to_string();
  }
  // Rows that would raise are removed: they must have no effect then.
  const ActiveSet active = rows.narrowed(sound);
  const Vector result = evaluate(expr, chunk.columns, active, context);
  EXPECT_EQ(result.type, expr.type);
  int compared = 0;
  active.for_each([&](uint32_t row) {
    const Value value = value_at(result, result.constant ? 0 : row);
    EXPECT_TRUE(same(value, *expected[row])) << row_text(expr, chunk, row) << " is " << value.to_string()
                                             << ", not " << expected[row]->to_string();
    ++compared;
  });
  if (expr.type.id == TypeId::kBool) {
    const ActiveSet kept = narrow(expr, chunk.columns, active, context);
    active.for_each([&](uint32_t row) {
      EXPECT_EQ(bits::test(kept.bitmap(), row), expected[row]->is_true()) << row_text(expr, chunk, row);
    });
    EXPECT_EQ(kept.count(), bits::count(kept.bitmap(), kept.rows()));
  }
  return compared;
}

ExprPtr try_call(std::string_view name, const std::vector<ExprPtr>& args) {
  try {
    return call(name, args);
  } catch (const UserError&) {
    return nullptr;  // it requires literals, or other literals
  }
}

/// The number of rows compared.
int check_signature(std::string_view name, const std::vector<Type>& args, std::mt19937& random) {
  int compared = 0;
  const std::vector<lanes::Target> targets = lanes::supported_targets();
  static const auto sizes =
      test_size<std::vector<uint32_t>>({0, 1, 33, 65, 400}, {0, 1, 31, 32, 33, 63, 64, 65, 1000});
  const bool is_slow = std::ranges::any_of(args, &Type::is_nested);  // the reference is
  for (const uint32_t rows : sizes) {
    if (is_slow && rows > 65) continue;
    for (const bool literals : {false, true}) {
      TestChunk chunk;
      for (size_t i = 0; i < args.size(); ++i) {
        // Literals where a function may require them: words first, then digits and formats.
        const bool literal_only =
            literals && args.size() > 1 && (args[0].id == TypeId::kVarchar ? i == 0 : i > 0);
        chunk.add(args[i], rows, literal_only, random);
      }
      const ExprPtr expr = try_call(name, chunk.args);
      if (!expr) continue;
      const double shares[] = {1, 1, 0.6, 0.05, 0};
      const ActiveSet active = some_rows(rows, shares[random() % 5], random, chunk.arena);
      compared += check(*expr, chunk, active, targets[random() % targets.size()]);
    }
  }
  return compared;
}

/// Those that take any values: no lambda, no name of an aggregate, no number of a field, no size of a list.
std::span<const Function> nested_parts() {
  static const std::vector<Function> all = [] {
    std::vector<Function> result;
    for (const auto part : {expr::list_functions(), expr::search_functions(), expr::order_functions(),
                            expr::struct_functions(), expr::map_functions()})
      result.insert(result.end(), part.begin(), part.end());
    std::erase_if(result, [](const Function& function) {
      return function.name == "list_resize" || function.name == "repeat" ||
             function.name == "struct_extract_at";
    });
    return result;
  }();
  return all;
}

struct Group {
  const char* name;
  std::span<const Function> (*functions)();
  std::vector<Type> (*types)();
};

class Functions : public ::testing::TestWithParam<Group> {};

TEST_P(Functions, EvaluatorEqualsReference) {
  std::mt19937 random(7);
  std::set<std::string_view> names;
  for (const Function& function : GetParam().functions()) names.insert(function.name);
  entries_sharing.clear();
  const std::vector<Type> all = GetParam().types();
  for (const std::string_view name : names) {
    int compared = 0;
    int signatures = 0;
    const auto visit = [&](const std::vector<Type>& args) {
      if (find_function(name, args) == nullptr || HasFailure()) return;
      if (signatures++ % test_size(3, 1) == 0) compared += check_signature(name, args, random);
    };
    visit({});
    for (const Type& a : all) {
      visit({a});
      for (const Type& b : all) {
        visit({a, b});
        if (a.id == TypeId::kVarchar || a == b) visit({a, b, b});
        if (a != b) visit({a, a, b});
      }
    }
    if (name == "make_timestamp") {
      const Type i = TypeId::kInt64;
      visit({i, i, i, i, i, TypeId::kFloat64});
    }
    EXPECT_GT(signatures, 0) << name;
    EXPECT_GT(compared, test_size(10, 50)) << name << " is hardly tested";
    if (HasFailure()) return;
  }
  for (const std::string_view name : names) {
    const auto entries = std::ranges::count(entries_sharing, name, &Function::name);
    const auto* oracle = std::ranges::find(oracles::kTable, name, &oracles::Oracle::name);
    EXPECT_EQ(entries, oracle == std::end(oracles::kTable) ? 0 : oracle->entries)
        << "entries of " << name
        << " that use reference_each(); oracles::kTable names tests with another oracle";
  }
}

/// The tests that oracles::kTable names exist.
TEST(Oracles, AreTests) {
  std::set<std::string> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k)
      tests.insert(std::string(suite.name()) + "." + suite.GetTestInfo(k)->name());
  }
  for (const oracles::Oracle& oracle : oracles::kTable) {
    std::istringstream names{std::string(oracle.tests)};
    for (std::string name; names >> name;) EXPECT_TRUE(tests.contains(name)) << oracle.name << ": " << name;
    EXPECT_GT(oracle.entries, 0) << oracle.name;
  }
}

TEST_P(Functions, AreDocumented) {
  for (const Function& function : GetParam().functions()) {
    EXPECT_FALSE(function.documentation.empty()) << function.name;
    EXPECT_FALSE(function.example.empty()) << function.name;
    EXPECT_TRUE(function.evaluate != nullptr || function.select != nullptr) << function.name;
    EXPECT_NE(function.reference, nullptr) << function.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Functions,
                         ::testing::Values(Group{"Comparisons", comparison_functions, types},
                                           Group{"Arithmetic", arithmetic_functions, types},
                                           Group{"Math", math_functions, types},
                                           Group{"Dates", date_functions, types},
                                           Group{"Nested", nested_parts, nested_types}),
                         [](const auto& group) { return std::string(group.param.name); });

TEST(FunctionTable, IsSortedAndComplete) {
  std::string_view last;
  for (const Function& function : functions()) {
    EXPECT_LE(last, function.name);
    last = function.name;
  }
  const Type i = TypeId::kInt32;
  EXPECT_NE(find_function("+", std::vector{i, i}), nullptr);
  EXPECT_EQ(find_function("mod", std::vector{i, i}), find_function("%", std::vector{i, i}));
  EXPECT_EQ(find_function("+", std::vector{i, Type(TypeId::kInt64)}), nullptr);
  EXPECT_EQ(find_function("no such function", {}), nullptr);
}

}  // namespace
}  // namespace lanewise
