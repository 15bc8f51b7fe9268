#include "ops/gpu/branch/section_sources.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/testing/test_size.h"
#include "data/testing/fake_source.h"
#include "exec/gpu/make_program.h"
#include "exec/gpu/run_on_device.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "expr/functions/functions.h"
#include "gpu/modules/compiler.h"
#include "gpu/testing/nvrtc.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/testing/query_plans.h"
#include "ops/operators/operators.h"
#include "text/pattern/compiled_pattern.h"

/// What is written for pipelines, and that NVRTC takes it for each GPU that we support.
namespace lanewise::ops {
namespace section_sources_test {

using testing::HasSubstr;

using namespace query_plans;  // NOLINT: the tests' helpers

TEST(Kernels, GroupsByPartsAreOfferedForSmallRecords) {
  std::vector<std::string> records;
  for (const plan::NodePtr& plan : by_parts()) {
    const std::vector<std::string> texts = parts_of(plan);
    ASSERT_GE(texts.size(), 2);
    const std::string& text = texts.back();
    const size_t at = text.find("struct alignas");
    records.push_back(text.substr(at, text.find('{', at) - at));
    EXPECT_THAT(text, HasSubstr(" group_parts("));
    EXPECT_THAT(texts[texts.size() - 2], HasSubstr(" spread("));
  }
  EXPECT_THAT(records, testing::ElementsAre("struct alignas(4) Record ", "struct alignas(8) Record ",
                                            "struct alignas(16) Record ", "struct alignas(16) Record ",
                                            "struct alignas(16) Record "));
  EXPECT_THAT(parts_of(by_parts()[2])[0], HasSubstr(" filter_")) << "what the last stage leaves is listed";
  for (const plan::NodePtr& plan :
       {group(scan(), {text()}, {count_all()}), group(scan(), {i32()}, {sum(i64()), sum(real())}),
        group(scan(), {i32()}, {call_of("first", {i32()}, TypeId::kInt32)}),
        group(scan(), {i32()}, {call_of("min", {text()}, TypeId::kVarchar)}),
        aggregate(scan(), {count_all()})})
    EXPECT_THAT(parts_of(plan), testing::IsEmpty());
}

TEST(Kernels, GroupsOfEachKindAreShownUnlessForbidden) {
  const plan::NodePtr plan = by_parts()[1];
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  const auto sources = [&](const char* strategy, bool rare) {
    return exec::kernel_sources(pipeline, {}, codegen::parse_strategy(strategy), {}, rare).size();
  };
  EXPECT_EQ(sources("", false), sources("groups=table", true));
  EXPECT_EQ(sources("groups=parts", false), sources("", false) + 2);
  EXPECT_EQ(sources("groups=slots", false), sources("", false) + 1);
  EXPECT_EQ(sources("", true), sources("", false) + 3);
}

bool has_nvrtc() { return !kSanitized && gpu::find_nvrtc(LANEWISE_SOURCE_DIR); }

TEST(Kernels, Compile) {
  if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not here, or not instrumented";
  std::vector<std::string> texts = {list_kernels(), put_slots_kernel()};
  for (const plan::NodePtr& plan : plans()) {
    for (std::string& source : sources(plan)) texts.push_back(std::move(source));
  }
  for (const char* names : {"automata,lists", "automata,occupancy", "lists,occupancy"}) {
    for (std::string& source :
         exec::kernel_sources(split(*plans()[1]).back(), {}, codegen::parse_strategy(names)))
      texts.push_back(std::move(source));
  }
  for (const plan::NodePtr& plan : by_parts()) {
    for (std::string& source : parts_of(plan)) texts.push_back(std::move(source));
  }
  for (const plan::NodePtr& plan : plans()) {
    for (std::string& source : slots_of(plan)) texts.push_back(std::move(source));
  }
  const bool both = test_size(false, false, true);  // else one in turn
  const char* architectures[] = {"sm_80", "sm_90"};
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t k = 0; k < 2; ++k) {
      if (!both && i % 2 != k) continue;
      EXPECT_FALSE(
          gpu::Compiler::system().compile(codegen::kernel_source(texts[i]), architectures[k]).empty());
    }
  }
}

