#include "ops/scan/bounds/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"

namespace lanewise::ops {
namespace bounds_test {

Value varchar(std::string text) { return Value::varchar(std::move(text)); }
Value null(Type type) { return Value(type); }

Bounds bounds_of_values(Type type, const std::vector<Value>& values) {
  return bounds_of(*make_column(type, values), 0, static_cast<int64_t>(values.size()));
}

TEST(Bounds, HoldLeastAndGreatest) {
  const Bounds bounds = bounds_of_values(
      TypeId::kInt32,
      {Value::int32(4), null(TypeId::kInt32), Value::int32(-7), Value::int32(9), null(TypeId::kInt32)});
  EXPECT_TRUE(bounds.known);
  EXPECT_EQ(bounds.low, Value::int32(-7));
  EXPECT_EQ(bounds.high, Value::int32(9));
  EXPECT_EQ(bounds.rows, 5);
  EXPECT_EQ(bounds.nulls, 2);
}

TEST(Bounds, AreUnknownWithoutValues) {
  EXPECT_FALSE(bounds_of_values(TypeId::kInt32, {}).known);
  EXPECT_FALSE(bounds_of_values(TypeId::kVarchar, {null(TypeId::kVarchar)}).known);
}

TEST(Bounds, PutNaNAboveAll) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const Bounds bounds = bounds_of_values(
      TypeId::kFloat64, {Value::float64(infinity), Value::float64(nan), Value::float64(-0.0)});
  EXPECT_EQ(bounds.low, Value::float64(0.0));
  EXPECT_TRUE(std::isnan(bounds.high.real()));
}

TEST(Bounds, KeepPrefixesOfText) {
  const std::string long_text(100, 'x');
  Bounds bounds = bounds_of_values(TypeId::kVarchar, {varchar(long_text), varchar("b"), varchar("")});
  EXPECT_EQ(bounds.low, varchar(""));
  EXPECT_GE(compare(bounds.high, varchar(long_text)), 0);
  EXPECT_LE(bounds.high.text().size(), 64u);

  const std::string highest(100, '\xFF');
  bounds = bounds_of_values(TypeId::kVarchar, {varchar(highest)});
  EXPECT_TRUE(bounds.high_is_open);
  bounds = bounds_of_values(TypeId::kVarchar, {varchar("a" + highest)});
  EXPECT_FALSE(bounds.high_is_open);
  EXPECT_GE(compare(bounds.high, varchar("a" + highest)), 0);
}

TEST(Bounds, ReadDictionaries) {
  auto column = std::make_shared<Column>();
  column->type = TypeId::kVarchar;
  column->rows = 3;
  column->dictionary =
      make_column(TypeId::kVarchar, {varchar("zz"), varchar("m"), varchar("a"), varchar("k")});
  column->values = Buffer::allocate(12, nullptr, "test");
  for (uint32_t i = 0; i < 3; ++i) column->values.mutable_as<uint32_t>()[i] = i == 1 ? 3 : 1;
  const Bounds bounds = bounds_of(*column, 0, 3);
  EXPECT_EQ(bounds.low, varchar("k"));
  EXPECT_EQ(bounds.high, varchar("m"));
}

TEST(Bounds, HaveZones) {
  std::vector<Value> values;
  for (int64_t i = 0; i < kZoneRows * 2 + 5; ++i) values.push_back(Value::int64(i));
  const auto zones = zones_of(*make_column(TypeId::kInt64, values));
  ASSERT_EQ(zones.size(), 3u);
  EXPECT_EQ(zones[1].low, Value::int64(kZoneRows));
  EXPECT_EQ(zones[2].rows, 5);
  const Bounds all = merge(zones);
  EXPECT_EQ(all.low, Value::int64(0));
  EXPECT_EQ(all.high, Value::int64(kZoneRows * 2 + 4));
  EXPECT_EQ(all.rows, kZoneRows * 2 + 5);
}

/// If a row's values satisfy the predicate, its bounds must say that they may.
void expect_sound(const ExprPtr& predicate, const std::vector<Value>& values, Type type, int64_t* refuted) {
  const Bounds bounds = bounds_of_values(type, values);
  const bool may = may_hold(*predicate, [&](size_t) { return &bounds; });
  *refuted += !may;
  for (const Value& value : values) {
    const bool holds = evaluate_reference(*predicate, std::vector<Value>{value}).is_true();
    EXPECT_TRUE(may || !holds) << predicate->to_string() << " holds for " << value.to_string();
  }
}

TEST(MayHold, IsNeverWrong) {
  std::mt19937 random(7);
  auto number = [&] { return static_cast<int32_t>(random() % 12); };
  auto word = [&] {
    static const char* const kParts[] = {"a", "b", "\xFF", "ab", "%", "ü", "_", ""};
    std::string text(random() % 5 == 0 ? 70 : 0, random() % 2 == 0 ? 'a' : '\xFF');
    for (int i = 0; i < 3; ++i) text += kParts[random() % std::size(kParts)];
    return text;
  };
  int64_t refuted = 0;
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    const bool is_text = round % 2 == 0;
    const Type type = is_text ? TypeId::kVarchar : TypeId::kInt32;
    auto value = [&] {
      if (random() % 8 == 0) return Value(type);
      return is_text ? varchar(word()) : Value::int32(number());
    };
    auto constant = [&] { return literal(value()); };
    const ExprPtr subject = column(0, type);
    auto simple = [&]() -> ExprPtr {
      static const char* const kOps[] = {"=", "<>", "<", "<=", ">", ">="};
      static const char* const kPrefixes[] = {"~~", "starts_with", "^@", "~~~"};
      switch (random() % 6) {
        case 0:
          return call("IS NULL", {subject});
        case 1:
          return call("IS NOT NULL", {subject});
        case 2:
          return in_list(subject, {constant(), constant(), constant()});
        case 3:
          return call("BETWEEN", {subject, constant(), constant()});
        case 4:
          if (is_text) return call(kPrefixes[random() % 4], {subject, literal(varchar(word()))});
          [[fallthrough]];
        default: {
          std::vector<ExprPtr> args = {subject, constant()};
          if (random() % 2 == 0) std::swap(args[0], args[1]);
          return call(kOps[random() % 6], args);
        }
      }
    };
    ExprPtr predicate = simple();
    if (random() % 3 == 0) predicate = conjunction({predicate, simple()});
    if (random() % 3 == 0) predicate = disjunction({predicate, simple()});
    if (random() % 6 == 0) predicate = call("NOT", {predicate});
    std::vector<Value> values(random() % 4);
    for (Value& v : values) v = value();
    expect_sound(predicate, values, type, &refuted);
  }
  EXPECT_GT(refuted, kRounds / 5);
}

