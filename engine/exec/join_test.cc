#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>
#include <thread>

#include "base/error.h"
#include "base/spill_file.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "exec/execute.h"
#include "expr/functions/build.h"
#include "ops/scan/slicing.h"
#include "plan/testing/plan_oracle.h"

namespace lanewise::exec {
namespace join_test {

using plan::JoinKind;

constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft,  JoinKind::kRight,     JoinKind::kFull,
                               JoinKind::kSemi,  JoinKind::kAnti,  JoinKind::kRightSemi, JoinKind::kRightAnti,
                               JoinKind::kMark,  JoinKind::kSingle};

constexpr Type kKeyTypes[] = {TypeId::kInt32,      TypeId::kInt64,       TypeId::kVarchar, TypeId::kFloat64,
                              Type::decimal(9, 2), Type::decimal(30, 2), TypeId::kInt128,  TypeId::kBool,
                              TypeId::kDate,       TypeId::kInterval,    TypeId::kBlob,    TypeId::kUuid};

Value widened(int64_t number, Type type) {
  const int128_t wide = static_cast<int128_t>(number - 2) * INT64_MAX;
  switch (type.id) {
    case TypeId::kBlob:
      return {type, std::string(static_cast<size_t>(number % 40), '\xff') + '\0'};
    case TypeId::kInt128:
    case TypeId::kUuid:
      return {type, wide};
    case TypeId::kDecimal:
      return {type, type.physical() == Physical::kInt128 ? wide : int128_t{number - 2}};
    case TypeId::kBool:
      return Value::boolean(number % 2 != 0);
    case TypeId::kDate:
      return {type, int128_t{number - 2}};
    case TypeId::kInterval:
      return {type, Interval{static_cast<int32_t>(number), 0, 0}};
    case TypeId::kVarchar:
      return Value::varchar(number % 3 == 0 ? std::string("a\0b", 3) + std::to_string(number)
                                            : std::string(static_cast<size_t>(number % 40), 'x') + "é");
    case TypeId::kFloat64:
      return Value::float64(number == 0   ? -0.0
                            : number == 1 ? std::nan("")
                                          : static_cast<double>(number) / 4);
    case TypeId::kInt64:
      return Value::int64(number * 1'000'000'007);  // too wide for an array
    default:
      return Value::int32(static_cast<int32_t>(number));
  }
}

/// Two keys, each with `distinct` values and NULLs, and a number.
plan::NodePtr side(Type first, Type second, size_t rows, int64_t distinct, bool nulls, std::mt19937& random) {
  auto table = std::make_shared<Table>();
  table->schema = {{"a", first}, {"b", second}, {"v", TypeId::kInt32}};
  std::vector<Value> a, b, v;
  const auto key = [&](Type type, int64_t number) {
    if (nulls && random() % 7 == 0) return Value(type);
    if (type == TypeId::kFloat64 && number == 0 && random() % 2 == 0) return Value::float64(0.0);
    if (type == TypeId::kInterval && random() % 2 == 0)  // a month has 30 days
      return Value(type, Interval{0, static_cast<int32_t>(number * 30), 0});
    return widened(number, type);
  };
  for (size_t row = 0; row < rows; ++row) {
    a.push_back(key(first, static_cast<int64_t>(random()) % distinct));
    b.push_back(key(second, static_cast<int64_t>(random() % 2)));
    v.push_back(random() % 9 == 0 ? Value(TypeId::kInt32)
                                  : Value::int32(static_cast<int32_t>(random() % 100)));
  }
  table->batches.push_back({static_cast<int64_t>(rows),
                            {make_column(first, a), make_column(second, b), make_column(TypeId::kInt32, v)}});
  return plan::values(table);
}

plan::Join join_of(JoinKind kind) {
  plan::Join join;
  join.kind = kind;
  if (plan::gives_left(kind)) join.left = {2, 0, 1};
  if (plan::gives_right(kind)) join.right = {1, 2};
  return join;
}

plan::Rows sorted(plan::Rows rows) {
  std::vector<std::pair<std::string, plan::Row>> keyed;
  for (plan::Row& row : rows) {
    std::string text;
    for (const Value& value : row) text += (value.is_null() ? "NULL" : value.to_string()) + "|";
    keyed.emplace_back(std::move(text), std::move(row));
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  plan::Rows out;
  for (auto& [text, row] : keyed) out.push_back(std::move(row));
  return out;
}

std::vector<std::string> texts(const plan::Rows& rows) {
  std::vector<std::string> all;
  for (const plan::Row& row : sorted(rows)) {
    std::string& text = all.emplace_back();
    for (const Value& value : row) text += (value.is_null() ? "NULL" : value.to_string()) + "|";
  }
  return all;
}

void expect_oracles_rows(const plan::NodePtr& plan, const std::string& what) {
  std::vector<std::string> expected;
  std::string message;
  try {
    expected = texts(plan::PlanOracle().rows(*plan));
  } catch (const UserError& error) {
    message = error.what();
  }
  for (const uint32_t vector_rows : {1, 7, 0}) {
    for (const int threads : {1, 3}) {
      if (kSanitized && (vector_rows == 1 || (vector_rows == 7) == (threads == 1))) continue;
      ops::Options options;
      options.threads = threads;
      options.vector_rows = vector_rows;
      options.join_parts = vector_rows == 7 ? 3 : 0;
      options.target = threads == 1 ? lanes::simd() : lanes::Target::emulated;
      options.tuning.pairs = vector_rows == 0   ? lanes::PairForm::automatic
                             : vector_rows == 1 ? lanes::PairForm::refill
                             : threads == 1     ? lanes::PairForm::naive
                                                : lanes::PairForm::balanced;
      MemoryBudget budget;
      options.budget = &budget;
      try {
        const Result result = execute(plan, options);
        ASSERT_EQ(message, "") << what;
        ASSERT_EQ(texts(plan::rows_of(result.table)), expected) << what << ", vectors of " << vector_rows;
      } catch (const UserError& error) {
        ASSERT_EQ(error.what(), message) << what;
      }
      ASSERT_EQ(budget.used(), 0u) << what;
    }
  }
}

struct Sizes {
  size_t left, right;
  int64_t distinct;
};

class Kinds : public testing::TestWithParam<JoinKind> {};

TEST_P(Kinds, GiveTheOraclesRows) {
  std::mt19937 random(7);
  const Type types[][2] = {{TypeId::kInt32, TypeId::kInt32},   {TypeId::kInt64, TypeId::kInt64},
                           {TypeId::kVarchar, TypeId::kInt32}, {TypeId::kFloat64, TypeId::kVarchar},
                           {kKeyTypes[4], TypeId::kDate},      {kKeyTypes[5], TypeId::kBool},
                           {TypeId::kInt128, TypeId::kBlob},   {TypeId::kUuid, TypeId::kInterval}};
  const Sizes sizes[] = {{0, 5, 3},     {5, 0, 3},   {1, 1, 1},   {33, 64, 20},
                         {64, 31, 200}, {65, 63, 4}, {120, 33, 1}};
  for (size_t t = 0; t < std::size(types); ++t) {
    const auto& [first, second] = types[t];
    for (const Sizes& size : sizes) {  // each has other forms
      const int step = test_size(5, 2, 1) * (t < 4 ? 1 : 3);
      const int offset = static_cast<int>(t < 4 ? &size - sizes : 3 * (&size - sizes) + t);
      for (int form = offset % step; form < 16; form += step) {
        const bool nulls = form % 2 == 1;
        const plan::NodePtr left = side(first, second, size.left, size.distinct, nulls, random);
        const plan::NodePtr right = side(first, second, size.right, size.distinct, nulls, random);
        plan::Join join = join_of(GetParam());
        const auto key = [&](size_t i, bool null_is_equal) {
          const Type type = i == 0 ? first : second;
          join.keys.push_back({column(i, type), column(i, type), null_is_equal});
        };
        const ExprPtr less = call("<", {column(2, TypeId::kInt32), column(5, TypeId::kInt32)});
        const bool has_range =
            form / 2 >= 5 && GetParam() != JoinKind::kMark && GetParam() != JoinKind::kSingle;
        if (form / 2 != 4 && form / 2 != 5) key(0, form / 2 == 2);
        if (form / 2 == 1 || form / 2 == 2) key(1, false);
        if (form / 2 == 2 || form / 2 == 3 || form / 2 == 4) join.condition = less;
        if (has_range) {
          join.range = {static_cast<plan::RangeOrder>(random() % 4), column(2, TypeId::kInt32),
                        column(2, TypeId::kInt32), form / 2 == 7 || random() % 4 == 0};
          if (random() % 3 == 0) join.range->left = join.range->right = column(1, second);
          if (random() % 4 == 0) join.condition = call("<>", {column(0, first), column(3, first)});
        }
        if (GetParam() == JoinKind::kSingle && form % 3 == 0) join.message = "several rows";
        expect_oracles_rows(plan::join(left, right, join),
                            std::string(plan::name(GetParam())) + ", " + Type(first).name() + ", form " +
                                std::to_string(form) + ", " + std::to_string(size.left) + " x " +
                                std::to_string(size.right));
        if (HasFatalFailure()) return;
      }
    }
  }
}

using ops::LookupForm;
struct Forced {
  LookupForm form;
  const char* name;  ///< part of the lookup's name
};
constexpr Forced kForced[] = {{LookupForm::hash, "-bit keys"},
                              {LookupForm::bytes, "keys as bytes"},
                              {LookupForm::direct, "array by"},
                              {LookupForm::bitmap, "bitmap of"}};

/// Whether keys of the type, as widened() makes them, allow the lookup.
bool allow(Type type, LookupForm form, JoinKind kind) {
  const bool is_word = !type.is_string() && width(type.physical()) <= sizeof(uint64_t);
  if (form == LookupForm::bytes) return true;
  if (form == LookupForm::hash) return is_word;
  const bool is_narrow = is_word && !type.is_float() && type != TypeId::kInt64;
  const bool exists = kind == JoinKind::kSemi || kind == JoinKind::kAnti || kind == JoinKind::kMark;
  return is_narrow && (form == LookupForm::direct || exists);
}

/// Keys 0, 1, ... of one column, each as often as `counts` says, and a NULL, in any order; and row numbers.
plan::NodePtr runs_of_keys(Type type, const std::vector<size_t>& counts, std::mt19937& random) {
  std::vector<Value> keys = {Value(type)}, numbers;
  for (size_t key = 0; key < counts.size(); ++key)
    keys.insert(keys.end(), counts[key], widened(static_cast<int64_t>(key), type));
  std::shuffle(keys.begin(), keys.end(), random);
  for (size_t row = 0; row < keys.size(); ++row) numbers.push_back(Value::int64(static_cast<int64_t>(row)));
  auto table = std::make_shared<Table>();
  table->schema = {{"k", type}, {"v", TypeId::kInt64}};
  table->batches.push_back(
      {static_cast<int64_t>(keys.size()), {make_column(type, keys), make_column(TypeId::kInt64, numbers)}});
  return plan::values(table);
}

/// How the keys of the plan's join were found.
std::string lookup_of(const Result& result) {
  for (const ops::OperatorProfile& op : result.profile)
    if (op.name == "Join" && op.keys.size() == 1) return op.keys[0];
  return "";
}

TEST_P(Kinds, FindRunsByEachLookup) {
  std::mt19937 random(8);
  for (const Type type : kKeyTypes) {
    const size_t many = type == TypeId::kInt32 || type == TypeId::kVarchar ? 1'000 : 1;
    plan::Join join;
    join.kind = GetParam();
    join.keys.push_back({column(0, type), column(0, type)});
    if (plan::gives_left(join.kind)) join.left = {0, 1};
    if (plan::gives_right(join.kind)) join.right = {1};
    const plan::NodePtr plan = plan::join(runs_of_keys(type, {2, 1, 1, 1, 2}, random),
                                          runs_of_keys(type, {31, 32, 33, many}, random), join);
    const std::vector<std::string> expected = texts(plan::PlanOracle().rows(*plan));
    for (const auto& [form, name] : kForced) {
      ops::Options options;
      options.threads = 2;
      options.target = lanes::simd();
      options.join_lookup = form;
      const Result result = execute(plan, options);
      ASSERT_EQ(texts(plan::rows_of(result.table)), expected) << Type(type).name() << ", " << name;
      const std::string lookup = lookup_of(result);
      const bool allowed = allow(type, form, join.kind);
      ASSERT_EQ(lookup.ends_with(": forced") && lookup.find(name) != std::string::npos, allowed)
          << Type(type).name() << ", " << name << ": " << lookup;
      ASSERT_EQ(lookup.find("the forced lookup is not possible") == std::string::npos, allowed) << lookup;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Join, Kinds, testing::ValuesIn(kKinds), [](const auto& param) {
  std::string name = plan::name(param.param);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

/// Rows of one number each.
plan::NodePtr numbers(size_t rows, const std::function<int64_t(size_t)>& number) {
  auto table = std::make_shared<Table>();
  table->schema = {{"k", TypeId::kInt64}, {"v", TypeId::kInt64}};
  std::vector<Value> k, v;
  for (size_t row = 0; row < rows; ++row) {
    k.push_back(Value::int64(number(row)));
    v.push_back(Value::int64(static_cast<int64_t>(row)));
  }
  table->batches.push_back(
      {static_cast<int64_t>(rows), {make_column(TypeId::kInt64, k), make_column(TypeId::kInt64, v)}});
  return plan::values(table);
}

plan::NodePtr equal_keys(JoinKind kind, const plan::NodePtr& left, const plan::NodePtr& right) {
  plan::Join join;
  join.kind = kind;
  join.keys.push_back({column(0, TypeId::kInt64), column(0, TypeId::kInt64)});
  if (plan::gives_left(kind)) join.left = {1};
  if (plan::gives_right(kind)) join.right = {1};
  return plan::join(left, right, join);
}

plan::NodePtr cross(const plan::NodePtr& left, const plan::NodePtr& right) {
  plan::Join join;
  join.left = join.right = {0};
  return plan::join(left, right, join);
}

plan::NodePtr counted(const plan::NodePtr& rows) {
  plan::AggregateCall count;
  count.function = "count_star";
  count.type = TypeId::kInt64;
  return plan::aggregate(rows, {}, {count}, {"n"});
}

int64_t count_of(const plan::NodePtr& rows, int threads = 2) {
  ops::Options options;
  options.threads = threads;
  return static_cast<int64_t>(execute(counted(rows), options).table.value(0, 0).integer());
}

TEST(Slicing, ThreadsShareFewRowsThatExpand) {
  ops::Options options;
  options.threads = 4;
  EXPECT_EQ(slicing_for(options, 64, true).vector_rows, 4u);
  EXPECT_EQ(slicing_for(options, 64, true).morsel_rows, 4);
  EXPECT_EQ(slicing_for(options, 3, true).vector_rows, 1u);
  EXPECT_EQ(slicing_for(options, 1 << 24, true).vector_rows, slicing_for(options, 1 << 24).vector_rows);
  EXPECT_EQ(slicing_for(options, 64).vector_rows, slicing_for(options, -1).vector_rows);
  options.threads = 1;
  EXPECT_EQ(slicing_for(options, 64, true).vector_rows, slicing_for(options, -1).vector_rows);
}

TEST(Join, FillsManyPartsAtOnce) {
  const size_t rows = test_size(50'000, 300'000);
  const auto spread = [](size_t row) { return static_cast<int64_t>(row * 0x9e3779b97f4a7c15u); };
  const plan::NodePtr right = numbers(rows, spread);
  const plan::NodePtr left = numbers(rows * 2, spread);
  for (const int threads : {1, 4}) {
    EXPECT_EQ(count_of(equal_keys(JoinKind::kInner, left, right), threads), rows);
    EXPECT_EQ(count_of(equal_keys(JoinKind::kLeft, left, right), threads), rows * 2);
    EXPECT_EQ(count_of(equal_keys(JoinKind::kFull, right, left), threads), rows * 2);
    EXPECT_EQ(count_of(equal_keys(JoinKind::kAnti, left, right), threads), rows);
    EXPECT_EQ(count_of(equal_keys(JoinKind::kRightAnti, right, left), threads), rows);
  }
}

TEST(Join, ExpandsFarBeyondASlice) {
  const auto same = [](size_t) { return int64_t{5}; };
  const plan::NodePtr left = numbers(1'000, same), right = numbers(3'001, same);
  EXPECT_EQ(count_of(equal_keys(JoinKind::kInner, left, right)), 3'001'000);
  EXPECT_EQ(count_of(plan::limit(equal_keys(JoinKind::kInner, left, right), 12'345, 678)), 12'345);
  EXPECT_EQ(count_of(cross(left, right)), 3'001'000);
}

TEST(Join, StopsAtTheLimitWithinARow) {
  const auto same = [](size_t) { return int64_t{5}; };
  // 10^10 pairs, of which ten are requested.
  const plan::NodePtr many = numbers(100'000, same);
  EXPECT_EQ(count_of(plan::limit(cross(many, many), 10)), 10);
}

TEST(Join, IsCancelledWithinARow) {
  const auto same = [](size_t) { return int64_t{5}; };
  const plan::NodePtr many = numbers(100'000, same);
  Cancellation cancellation;
  ops::Options options;
  options.cancellation = &cancellation;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancellation.cancel();
  });
  EXPECT_THROW(execute(counted(cross(many, many)), options), CancelledError);
  other.join();
}

TEST(Join, RunsInPartsWhereMemoryIsLittle) {
  const auto scattered = [](size_t row) { return static_cast<int64_t>(row % 3'000 * 1'000'003); };
  const plan::NodePtr left = numbers(10'000, scattered), right = numbers(4'000, scattered);
  const plan::NodePtr wider =
      plan::union_all({left, numbers(5'000, [](size_t row) { return static_cast<int64_t>(row); })});
  const TemporaryFolder folder;
  for (const JoinKind kind : kKinds) {
    if (kind == JoinKind::kSingle) continue;
    // A join above a join, together with outer rows.
    plan::Join keys;
    keys.keys.push_back({column(0, TypeId::kInt64), column(0, TypeId::kInt64)});
    keys.left = {0, 1};
    keys.right = {1};
    const plan::NodePtr below = plan::join(wider, right, keys);
    const plan::NodePtr whole =
        plan::union_all({equal_keys(kind, below, right), equal_keys(kind, left, right)});
    ops::Options options;
    options.threads = 3;
    const auto expected = texts(plan::rows_of(execute(whole, options).table));
    for (const bool forced : {false, true}) {
      MemoryBudget budget(forced ? SIZE_MAX : size_t{1} << 18);
      budget.spill_to(std::make_shared<SpillFile>(folder.path().string()));
      options.budget = &budget;
      options.join_parts = forced ? 16 : 0;
      {
        const Result result = execute(whole, options);
        EXPECT_EQ(texts(plan::rows_of(result.table)), expected) << plan::name(kind);
        EXPECT_EQ(budget.spill_file()->take_peak() == 0, forced) << plan::name(kind);
      }
      EXPECT_EQ(budget.used(), 0u);
      EXPECT_EQ(budget.spill_file()->used(), 0u);
    }
  }
}

TEST(Join, PartsMeetJoinsThatAreWhole) {
  const auto few = [](size_t row) { return static_cast<int64_t>(row % 37); };
  const plan::NodePtr left = numbers(100, few), right = numbers(60, few), small = numbers(5, few);
  plan::Join keys;
  keys.keys.push_back({column(0, TypeId::kInt64), column(0, TypeId::kInt64)});
  keys.left = {0, 1};
  const plan::NodePtr in_parts = plan::join(left, right, keys);
  for (const JoinKind kind : kKinds) {
    if (kind == JoinKind::kSingle || kind == JoinKind::kMark) continue;
    plan::Join less;  // without a key, so never partitioned
    less.kind = kind;
    less.condition = call("<", {column(0, TypeId::kInt64), column(2, TypeId::kInt64)});
    if (plan::gives_left(kind)) less.left = {0, 1};
    if (plan::gives_right(kind)) less.right = {0, 1};
    const plan::NodePtr below = plan::join(in_parts, small, less);
    plan::Join above = keys;
    above.left.resize(std::min<size_t>(above.left.size(), below->schema.size()));
    const plan::NodePtr plans[] = {
        below, plan::join(below, right, above), plan::limit(below, 7), plan::union_all({below, below}),
        plan::union_all({equal_keys(kind, left, right), equal_keys(kind, right, left),
                         equal_keys(kind, left, small), equal_keys(kind, small, left)})};
    for (const plan::NodePtr& plan : plans) {
      ops::Options options;
      options.threads = 2;
      const auto expected = texts(plan::rows_of(execute(plan, options).table));
      options.join_parts = 16;
      const auto found = texts(plan::rows_of(execute(plan, options).table));
      if (plan == plans[2]) {
        EXPECT_EQ(found.size(), expected.size()) << plan::name(kind);
      } else {
        EXPECT_EQ(found, expected) << plan::name(kind) << " " << &plan - plans;
      }
    }
  }
}

TEST(Join, NamesWhatNeedsTooMuch) {
  MemoryBudget budget(1 << 20);
  ops::Options options;
  options.budget = &budget;
  const auto own = [](size_t row) { return static_cast<int64_t>(row * 1'000'003); };
  const plan::NodePtr rows = numbers(200'000, own);
  try {
    execute(counted(equal_keys(JoinKind::kInner, rows, rows)), options);
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("Join"), std::string::npos) << error.what();
  }
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace join_test
}  // namespace lanewise::exec