/// The kernels of `SELECT s, b, count(*) GROUP BY s, b` where all strings are short.
std::vector<codegen::KernelText> of_short_texts() {
  const plan::NodePtr plan = group(scan(), {text(), i32()}, {count_all()});
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  const std::unique_ptr<DeviceSink> sink = sink_operator(pipeline).open_on_device(pipeline);
  const codegen::Program program = exec::make_program(pipeline.branches[0], sink->form(), {});
  const std::vector<size_t> columns = columns_of(program);
  std::vector<codegen::ColumnForm> forms;
  for (const size_t column : columns) {
    const Type type = pipeline.branches[0].schema[column].type;
    forms.push_back({.type = type, .short_texts = type.is_string()});
  }
  return SectionSources(program, *sink, columns, forms).texts();
}

TEST(Kernels, ShortTextsAreKeysWithoutBytesElsewhere) {
  const std::vector<codegen::KernelText> texts = of_short_texts();
  EXPECT_THAT(texts[0].text(), HasSubstr("  ShortKey k0;"));
  EXPECT_THAT(texts[0].text(), HasSubstr("kTexts = 0;"));
  EXPECT_THAT(source(group(scan(), {text()}, {count_all()})), HasSubstr("  Key<Text> k0;"));
  if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not here, or not instrumented";
  for (const codegen::KernelText& text : texts)
    EXPECT_FALSE(gpu::Compiler::system().compile(codegen::kernel_source(text.text()), "sm_90").empty());
}

TEST(Kernels, TextsThatAKernelMakesAreReadBehindAFence) {
  const auto with_key = [](const ExprPtr& key) { return source(group(scan(), {i32(), key}, {count_all()})); };
  EXPECT_THAT(with_key(text()), HasSubstr("kMakesTexts = false;"));
  EXPECT_THAT(with_key(call("upper", {text()})), HasSubstr("kMakesTexts = true;"));
  EXPECT_THAT(with_key(call("strlen", {text()})), HasSubstr("kMakesTexts = false;"));
}

/// A call of each function that devices have, of the first columns that it takes.
std::vector<ExprPtr> calls_of_all_functions(const std::vector<Type>& types) {
  std::vector<ExprPtr> calls;
  std::vector<ExprPtr> arguments = {literal_text("month"), number(0)};
  for (size_t i = 0; i < types.size(); ++i) arguments.push_back(column(i, types[i]));
  for (const Function& function : functions()) {
    std::vector<ExprPtr> given;
    const std::function<bool(size_t)> choose = [&](size_t more) {
      if (more > 0) {
        return std::any_of(arguments.begin(), arguments.end(), [&](const ExprPtr& argument) {
          given.push_back(argument);
          const bool found = choose(more - 1);
          given.pop_back();
          return found;
        });
      }
      std::vector<Type> taken;
      for (const ExprPtr& argument : given) taken.push_back(argument->type);
      if (!function.resolve(taken) || find_function(function.name, taken) != &function) return false;
      calls.push_back(call(function.name, given));
      return true;
    };
    if (function.device == nullptr) continue;
    for (size_t count = 0; count < 4 && !choose(count);) ++count;
  }
  return calls;
}

