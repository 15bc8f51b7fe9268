#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/testing/fake_source.h"
#include "exec/gpu/make_program.h"
#include "exec/gpu/run_on_device.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "ops/aggregate/functions/function_groups.h"
#include "ops/gpu/testing/call_of.h"

/// Plans of queries over one table, and the sources of their kernels.
namespace lanewise::ops::query_plans {

inline ExprPtr i64() { return column(0, TypeId::kInt64); }
inline ExprPtr i32() { return column(1, TypeId::kInt32); }
inline ExprPtr text() { return column(2, TypeId::kVarchar); }
inline ExprPtr money() { return column(3, Type::decimal(15, 2)); }
inline ExprPtr real() { return column(4, TypeId::kFloat64); }
inline ExprPtr literal_text(const char* value) { return literal(Value::varchar(value)); }
inline ExprPtr number(int32_t value) { return literal(Value::int32(value)); }

inline plan::NodePtr scan() {
  auto source = std::make_shared<FakeSource>(Schema{{"a", TypeId::kInt64},
                                                    {"b", TypeId::kInt32},
                                                    {"s", TypeId::kVarchar},
                                                    {"m", Type::decimal(15, 2)},
                                                    {"f", TypeId::kFloat64}},
                                             std::vector<std::vector<Value>>());
  return plan::scan(source, {0, 1, 2, 3, 4});
}

inline plan::NodePtr aggregate(plan::NodePtr child, std::vector<plan::AggregateCall> calls) {
  std::vector<std::string> names;
  for (const auto& call : calls) names.push_back(call.function);
  return plan::aggregate(std::move(child), {}, std::move(calls), std::move(names));
}

inline plan::AggregateCall sum(ExprPtr of, ExprPtr filter = nullptr) {
  const Type type = of->type.is_float()               ? Type(TypeId::kFloat64)
                    : of->type.id == TypeId::kDecimal ? Type::decimal(38, of->type.scale)
                                                      : Type(TypeId::kInt128);
  return call_of("sum", {std::move(of)}, type, {.filter = std::move(filter)});
}
inline plan::AggregateCall count_all() { return call_of("count_star", {}, TypeId::kInt64); }

inline plan::AggregateCall distinct(const char* function, ExprPtr arg, ExprPtr filter = nullptr) {
  const Type type = std::string_view(function) == "count" ? TypeId::kInt64 : TypeId::kInt128;
  return call_of(function, {std::move(arg)}, type, {.distinct = true, .filter = std::move(filter)});
}

/// The sources of the plan's last pipeline.
inline std::vector<std::string> sources(const plan::NodePtr& plan) {
  return exec::kernel_sources(split(*plan).back(), {});
}

inline plan::NodePtr group(plan::NodePtr child, std::vector<ExprPtr> keys,
                           std::vector<plan::AggregateCall> calls) {
  std::vector<std::string> names(keys.size() + calls.size(), "x");
  return plan::aggregate(std::move(child), std::move(keys), std::move(calls), std::move(names));
}

/// All of them as one text.
inline std::string source(const plan::NodePtr& plan) {
  std::string all;
  for (const std::string& text : sources(plan)) all += text;
  return all;
}

/// Days.
inline ExprPtr spell() { return call("to_days", {i32()}); }

/// Aggregates that fold values, each of them.
inline std::vector<plan::AggregateCall> folds(const ExprPtr& filter) {
  const ExprPtr wide = cast(i64(), TypeId::kInt128);
  std::vector<plan::AggregateCall> calls = {
      call_of("bool_and", {call("<", {i32(), number(7)})}, TypeId::kBool),
      call_of("bool_or", {call("<", {i32(), number(9)})}, TypeId::kBool, {.filter = filter}),
      call_of("avg", {call("+", {literal(Value(TypeId::kTimestamp, int128_t{0})), spell()})},
              TypeId::kTimestamp),
      call_of("avg", {spell()}, TypeId::kInterval)};
  for (const char* name : {"bit_and", "bit_or", "bit_xor"}) {
    for (const ExprPtr& arg : {i32(), i64(), wide}) calls.push_back(call_of(name, {arg}, arg->type));
  }
  for (const char* name :
       {"product", "kahan_sum", "favg", "stddev", "stddev_pop", "variance", "var_samp", "var_pop"}) {
    calls.push_back(call_of(name, {real()}, TypeId::kFloat64));
    calls.push_back(call_of(name, {real()}, TypeId::kFloat64, {.filter = filter}));
  }
  return calls;
}

/// Aggregates that pick a row, each of them.
inline std::vector<plan::AggregateCall> picks(const ExprPtr& filter) {
  std::vector<plan::AggregateCall> calls = {
      call_of("first", {text()}, TypeId::kVarchar),
      call_of("last", {i64()}, TypeId::kInt64),
      call_of("any_value", {call("lower", {text()})}, TypeId::kVarchar, {.filter = filter}),
      call_of("first", {real()}, TypeId::kFloat64, {.filter = filter}),
      call_of("min", {spell()}, TypeId::kInterval),
      call_of("max", {spell()}, TypeId::kInterval),
      call_of("arg_min", {text(), i32()}, TypeId::kVarchar),
      call_of("arg_max", {i32(), text()}, TypeId::kInt32, {.filter = filter}),
      call_of("arg_min_null", {money(), real()}, money()->type),
      call_of("arg_max_null", {cast(i64(), TypeId::kInt32), cast(i64(), TypeId::kInt128)}, TypeId::kInt32)};
  calls[0].order = {{.expr = i32(), .descending = true},
                    {.expr = call("upper", {text()}), .nulls_first = true}};
  calls[1].order = {{.expr = text()}, {.expr = real()}};
  return calls;
}

/// A plan for each part that sources are made of.
inline std::vector<plan::NodePtr> plans() {
  const ExprPtr like = call("contains", {text(), literal_text("oo")});
  const ExprPtr unlike = call("NOT", {call("regexp_matches", {text(), literal_text("[0-9]+x")})});
  const ExprPtr small = call("<", {i32(), number(7)});
  return {
      aggregate(scan(), {count_all(), sum(i64()), sum(i32()), sum(money()), sum(real())}),
      aggregate(plan::filter(scan(), conjunction({like, small, unlike})),
                {count_all(), sum(call("*", {money(), money()}), small)}),
      aggregate(plan::filter(scan(), disjunction({like, small})),
                {call_of("min", {money()}, money()->type),
                 call_of("max", {cast(i64(), TypeId::kInt128)}, TypeId::kInt128),
                 call_of("avg", {i32()}, TypeId::kFloat64), call_of("count", {text()}, TypeId::kInt64),
                 call_of("count_if", {like}, TypeId::kInt128)}),
      plan::project(plan::filter(scan(), small),
                    {text(), call("+", {i32(), number(1)}), like, cast(i64(), TypeId::kInt32, true)},
                    {"s", "next", "like", "try"}),
      plan::limit(scan(), 10, 3),
      group(plan::filter(scan(), conjunction({like, small})), {i32(), text()},
            {count_all(), sum(money()), sum(real(), small), call_of("avg", {money()}, TypeId::kFloat64),
             call_of("avg", {real()}, TypeId::kFloat64), call_of("count_if", {like}, TypeId::kInt128),
             call_of("max", {cast(i64(), TypeId::kInt128)}, TypeId::kInt128),
             call_of("min", {real()}, TypeId::kFloat64)}),
      group(scan(), {real(), cast(i64(), TypeId::kInt128), small}, {sum(cast(i64(), TypeId::kInt128))}),
      aggregate(plan::filter(scan(), disjunction({call("~~", {text(), literal_text("oo%")}),
                                                  call("~~", {text(), literal_text("%oo")}), like,
                                                  call("~~", {text(), literal_text("o%o")})})),
                {count_all()}),
      group(scan(), {i32()},
            {call_of("max", {text()}, TypeId::kVarchar), distinct("sum", i64(), small), count_all(),
             call_of("min", {coalesce({text(), literal_text("none")})}, TypeId::kVarchar)}),
      aggregate(scan(), {call_of("min", {text()}, TypeId::kVarchar, {.filter = small}), sum(i32())}),
      aggregate(scan(), {distinct("count", text())}),
      aggregate(scan(), {call_of("median", {real()}, TypeId::kFloat64)}),
      plan::sort(plan::filter(scan(), conjunction({like, small})),
                 {{.expr = i32(), .descending = true, .nulls_first = true},
                  {.expr = text()},
                  {.expr = cast(i64(), TypeId::kInt128)},
                  {.expr = call("+", {i64(), i64()})},
                  {.expr = real(), .descending = true},
                  {.expr = small},
                  {.expr = coalesce({text(), literal_text("none")}), .descending = true}},
                 10, 3),
      plan::distinct(plan::project(scan(), {coalesce({text(), literal_text("none")}), real()}, {"s", "f"})),
      group(plan::filter(scan(), call("<", {call("upper", {text()}), literal_text("X")})),
            {call("||", {text(), cast(i64(), TypeId::kVarchar)})}, {count_all()}),
      aggregate(scan(),
                {call_of("count_if", {call("=", {call("lower", {text()}), text()})}, TypeId::kInt128)}),
      plan::sort(scan(), {{.expr = call("lower", {text()})}}),
      aggregate(scan(), folds(small)),
      group(scan(), {i32()}, folds(small)),
      group(scan(), {text(), spell()}, picks(small)),
      aggregate(scan(), picks(small)),
      plan::distinct(plan::project(scan(), {spell()}, {"d"})),
      plan::sort(scan(), {{.expr = spell(), .descending = true}, {.expr = spell()}}),
      group(scan(), {call("lower", {text()})},
            {call_of("string_agg", {text(), literal_text("-")}, TypeId::kVarchar, {.distinct = true}),
             call_of("mode", {real()}, TypeId::kFloat64, {.filter = small})}),
  };
}

/// What a run has in addition where a strategy is forced.
inline std::vector<std::string> added_by(const char* strategy, const plan::NodePtr& plan) {
  const plan::Pipeline pipeline = std::move(split(*plan).back());
  std::vector<std::string> sources = exec::kernel_sources(pipeline, {}, codegen::parse_strategy(strategy));
  sources.erase(sources.begin(),
                sources.begin() + static_cast<ptrdiff_t>(exec::kernel_sources(pipeline, {}).size()));
  return sources;
}

inline std::vector<std::string> parts_of(const plan::NodePtr& plan) { return added_by("groups=parts", plan); }
inline std::vector<std::string> slots_of(const plan::NodePtr& plan) { return added_by("groups=slots", plan); }

/// Groups that may be made by parts, with records of 4, 8 and 16 bytes.
inline std::vector<plan::NodePtr> by_parts() {
  const ExprPtr small = call("<", {i32(), number(7)}), narrow = cast(i32(), TypeId::kInt8);
  const ExprPtr like = call("contains", {text(), literal_text("oo")});
  return {
      plan::distinct(plan::project(scan(), {call("IS NULL", {text()})}, {"x"})),
      group(scan(), {i32()}, {count_all(), call_of("count", {text()}, TypeId::kInt64)}),
      group(plan::filter(scan(), conjunction({like, small})), {small},
            {sum(i64(), small), call_of("min", {i64()}, TypeId::kInt64, {.filter = small}),
             call_of("count_if", {small}, TypeId::kInt128)}),
      group(scan(), {i32(), small},
            {sum(cast(narrow, TypeId::kInt16)), call_of("bit_xor", {narrow}, narrow->type)}),
      group(scan(), {narrow}, {sum(real()), call_of("stddev", {real()}, TypeId::kFloat64)}),
  };
}

}  // namespace lanewise::ops::query_plans
