#include "ops/aggregate/partial.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/aggregate/functions/functions.h"

namespace lanewise::ops {
namespace partial_test {

plan::AggregateCall call_of(const char* function, Type type) {
  plan::AggregateCall call;
  call.function = function;
  call.args = {column(0, type)};
  const std::array types{type};
  call.type = *find_aggregate(function, types)->resolve(types);
  return call;
}

TEST(Partial, StatesKeepTheirTypes) {
  for (const char* function : {"count", "sum", "min", "max", "avg", "bit_and", "bit_or", "bit_xor"}) {
    for (const Type type : {Type(TypeId::kInt32), Type(TypeId::kInt64), Type(TypeId::kUInt64)}) {
      const plan::AggregateCall call = call_of(function, type);
      const auto split = partial(call);
      ASSERT_TRUE(split) << function;
      const auto merged = split->merged_states(3);
      ASSERT_EQ(merged.size(), split->states.size());
      for (size_t i = 0; i < merged.size(); ++i) {
        EXPECT_EQ(merged[i].type, split->states[i].type) << function;
        EXPECT_EQ(merged[i].args[0]->column, 3 + i);
        EXPECT_NO_THROW(function_of(merged[i])) << function;
      }
      EXPECT_EQ(split->merged_result(3).type, call.type) << function;
      EXPECT_NO_THROW(function_of(split->merged_result(3))) << function;
    }
  }
}

TEST(Partial, FiltersBelongToTheRows) {
  plan::AggregateCall call = call_of("avg", TypeId::kInt64);
  call.filter = literal(Value::boolean(true));
  const auto split = partial(call);
  for (const plan::AggregateCall& state : split->states) EXPECT_EQ(state.filter, call.filter);
  for (const plan::AggregateCall& state : split->merged_states(0)) EXPECT_EQ(state.filter, nullptr);
  EXPECT_EQ(split->merged_result(0).filter, nullptr);
}

TEST(Partial, SomeNeedAllRows) {
  for (const char* function : {"median", "mode", "first", "list"})
    EXPECT_FALSE(partial(call_of(function, TypeId::kInt32))) << function;
  EXPECT_FALSE(partial(call_of("avg", TypeId::kInt16))) << "rounds in another way";
  plan::AggregateCall distinct = call_of("count", TypeId::kInt32);
  distinct.distinct = true;
  EXPECT_FALSE(partial(distinct));
  plan::AggregateCall least = call_of("min", TypeId::kInt32);
  least.distinct = true;  // which does not matter
  EXPECT_TRUE(partial(least));
}

}  // namespace partial_test
}  // namespace lanewise::ops