TEST(Kernels, FunctionsCompile) {
  if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not here, or not instrumented";
  const std::vector<Type> types = {
      TypeId::kBool,        TypeId::kInt32,    TypeId::kInt64,   TypeId::kInt128, Type::decimal(15, 2),
      TypeId::kFloat32,     TypeId::kFloat64,  TypeId::kDate,    TypeId::kTime,   TypeId::kTimestamp,
      TypeId::kTimestampTz, TypeId::kInterval, TypeId::kVarchar, TypeId::kBlob};
  Schema schema;
  std::vector<size_t> columns;
  ExprPtr written;
  for (size_t i = 0; i < types.size(); ++i) {
    schema.push_back({"c" + std::to_string(i), types[i]});
    columns.push_back(i);
    if (types[i] == TypeId::kVarchar) written = column(i, types[i]);
  }
  const auto source = std::make_shared<FakeSource>(schema, std::vector<std::vector<Value>>());
  std::vector<ExprPtr> exprs = calls_of_all_functions(types);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == TypeId::kVarchar) continue;
    exprs.push_back(cast(column(i, types[i]), TypeId::kVarchar));
    exprs.push_back(cast(written, types[i], true));
  }
  for (const char* name : {"~~", "!~~*", "~~~", "contains", "prefix", "suffix"})
    exprs.push_back(call(name, {written, written}));
  for (const char* name : {"not_like_escape", "ilike_escape"})
    exprs.push_back(call(name, {written, written, written}));
  std::vector<ExprPtr> offered;
  for (const ExprPtr& expr : exprs) {
    const plan::NodePtr plan = plan::project(plan::scan(source, columns), {expr}, {"x"});
    if (exec::not_on_device(split(*plan).back(), {}).empty()) offered.push_back(expr);
  }
  EXPECT_GT(offered.size(), 160);
  constexpr size_t kAtOnce = 24;
  for (size_t first = 0; first < offered.size(); first += kAtOnce) {
    const std::vector<ExprPtr> some(
        offered.begin() + static_cast<ptrdiff_t>(first),
        offered.begin() + static_cast<ptrdiff_t>(std::min(first + kAtOnce, offered.size())));
    const plan::NodePtr plan =
        plan::project(plan::scan(source, columns), some, std::vector<std::string>(some.size(), "x"));
    for (const std::string& text : sources(plan))
      EXPECT_FALSE(gpu::Compiler::system().compile(codegen::kernel_source(text), "sm_90").empty());
  }
}

TEST(Kernels, PatternsSeeRowsThatCheapPredicatesLeft) {
  const std::string text = source(plans()[1]);
  const size_t filter = text.find(" filter_0("), more = text.find(" filter_1("),
               last = text.find(" aggregate(");
  EXPECT_LT(filter, more);
  EXPECT_LT(more, last);
  EXPECT_NE(last, std::string::npos);
  EXPECT_THAT(text.substr(filter, more - filter), HasSubstr("less("));
  EXPECT_THAT(text, HasSubstr("match<u32, Asked::kBitmap, true>(job)"));
}

TEST(Kernels, GroupsKeepEachValueOnce) {
  const std::string text = source(group(scan(), {i32()},
                                        {sum(money()), call_of("avg", {money()}, TypeId::kFloat64),
                                         call_of("count", {money()}, TypeId::kInt64), count_all()}));
  EXPECT_THAT(text, HasSubstr("SumCell<i64> c1;"));
  EXPECT_THAT(text, testing::Not(HasSubstr(" c3;")));
}

TEST(Kernels, LiteralsAreSearchedForWithoutAnAutomaton) {
  const auto like = [](const char* function, const char* pattern) {
    const ExprPtr matches = call(function, {text(), literal_text(pattern)});
    return source(aggregate(plan::filter(scan(), matches), {count_all()}));
  };
  EXPECT_THAT(like("contains", "oo"), HasSubstr("match_anywhere<u32>(job)"));
  EXPECT_THAT(like("~~", "%oo%"), HasSubstr("match_anywhere<u32>(job)"));
  EXPECT_THAT(like("~~", "oo%"), HasSubstr("match_fixed<u32, false, false>(job)"));
  EXPECT_THAT(like("~~", "%oo"), HasSubstr("match_fixed<u32, true, false>(job)"));
  EXPECT_THAT(like("~~", "oo"), HasSubstr("match_fixed<u32, false, true>(job)"));
  EXPECT_THAT(like("=", "oo"), HasSubstr("match_fixed<u32, false, true>(job)"));
  EXPECT_THAT(like("<>", "o%o"), HasSubstr("match_fixed<u32, false, true>(job)"));
  EXPECT_THAT(like("=", ""), HasSubstr("equal("));
  EXPECT_THAT(like("=", std::string(65, 'o').c_str()), HasSubstr("equal("));
  EXPECT_THAT(like("~~", "o%o"), HasSubstr("match<u32, Asked::kAll, true>(job)"));
  EXPECT_THAT(like("contains", std::string(65, 'o').c_str()),
              HasSubstr("match<u32, Asked::kAll, true>(job)"));
}

