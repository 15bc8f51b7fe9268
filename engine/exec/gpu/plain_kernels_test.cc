#include "exec/gpu/plain_kernels.h"

#include <gmock/gmock.h>

#include <set>

#include "base/testing/temporary_folder.h"
#include "data/testing/fake_source.h"
#include "exec/gpu/make_program.h"
#include "exec/gpu/run_on_device.h"
#include "expr/functions/build.h"
#include "gpu/modules/kernels.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/operators/operators.h"

/// That queries, as they are written for columns in memory, find their kernels among those compiled ahead.
namespace lanewise::exec {
namespace plain_kernels_test {

const Type kInt = TypeId::kInt32, kText = TypeId::kVarchar;

plan::NodePtr scan(const std::vector<Type>& types) {
  Schema schema;
  std::vector<size_t> columns;
  for (const Type& type : types) {
    columns.push_back(columns.size());
    schema.push_back({"column" + std::to_string(columns.back()), type});
  }
  return plan::scan(std::make_shared<FakeSource>(schema, std::vector<std::vector<Value>>()), columns);
}

plan::NodePtr count(plan::NodePtr of) {
  return plan::aggregate(std::move(of), {}, {ops::call_of("count_star", {}, TypeId::kInt64)}, {"count"});
}

plan::NodePtr like(const char* pattern) {
  return plan::filter(scan({kText}), call("~~", {column(0, kText), literal(Value::varchar(pattern))}));
}

/// The sources over columns that hold no NULLs.
std::vector<std::string> sources(const plan::NodePtr& plan) {
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  const std::unique_ptr<ops::DeviceSink> sink = ops::sink_operator(pipeline).open_on_device(pipeline);
  const codegen::Program program = make_program(pipeline.branches[0], sink->form(), {});
  const std::vector<size_t> columns = columns_of(program);
  std::vector<codegen::ColumnForm> forms;
  for (const size_t column : columns) forms.push_back({.type = pipeline.branches[0].schema[column].type});
  std::vector<std::string> sources;
  for (const codegen::KernelText& text : ops::SectionSources(program, *sink, columns, forms).texts())
    sources.push_back(text.text());
  return sources;
}

TEST(PlainKernels, AreThereOnceEach) {
  const std::vector<std::string> all = plain_kernels();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  EXPECT_THAT(all, testing::IsSupersetOf({ops::list_kernels(), ops::put_slots_kernel()}));
}

TEST(PlainKernels, HoldThoseOfPlainQueries) {
  const std::vector<std::string> all = plain_kernels();
  const auto sum = ops::call_of("sum", {column(1, kInt)}, TypeId::kInt128);
  for (const plan::NodePtr& plan :
       {count(like("%needle%")), count(like("begin%")), count(like("%end")), count(like("whole")),
        count(like("%a%b%")),
        count(plan::filter(scan({kText}),
                           call("regexp_matches", {column(0, kText), literal(Value::varchar("[0-9]x"))}))),
        count(plan::filter(scan({kInt}), call("<", {column(0, kInt), literal(Value::int32(-7))}))),
        plan::aggregate(scan({kInt, kInt}), {column(0, kInt)}, {sum}, {"k", "s"}),
        plan::aggregate(scan({kText, kInt}), {column(0, kText)}, {sum}, {"k", "s"}),
        plan::distinct(scan({kText})),
        plan::aggregate(scan({kInt}), {},
                        {ops::call_of("count", {column(0, kInt)}, TypeId::kInt64, {.distinct = true})},
                        {"d"})}) {
    for (const std::string& source : sources(plan)) EXPECT_THAT(all, testing::Contains(source));
  }
}

TEST(PlainKernels, HoldGroupsByParts) {
  const auto plan = plan::aggregate(scan({kInt, kInt}), {column(0, kInt)},
                                    {ops::call_of("sum", {column(1, kInt)}, TypeId::kInt128)}, {"k", "s"});
  const std::vector<std::string> made =
      kernel_sources(plan::split(*plan).back(), {}, codegen::parse_strategy("groups=parts"), {});
  EXPECT_THAT(made.back(), testing::HasSubstr(" group_parts("));
  EXPECT_THAT(plain_kernels(), testing::IsSupersetOf(made));
}

TEST(PlainKernels, HoldGroupsOfPlainColumnsWhateverIsFiltered) {
  const std::vector<std::string> all = plain_kernels();
  const auto group = [](const plan::NodePtr& rows, size_t key, size_t value) {
    const auto sum = ops::call_of("sum", {column(value, kInt)}, TypeId::kInt128);
    return sources(plan::aggregate(rows, {column(key, kText)}, {sum}, {"k", "s"}));
  };
  const auto below = [](size_t place) { return call("<", {column(place, kInt), literal(Value::int32(7))}); };
  const ExprPtr like = call("~~", {column(2, kText), literal(Value::varchar("%needle%"))});
  for (const std::vector<std::string>& made :
       {group(plan::filter(scan({kInt, kInt, kText}), below(0)), 2, 1),
        group(plan::filter(scan({kInt, kInt, kText}), conjunction({below(0), below(1), like})), 2, 1)})
    EXPECT_THAT(all, testing::Contains(made[made.size() - 2])) << "behind filters, before what reads groups";
}

TEST(PlainKernels, HoldCountsBehindFiltersThatAreLong) {
  const ExprPtr part = call("regexp_extract", {column(0, kText), literal(Value::varchar("[a-z]+"))});
  const std::vector<std::string> made =
      sources(count(plan::filter(scan({kText}), call(">", {part, literal(Value::varchar("m"))}))));
  ASSERT_EQ(made.size(), 2);
  EXPECT_NE(made[0].find(" filter_0("), std::string::npos);
  EXPECT_THAT(plain_kernels(), testing::Contains(made[1]));
}

TEST(PlainKernels, HoldComparisonsThatFilterWhateverIsRead) {
  const std::vector<std::string> all = plain_kernels();
  const plan::NodePtr rows =
      plan::filter(scan({kInt, kInt, kText}), call("<=", {column(1, kInt), literal(Value::int32(7))}));
  const ExprPtr computed = call("+", {column(0, kInt), literal(Value::int32(1))});
  const auto most = ops::call_of("max", {computed}, kInt);
  size_t found = 0;
  for (const plan::NodePtr& plan : {rows, plan::sort(rows, {{.expr = column(2, kText)}}),
                                    plan::aggregate(rows, {column(2, kText)}, {most}, {"k", "m"}),
                                    plan::project(rows, {computed, column(2, kText)}, {"a", "b"})}) {
    for (const std::string& source :
         kernel_sources(split(*plan).back(), {}, codegen::parse_strategy("groups=slots"), {})) {
      if (source.find(" filter_0(") == std::string::npos) continue;
      EXPECT_THAT(all, testing::Contains(source));
      ++found;
    }
  }
  EXPECT_EQ(found, 4);
}

TEST(PlainKernels, AreFoundWhereAllOfAQueryAreThere) {
  const TemporaryFolder temporary;
  const gpu::KernelCache ahead(temporary.path());
  const plan::NodePtr plan = count(like("%needle%"));
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  const auto is_ahead = [&](const std::string& architecture) {
    return is_compiled_ahead(pipeline, {}, {}, architecture, ahead);
  };
  const std::vector<std::string> needed = sources(plan);
  ASSERT_GT(needed.size(), 1);
  for (const std::string& source : needed) {
    EXPECT_FALSE(is_ahead("sm_90"));
    ahead.store(gpu::ahead_key(codegen::kernel_source(source), "sm_90"), "image");
  }
  EXPECT_TRUE(is_ahead("sm_90"));
  EXPECT_TRUE(is_ahead(""));  // for some GPU
  EXPECT_FALSE(is_ahead("sm_80"));
  const plan::NodePtr other =
      plan::filter(plan, call(">", {column(0, TypeId::kInt64), literal(Value::int64(3))}));
  EXPECT_FALSE(is_compiled_ahead(std::move(split(*other).back()), {}, {}, "sm_90", ahead));
}

TEST(PlainKernels, OfTwoPatternsOfAKindAreOne) {
  const ExprPtr a = call("contains", {column(0, kText), literal(Value::varchar("aaa"))});
  const ExprPtr b = call("contains", {column(1, kText), literal(Value::varchar("b"))});
  const std::vector<std::string> made =
      sources(count(plan::filter(scan({kText, kText}), disjunction({a, b}))));
  ASSERT_EQ(made.size(), 3);
  EXPECT_EQ(made[0], made[1]);
  EXPECT_THAT(plain_kernels(), testing::Contains(made[0]));
}

}  // namespace plain_kernels_test
}  // namespace lanewise::exec
