#include "ops/aggregate/gpu/groups/state_layout.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "expr/numbers.h"
#include "ops/aggregate/gpu/folds-inl.h"
#include "ops/aggregate/gpu/states-inl.h"
#include "ops/gpu/testing/call_of.h"

/// States as kernels leave them, merged on the host.
namespace lanewise::ops {
namespace state_layout_test {

plan::AggregateCall over(const char* function, Type arg, Type type) {
  return call_of(function, {column(0, arg)}, type);
}

/// The result of blocks that took `blocks` each.
template <class State, class T>
Value finish(const plan::AggregateCall& call, const std::vector<std::vector<T>>& blocks) {
  const GroupPlan plan(plan::Aggregate{{}, {call}});
  EXPECT_TRUE(StateLayout::fits(plan));
  const StateLayout layout(plan);
  EXPECT_EQ(layout.bytes(), sizeof(kernel::Count) + sizeof(State));
  std::vector<uint8_t> bytes(layout.bytes() * blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    State state{}, threads[2]{};
    for (size_t k = 0; k < blocks[i].size(); ++k) threads[k % 2].add(blocks[i][k]);
    state.merge(threads[0]);
    state.merge(threads[1]);
    std::memcpy(&bytes[i * layout.bytes() + sizeof(kernel::Count)], &state, sizeof(State));
  }
  return plan.finish(layout.merged(bytes), false, {{"value", call.type}}, nullptr).value(0, 0);
}

TEST(StateLayouts, SumsAreExact) {
  const auto sum = over("sum", TypeId::kInt32, TypeId::kInt128);
  EXPECT_EQ(
      (finish<kernel::WholeSum<int32_t>, int32_t>(sum, {{1, -2, 2147483647}, {}, {2147483647}})).integer(),
      4294967293);
  EXPECT_TRUE((finish<kernel::WholeSum<int32_t>, int32_t>(sum, {{}, {}})).is_null());

  const auto wide = over("sum", TypeId::kInt64, TypeId::kInt128);
  EXPECT_EQ(
      (finish<kernel::WholeSum<int64_t>, int64_t>(wide, {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, -1}}))
          .integer(),
      int128_t{INT64_MAX} * 2 - 2);