TEST(Kernels, TextsThatAreComparedAreNoPatterns) {
  const ExprPtr equal = call("=", {literal_text("50%_\\"), text()});
  const plan::NodePtr plan = aggregate(plan::filter(scan(), equal), {count_all()});
  const plan::Pipeline pipeline = split(*plan).back();
  const codegen::Program program =
      exec::make_program(pipeline.branches[0], sink_operator(pipeline).open_on_device(pipeline)->form(), {});
  const auto& pieces = program.stages[0].matches.at(0).pattern->pattern().compiled().pieces;
  EXPECT_THAT(pieces->pieces, testing::ElementsAre("50%_\\"));
  EXPECT_TRUE(pieces->at_begin && pieces->at_end);
}

TEST(Kernels, AFewComparisonsWithTextsArePatterns) {
  std::vector<ExprPtr> all;
  for (const char* constant : {"a", "b", "c", "d", "e", "f"})
    all.push_back(call("<>", {text(), literal_text(constant)}));
  const plan::NodePtr plan = aggregate(plan::filter(scan(), conjunction(all)), {count_all()});
  const plan::Pipeline pipeline = split(*plan).back();
  const codegen::Program program =
      exec::make_program(pipeline.branches[0], sink_operator(pipeline).open_on_device(pipeline)->form(), {});
  size_t matches = 0, predicates = 0;
  for (const codegen::Stage& stage : program.stages) {
    matches += stage.matches.size();
    predicates += stage.predicates.size();
  }
  EXPECT_EQ(matches, 4);
  EXPECT_EQ(predicates, 6);
}

TEST(Kernels, RowsThatPatternsLeaveAreCountedByWords) {
  const auto counted = [](std::vector<plan::AggregateCall> calls) {
    const ExprPtr matches = call("~~", {text(), literal_text("%oo%")});
    return source(aggregate(plan::filter(scan(), matches), std::move(calls)));
  };
  EXPECT_THAT(counted({count_all()}), HasSubstr("__popc(kept)"));
  EXPECT_THAT(counted({count_all(), sum(money())}), testing::Not(HasSubstr("__popc")));
}

TEST(Kernels, StrategiesAreForced) {
  const auto forced = [](const plan::NodePtr& plan, const char* names) {
    std::string all;
    for (const std::string& text :
         exec::kernel_sources(split(*plan).back(), {}, codegen::parse_strategy(names)))
      all += text;
    return all;
  };
  EXPECT_THAT(forced(plans()[1], "lists"), HasSubstr("match<u32, Asked::kList, true>(job)"));
  const plan::NodePtr literal =
      aggregate(plan::filter(scan(), call("contains", {text(), literal_text("oo")})), {count_all()});
  EXPECT_THAT(forced(literal, "automata"), HasSubstr("match<u32, Asked::kAll, true>(job)"));
  EXPECT_EQ(forced(literal, "lists"), source(literal));
  EXPECT_EQ(forced(literal, "occupancy"), source(literal));
  EXPECT_THAT(forced(literal, "automata,occupancy"),
              HasSubstr("CountedMatchJob job) {\n  match<u32, Asked::kAll, true>(job);"));
  EXPECT_THAT(forced(literal, "automata"), testing::Not(HasSubstr("ounted")));
}

