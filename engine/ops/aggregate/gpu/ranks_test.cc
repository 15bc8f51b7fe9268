#include "ops/aggregate/gpu/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ops/aggregate/functions/share.h"
#include "ops/aggregate/testing/reference.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/gpu/testing/cores.h"

/// What is left of partial groups gives the quantile of all rows.
namespace lanewise::ops {
namespace ranks_test {

plan::AggregateCall rank_of(const std::string& function, Type of, std::optional<Value> share = std::nullopt) {
  std::vector<ExprPtr> args = {column(0, of)};
  if (share) args.push_back(literal(*share));
  const Type type = function == "quantile_disc" ? of : continuous(of).value_or(of);
  return call_of(function.c_str(), std::move(args), type);
}

/// Values of `type` for each of two keys, some of them in several pieces, as partial groups.
void check(const plan::AggregateCall& call, size_t rows, bool nulls, std::mt19937& random) {
  const Type type = call.args[0]->type;
  std::vector<std::vector<Value>> columns(3);
  std::vector<std::vector<Value>> all(2);
  for (size_t row = 0; row < rows; ++row) {
    const int key = static_cast<int>(random() % 2), number = static_cast<int>(random() % 20) - 10;
    const auto count = static_cast<int64_t>(1 + random() % 3);
    const Value value = nulls && random() % 4 == 0 ? Value(type)
                        : type.is_float()          ? Value(type, number * 0.25)
                        : type.is_string()
                            ? Value::varchar(std::string(static_cast<size_t>(number + 10), 'x'))
                            : Value(type, int128_t{number});
    columns[0].push_back(Value::int32(key));
    columns[1].push_back(value);
    columns[2].push_back(Value::int64(count));
    for (int64_t i = 0; i < count && !value.is_null(); ++i) all[static_cast<size_t>(key)].push_back(value);
  }
  const Schema schema = {{"k", TypeId::kInt32}, {"v", type}, {"n", TypeId::kInt64}};
  Table partial{schema, {}};
  if (rows != 0) {
    partial.batches.push_back({static_cast<int64_t>(rows), {}});
    for (size_t i = 0; i < 3; ++i)
      partial.batches[0].columns.push_back(make_column(schema[i].type, columns[i]));
  }
  const Table made = values_at_ranks(std::move(partial), 1, call, with_cores());
  const bool between = call.function != "quantile_disc" && !type.is_string();
  const Value share = call.args.size() == 1 ? Value::float64(0.5) : call.args[1]->literal;
  for (int key = 0; key < 2; ++key) {
    std::vector<Value> results;
    for (int64_t row = 0; row < made.rows(); ++row)
      if (made.value(row, 0) == Value::int32(key)) results.push_back(made.value(row, 1));
    const bool has_rows = std::count(columns[0].begin(), columns[0].end(), Value::int32(key)) != 0;
    ASSERT_EQ(results.size(), has_rows ? 1U : 0U);
    if (!has_rows) continue;
    EXPECT_EQ(results[0], reference::quantile(call.type, all[static_cast<size_t>(key)], share, between))
        << call.function << " of " << rows << " rows";
  }
}

TEST(Ranks, GiveWhatTheReferenceGives) {
  std::mt19937 random(3);
  for (const size_t rows : {0, 1, 2, 3, 5, 40, 200}) {
    for (const bool nulls : {false, true}) {
      check(rank_of("median", TypeId::kInt32), rows, nulls, random);
      check(rank_of("median", TypeId::kVarchar), rows, nulls, random);
      check(rank_of("median", Type::decimal(9, 2)), rows, nulls, random);
      for (const double share : {0.0, 0.1, 0.5, 0.77, 1.0, -0.25}) {
        check(rank_of("quantile_disc", TypeId::kInt32, Value::float64(share)), rows, nulls, random);
        for (const Type type : {Type(TypeId::kInt32), Type(TypeId::kInt128), Type(TypeId::kFloat32),
                                Type(TypeId::kDate), Type::decimal(9, 2), Type::decimal(30, 2)})
          check(rank_of("quantile_cont", type, Value::float64(share)), rows, nulls, random);
      }
    }
  }
}

TEST(Ranks, GroupsOfNullsStay) {
  Table partial{{{"k", TypeId::kInt32}, {"v", TypeId::kInt32}, {"n", TypeId::kInt64}}, {}};
  partial.batches.push_back({1,
                             {make_column(TypeId::kInt32, {Value(TypeId::kInt32)}),
                              make_column(TypeId::kInt32, {Value(TypeId::kInt32)}),
                              make_column(TypeId::kInt64, {Value::int64(7)})}});
  EXPECT_EQ(values_at_ranks(std::move(partial), 1, rank_of("median", TypeId::kInt32), with_cores()).rows(),
            1);
}

}  // namespace ranks_test
}  // namespace lanewise::ops