  const auto natural = over("sum", TypeId::kUInt64, TypeId::kInt128);
  EXPECT_EQ(
      (finish<kernel::WholeSum<uint64_t>, uint64_t>(natural, {{UINT64_MAX, UINT64_MAX}, {1}})).integer(),
      int128_t{UINT64_MAX} * 2 + 1);
}

TEST(StateLayouts, WideSumsOverflowOnlyAtTheEnd) {
  const auto sum = over("sum", TypeId::kInt128, TypeId::kInt128);
  const int128_t most = expr::highest<int128_t>(), least = expr::lowest<int128_t>();
  using State = kernel::WholeSum<int128_t>;
  EXPECT_EQ((finish<State, int128_t>(sum, {{most, most, 5}, {least, least}})).integer(), 3);
  EXPECT_EQ((finish<State, int128_t>(sum, {{least}, {}})).integer(), least);
  EXPECT_THROW((finish<State, int128_t>(sum, {{most}, {1}})), UserError);
  EXPECT_THROW((finish<State, int128_t>(sum, {{least, -1}})), UserError);
}

TEST(StateLayouts, Averages) {
  const auto money = Type::decimal(15, 2);
  EXPECT_EQ(
      (finish<kernel::WholeSum<int64_t>, int64_t>(over("avg", money, TypeId::kFloat64), {{100, 200}, {450}}))
          .real(),
      2.5);
  EXPECT_EQ(
      (finish<kernel::RealSum, double>(over("avg", TypeId::kFloat64, TypeId::kFloat64), {{1, 2}, {}})).real(),
      1.5);
}

TEST(StateLayouts, Extremes) {
  const auto least = over("min", TypeId::kFloat64, TypeId::kFloat64);
  const auto most = over("max", TypeId::kFloat64, TypeId::kFloat64);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((finish<kernel::Extremum<double, false>, double>(least, {{nan, 3}, {}, {2, nan}})).real(), 2);
  EXPECT_NE((finish<kernel::Extremum<double, true>, double>(most, {{1}, {nan}})).real(), 1)
      << "NaN is the greatest";
  EXPECT_TRUE((finish<kernel::Extremum<double, true>, double>(most, {{}})).is_null());
  const auto wide = over("max", TypeId::kInt128, TypeId::kInt128);
  EXPECT_EQ(
      (finish<kernel::Extremum<int128_t, true>, int128_t>(wide, {{-5}, {int128_t{1} << 100, 7}})).integer(),
      int128_t{1} << 100);
}

TEST(StateLayouts, Bits) {
  using kernel::Fold, kernel::BitFold;
  const auto of = [](const char* name) { return over(name, TypeId::kInt32, TypeId::kInt32); };
  const std::vector<std::vector<int32_t>> blocks = {{-4, 7}, {}, {13}};
  EXPECT_EQ((finish<BitFold<int32_t, Fold::kAnd>, int32_t>(of("bit_and"), blocks)).integer(), -4 & 7 & 13);
  EXPECT_EQ((finish<BitFold<int32_t, Fold::kOr>, int32_t>(of("bit_or"), blocks)).integer(), -4 | 7 | 13);
  EXPECT_EQ((finish<BitFold<int32_t, Fold::kXor>, int32_t>(of("bit_xor"), blocks)).integer(), -4 ^ 7 ^ 13);
  EXPECT_TRUE((finish<BitFold<int32_t, Fold::kAnd>, int32_t>(of("bit_and"), {{}, {}})).is_null());
  const auto truths = [](const char* name) { return over(name, TypeId::kBool, TypeId::kBool); };
  EXPECT_FALSE(
      (finish<kernel::Extremum<bool, false>, bool>(truths("bool_and"), {{true}, {false}})).is_true());
  EXPECT_TRUE((finish<kernel::Extremum<bool, true>, bool>(truths("bool_or"), {{true}, {false}})).is_true());
}

TEST(StateLayouts, FoldsOfReals) {
  const auto of = [](const char* name) { return over(name, TypeId::kFloat64, TypeId::kFloat64); };
  const std::vector<std::vector<double>> blocks = {{1, 2}, {}, {3, 6}}, one = {{5}, {}};
  EXPECT_EQ((finish<kernel::Product, double>(of("product"), blocks)).real(), 36);
  EXPECT_EQ((finish<kernel::ExactRealSum, double>(of("kahan_sum"), {{1e16, 1}, {1, -1e16}})).real(), 2);
  EXPECT_EQ((finish<kernel::ExactRealSum, double>(of("favg"), blocks)).real(), 3);
  EXPECT_DOUBLE_EQ((finish<kernel::Moments, double>(of("var_pop"), blocks)).real(), 3.5);
  EXPECT_DOUBLE_EQ((finish<kernel::Moments, double>(of("variance"), blocks)).real(), 14.0 / 3);
  EXPECT_DOUBLE_EQ((finish<kernel::Moments, double>(of("stddev_pop"), blocks)).real(), std::sqrt(3.5));
  EXPECT_TRUE((finish<kernel::Moments, double>(of("stddev"), one)).is_null());
  EXPECT_EQ((finish<kernel::Moments, double>(of("stddev_pop"), one)).real(), 0);
  EXPECT_THROW((finish<kernel::Moments, double>(of("var_samp"), {{INFINITY}, {1}})), UserError);
}

TEST(StateLayouts, AveragesOfInstantsAreRounded) {
  const auto average = over("avg", TypeId::kTimestamp, TypeId::kTimestamp);
  EXPECT_EQ((finish<kernel::WholeSum<int64_t>, int64_t>(average, {{1, 2}, {2}})).integer(), 2);
}

TEST(StateLayouts, CellsAreKeptOnce) {
  const ExprPtr small = column(0, TypeId::kInt32);
  const auto of = [&](const char* name, Type type) { return call_of(name, {small}, type); };
  const plan::AggregateCall rows = call_of("count_star", {}, TypeId::kInt64);
  const GroupPlan plan(plan::Aggregate{{},
                                       {of("sum", TypeId::kInt128), of("avg", TypeId::kFloat64),
                                        of("count", TypeId::kInt64), rows, rows, of("max", TypeId::kInt32)}});
  const StateLayout layout(plan);
  EXPECT_THAT(layout.text(), testing::StartsWith("struct State {\n"
                                                 "  Count rows;\n"
                                                 "  WholeSum<i32> c1;\n"
                                                 "  Extremum<i32, true> c3;\n"
                                                 "  LANES_FN void merge"));
  struct {
    kernel::Count rows;
    kernel::WholeSum<int32_t> sum;
    kernel::Extremum<int32_t, true> most;
  } blocks[2]{};
  blocks[0].rows.add(3);
  blocks[1].rows.add(4);
  for (const int32_t value : {1, 6}) {
    blocks[1].sum.add(value);
    blocks[1].most.add(value);
  }
  ASSERT_EQ(layout.bytes(), sizeof(blocks[0]));
  const std::span bytes(reinterpret_cast<const uint8_t*>(blocks), sizeof(blocks));
  EXPECT_EQ(layout.rows(bytes), 7U);
  Schema output;
  for (const TypeId type :
       {TypeId::kInt128, TypeId::kFloat64, TypeId::kInt64, TypeId::kInt64, TypeId::kInt64, TypeId::kInt32})
    output.push_back({"value", type});
  const Table table = plan.finish(layout.merged(bytes), false, output, nullptr);
  std::string text;
  for (size_t i = 0; i < output.size(); ++i) text += table.value(0, i).to_string() + " ";
  EXPECT_EQ(text, "7 3.5 2 7 7 6 ");
}

TEST(StateLayouts, GroupsThatNeedATable) {
  const auto fits = [](plan::AggregateCall call, std::vector<ExprPtr> keys = {}) {
    return StateLayout::fits(GroupPlan(plan::Aggregate{std::move(keys), {std::move(call)}}));
  };
  const Type text = TypeId::kVarchar;
  EXPECT_TRUE(fits(over("count", text, TypeId::kInt64)));
  EXPECT_TRUE(fits(over("variance", TypeId::kFloat64, TypeId::kFloat64)));
  EXPECT_FALSE(fits(over("variance", TypeId::kFloat64, TypeId::kFloat64), {column(0, TypeId::kFloat64)}));
  EXPECT_FALSE(fits(over("max", text, text)));
  EXPECT_FALSE(fits(over("first", TypeId::kInt32, TypeId::kInt32)));
  EXPECT_FALSE(fits(over("median", TypeId::kFloat64, TypeId::kFloat64)));
  EXPECT_FALSE(fits(over("avg", TypeId::kInterval, TypeId::kInterval)));
  EXPECT_FALSE(fits(call_of("count", {column(0, text)}, TypeId::kInt64, {.distinct = true})));
}

}  // namespace state_layout_test
}  // namespace lanewise::ops