/// The constants' words of a query `x < limit`, and its sources.
std::pair<std::vector<kernel::u64>, std::string> with_limit(const Value& limit) {
  const Type type = limit.type();
  const auto rows = std::make_shared<Table>(Table{{{"x", type}}, {}});
  const plan::NodePtr plan =
      plan::aggregate(plan::filter(plan::values(rows), call("<", {column(0, type), literal(limit)})), {},
                      {count_all()}, {"n"});
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  const std::unique_ptr<DeviceSink> sink = sink_operator(pipeline).open_on_device(pipeline);
  const codegen::Program program = exec::make_program(pipeline.branches[0], sink->form(), {});
  const SectionSources sources(program, *sink, {0}, {{.type = type}});
  kernel::Job job{};
  sources.builder().set_constants(job);
  std::string all;
  for (const codegen::KernelText& text : sources.texts()) all += text.text();
  std::vector<uint64_t> constants;
  for (size_t i = 0; i < sources.builder().constants(); ++i)
    constants.push_back(job.words[sources.builder().layout().constant(i)]);
  return {constants, all};
}

TEST(Kernels, ConstantsOfComparisonsAreArguments) {
  using testing::ElementsAre;
  EXPECT_THAT(with_limit(Value::int32(-7)).first, ElementsAre(~uint64_t{6}));
  EXPECT_THAT(with_limit(Value::float64(1.5)).first, ElementsAre(0x3ff8000000000000));
  EXPECT_THAT(with_limit(Value(TypeId::kUInt64, uint128_t{UINT64_MAX})).first, ElementsAre(UINT64_MAX));
  EXPECT_THAT(with_limit(Value::varchar("x")).first, ElementsAre()) << "it does not fit";
  EXPECT_EQ(with_limit(Value::int32(1)).second, with_limit(Value::int32(2)).second);
  EXPECT_NE(with_limit(Value::int32(1)).second, with_limit(Value::int64(1)).second);
}

TEST(Kernels, SameSourceForSamePlan) { EXPECT_EQ(sources(plans()[2]), sources(plans()[2])); }

TEST(Kernels, ManyColumnsTakeAWiderJob) {
  const auto of_columns = [](size_t count) {
    std::vector<ExprPtr> outputs;
    for (size_t i = 0; i < count; ++i) outputs.push_back(i64());
    return plan::project(scan(), outputs, std::vector<std::string>(count, "x"));
  };
  const auto is_wide = [&](size_t count) {
    const plan::NodePtr plan = of_columns(count);
    const std::vector<std::string> all = exec::kernel_sources(split(*plan).back(), {});
    return std::all_of(all.begin(), all.end(), [](const std::string& text) {
      return text.find("#define LANEWISE_JOB_WORDS") != std::string::npos;
    });
  };
  EXPECT_FALSE(is_wide(50));
  EXPECT_TRUE(is_wide(60));
  EXPECT_TRUE(is_wide(240));
  const plan::NodePtr too_wide = of_columns(250);
  EXPECT_THAT(exec::not_on_device(split(*too_wide).back(), {}),
              HasSubstr("so many columns and patterns in one query"));
}

TEST(Kernels, WhatIsNotOfferedIsNamed) {
  const auto reason = [](const plan::NodePtr& plan) { return exec::not_on_device(split(*plan).back(), {}); };
  EXPECT_EQ(reason(plans()[0]), "");
  EXPECT_THAT(reason(plan::project(scan(), {call("regexp_matches", {text(), text()})}, {"u"})),
              HasSubstr("regexp_matches("));
  EXPECT_EQ(reason(aggregate(scan(), {distinct("count", i32()), distinct("count", i64())})), "");
  plan::AggregateCall first = call_of("first", {i32()}, TypeId::kInt32);
  first.order.resize(31, {.expr = i64()});
  EXPECT_THAT(reason(aggregate(scan(), {first})), HasSubstr("ORDER BY so many keys in an aggregate"));
}

/// A filter.
ExprPtr some_filter() { return call("IS NOT NULL", {literal(Value::int32(1))}); }