bool may(const ExprPtr& predicate, Bounds bounds) {
  return may_hold(*predicate, [&](size_t) { return &bounds; });
}

TEST(MayHold, RefutesWhatItCan) {
  const ExprPtr n = column(0, TypeId::kInt32), s = column(0, TypeId::kVarchar);
  auto i = [](int32_t value) { return literal(Value::int32(value)); };
  auto t = [](const char* value) { return literal(varchar(value)); };
  const Bounds numbers = bounds_of_values(TypeId::kInt32, {Value::int32(10), Value::int32(20)});
  EXPECT_FALSE(may(call("=", {n, i(9)}), numbers));
  EXPECT_TRUE(may(call("=", {n, i(15)}), numbers));
  EXPECT_FALSE(may(call("<", {n, i(10)}), numbers));
  EXPECT_FALSE(may(call(">", {i(10), n}), numbers));
  EXPECT_TRUE(may(call("<=", {n, i(10)}), numbers));
  EXPECT_FALSE(may(call(">", {n, i(20)}), numbers));
  EXPECT_FALSE(may(call("BETWEEN", {n, i(21), i(30)}), numbers));
  EXPECT_FALSE(may(in_list(n, {i(1), i(30)}), numbers));
  EXPECT_FALSE(may(call("IS NULL", {n}), numbers));
  EXPECT_FALSE(may(disjunction({call("=", {n, i(1)}), call("=", {n, i(2)})}), numbers));
  EXPECT_FALSE(may(conjunction({call("=", {n, i(15)}), call("=", {n, i(2)})}), numbers));

  const Bounds paths = bounds_of_values(TypeId::kVarchar, {varchar("usr/lib/x"), varchar("usr/share/doc")});
  EXPECT_FALSE(may(call("~~", {s, t("etc/%")}), paths));
  EXPECT_FALSE(may(call("~~", {s, t("usr/src%")}), paths));
  EXPECT_TRUE(may(call("~~", {s, t("usr/%/doc")}), paths));
  EXPECT_TRUE(may(call("~~", {s, t("%doc")}), paths));
  EXPECT_FALSE(may(call("starts_with", {s, t("var")}), paths));
  EXPECT_FALSE(may(call("regexp_matches", {s, t("^etc/(a|b)")}), paths));
  EXPECT_FALSE(may(call("regexp_full_match", {s, t("etc/.*")}), paths));
  EXPECT_TRUE(may(call("regexp_matches", {s, t("^usr/(a|b)")}), paths));
  EXPECT_TRUE(may(call("regexp_matches", {s, t("etc/")}), paths));
  EXPECT_FALSE(may(call("~~~", {s, t("etc/*")}), paths));
  EXPECT_FALSE(may(call("=", {s, t("usr/bin/x")}), paths));
}

}  // namespace bounds_test
}  // namespace lanewise::ops