/// Arguments that the function takes, of these types.
std::optional<std::vector<ExprPtr>> arguments_of(const AggregateFunction& function,
                                                 const std::vector<Type>& types) {
  for (const size_t count : {0, 1, 2}) {
    for (const Type& type : types) {
      std::vector<ExprPtr> args;
      for (size_t i = 0; i < count; ++i) args.push_back(column(0, type));
      if (count == 2 && function.name.starts_with("quantile")) args[1] = literal(Value::float64(0.5));
      std::vector<Type> taken;
      for (const ExprPtr& arg : args) taken.push_back(arg->type);
      if (function.resolve(taken)) return args;
    }
  }
  return std::nullopt;
}

bool is_statistic(const AggregateFunction& function) {
  const auto has_name = [&](const AggregateFunction& one) { return one.name == function.name; };
  return function.name == "mad" || std::ranges::any_of(statistics_functions(), has_name);
}

TEST(Kernels, AllAggregatesButThoseOfStatisticsAreOffered) {
  size_t calls = 0;
  for (const AggregateFunction& function : aggregate_functions()) {
    for (const Type type :
         {Type(TypeId::kBool), Type(TypeId::kInt8), Type(TypeId::kUInt64), Type(TypeId::kInt128),
          Type(TypeId::kUInt128), Type::decimal(9, 2), Type(TypeId::kFloat32), Type(TypeId::kFloat64),
          Type(TypeId::kDate), Type(TypeId::kTime), Type::timestamp(TimeUnit::kMicro),
          Type(TypeId::kTimestampTz), Type(TypeId::kInterval), Type(TypeId::kVarchar), Type(TypeId::kBlob)}) {
      const auto args = arguments_of(function, {type});
      if (!args) continue;
      std::vector<Type> taken;
      for (const ExprPtr& arg : *args) taken.push_back(arg->type);
      if (function.resolve(taken)->is_nested()) continue;
      const plan::NodePtr rows = plan::scan(
          std::make_shared<FakeSource>(Schema{{"x", type}}, std::vector<std::vector<Value>>()), {0});
      for (const bool distinct : {false, true}) {
        plan::AggregateCall call = call_of(function.name.data(), *args, *function.resolve(taken),
                                           {.distinct = distinct, .filter = some_filter()});
        for (const std::vector<ExprPtr>& keys :
             {std::vector<ExprPtr>{}, std::vector<ExprPtr>{column(0, type)}})
          // The device makes rows of distinct values, which the host aggregates.
          EXPECT_EQ(exec::not_on_device(split(*group(rows, keys, {call})).back(), {}).empty(),
                    !is_statistic(function) || (distinct && args->size() == 1))
              << function.name << type.name() << distinct;
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 300);
}

TEST(Kernels, SortsNeedThePlugin) {
  setenv("LANEWISE_SORT", "nowhere/lanewise_sort.so", 1);
  EXPECT_THAT(exec::not_on_device(split(*plan::sort(scan(), {{.expr = i64()}})).back(), {}),
              HasSubstr("the plug-in that sorts on GPUs was not found"));
  unsetenv("LANEWISE_SORT");
}

TEST(Kernels, MediansKeepZerosApart) {
  EXPECT_THAT(source(aggregate(scan(), {call_of("median", {real()}, TypeId::kFloat64)})),
              HasSubstr("ExactKey<f64> k0;"));
  EXPECT_THAT(source(aggregate(scan(), {distinct("count", real())})), HasSubstr("  Key<f64> k0;"));
}

TEST(Kernels, SortsReadEachKeyOnce) {
  const std::string text = source(plan::sort(scan(), {{.expr = i32()}, {.expr = i64(), .descending = true}}));
  EXPECT_THAT(text, HasSubstr("order_of<false>(c1[row])"));
  EXPECT_THAT(text, HasSubstr("order_of<true>(c0[row])"));
}

}  // namespace section_sources_test
}  // namespace lanewise::ops
