#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ops/aggregate/aggregate.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/testing/reference.h"
#include "primitives/testing/random_column.h"

/// Aggregates of random columns, fed chunk by chunk and compared with their plain meaning.
namespace lanewise::ops::fed {

/// How a test feeds the operator.
struct Feed {
  uint32_t chunk_rows = 100;
  size_t locals = 1;
  uint32_t skip = 0;  ///< rows where row % skip == 1 are not active; 0: all are
  MemoryBudget* budget = nullptr;
  Cancellation* cancellation = nullptr;
};

inline Table run(const plan::Aggregate& aggregate, const std::vector<ColumnPtr>& columns, const Feed& feed) {
  Schema input;
  for (const ColumnPtr& column : columns) input.push_back({"", column->type});
  Schema output;
  for (const ExprPtr& key : aggregate.keys) output.push_back({"", key->type});
  for (const auto& call : aggregate.aggregates) output.push_back({"", call.type});
  const auto sink = make_aggregate(aggregate, input, output);
  Arena arena;
  const std::vector<lanes::Target> targets =
      lanes::supported_targets();  // each chunk uses another instruction set
  EvalContext context{&arena, lanes::simd(), feed.budget, feed.cancellation};
  std::vector<std::unique_ptr<Sink::Local>> locals;
  for (size_t i = 0; i < feed.locals; ++i) locals.push_back(sink->local());
  const int64_t rows = columns[0]->rows;
  uint64_t order = 0;
  for (int64_t first = 0; first < rows; first += feed.chunk_rows, ++order) {
    arena.reset();
    context.target = targets[order % targets.size()];
    const auto count = static_cast<uint32_t>(std::min<int64_t>(feed.chunk_rows, rows - first));
    Chunk chunk{order, count, {}, ActiveSet(count, arena)};
    for (const ColumnPtr& column : columns) chunk.columns.push_back(slice(*column, first, count, arena));
    if (feed.skip != 0) {
      auto* drop = arena.allocate<uint64_t>(bits::words(count));
      std::fill_n(drop, bits::words(count), 0);
      for (uint32_t row = 0; row < count; ++row) {
        if ((static_cast<uint64_t>(first) + row) % feed.skip == 1) bits::set(drop, row);
      }
      chunk.active.remove(drop);
    }
    sink->consume(*locals[(order * 7 + 3) % feed.locals], chunk, context);
  }
  return sink->finish(std::move(locals), context);
}

/// Equal, or almost equal for floating-point numbers.
inline void expect_near(const Value& actual, const Value& expected, double tolerance,
                        const std::string& where) {
  ASSERT_EQ(actual.type(), expected.type()) << where;
  if (!actual.type().is_float() || actual.is_null() || expected.is_null()) {
    ASSERT_EQ(actual, expected) << where << ": " << actual.to_string() << " instead of "
                                << expected.to_string();
    return;
  }
  const double a = actual.real(), b = expected.real();
  if (std::isnan(b) || std::isinf(b)) {
    ASSERT_EQ(actual, expected) << where;
  } else {
    ASSERT_NEAR(a, b, tolerance * std::max(1.0, std::abs(b))) << where;
  }
}

/// The columns of a test: 0 to 2 are keys, the rest arguments.
struct TestColumns {
  std::vector<ColumnPtr> columns;
  int64_t rows;
};

inline ExprPtr column_of(const TestColumns& input, size_t index) {
  return column(index, input.columns[index]->type);
}

inline void expect_like_reference(const TestColumns& input, const std::vector<size_t>& keys,
                                  const std::vector<plan::AggregateCall>& calls, const Feed& feed,
                                  double tolerance = 1e-12) {
  plan::Aggregate aggregate;
  for (const size_t key : keys) aggregate.keys.push_back(column_of(input, key));
  aggregate.aggregates = calls;
  const Table table = run(aggregate, input.columns, feed);

  std::vector<std::vector<Value>> groups;
  std::vector<std::vector<int64_t>> rows_of;
  if (keys.empty()) groups.emplace_back(), rows_of.emplace_back();
  for (int64_t row = 0; row < input.rows; ++row) {
    if (feed.skip != 0 && row % feed.skip == 1) continue;
    std::vector<Value> key;
    for (const size_t k : keys) key.push_back(input.columns[k]->value(row));
    const auto found = std::find(groups.begin(), groups.end(), key);
    if (found == groups.end()) {
      groups.push_back(key);
      rows_of.push_back({row});
    } else {
      rows_of[static_cast<size_t>(found - groups.begin())].push_back(row);
    }
  }
  ASSERT_EQ(table.rows(), static_cast<int64_t>(groups.size()));
  std::vector<bool> met(groups.size());
  for (int64_t out = 0; out < table.rows(); ++out) {
    std::vector<Value> key;
    for (size_t k = 0; k < keys.size(); ++k) key.push_back(table.value(out, k));
    const auto group = static_cast<size_t>(std::find(groups.begin(), groups.end(), key) - groups.begin());
    ASSERT_LT(group, groups.size()) << "a key that is not in the input";
    ASSERT_FALSE(met[group]) << "a key twice";
    met[group] = true;
    for (size_t c = 0; c < calls.size(); ++c) {
      std::vector<reference::Row> rows;
      for (const int64_t row : rows_of[group]) {
        const auto value_of = [&](const ExprPtr& expr) {
          return expr->kind == Expr::Kind::kLiteral ? expr->literal : input.columns[expr->column]->value(row);
        };
        if (calls[c].filter != nullptr && !value_of(calls[c].filter).is_true()) continue;
        rows.emplace_back();
        for (const ExprPtr& arg : calls[c].args) rows.back().args.push_back(value_of(arg));
        for (const plan::SortKey& sort : calls[c].order) rows.back().order.push_back(value_of(sort.expr));
      }
      expect_near(
          table.value(out, keys.size() + c), reference::aggregate(calls[c], rows), tolerance,
          calls[c].function + "(" + (calls[c].args.empty() ? "" : calls[c].args[0]->type.name()) + ")");
    }
  }
}

/// Keys of three kinds in columns 0 to 2, a condition in 3, order keys in 4 and 5, `type` in 6 and 7.
inline TestColumns make_input(Type type, int64_t rows, double nulls, std::mt19937& random,
                              bool dictionary = false) {
  TestColumns input;
  input.rows = rows;
  const auto add = [&](Type of, uint32_t distinct, double share) {
    const auto values = random::values(of, static_cast<size_t>(rows), distinct, share, random);
    const ColumnPtr plain = make_column(of, values);
    input.columns.push_back(dictionary ? random::dictionary_of(*plain) : plain);
  };
  add(TypeId::kInt32, 12, nulls);
  add(TypeId::kVarchar, 20, nulls);
  add(TypeId::kFloat64, 6, nulls);
  add(TypeId::kBool, 2, nulls);
  add(TypeId::kInt16, 5, nulls);
  add(TypeId::kVarchar, 9, nulls);
  add(type, 30, nulls);
  add(type, 10, nulls);
  return input;
}

constexpr size_t kCondition = 3, kOrder = 4, kOrderText = 5, kArg = 6, kOther = 7;

inline plan::AggregateCall call_of(const std::string& name, std::vector<ExprPtr> args) {
  std::vector<Type> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  const AggregateFunction* function = find_aggregate(name, types);
  if (function == nullptr) throw InternalError("no " + name);
  plan::AggregateCall call;
  call.function = name;
  call.args = std::move(args);
  call.type = *function->resolve(types);
  return call;
}

/// Products of many large numbers and deviations around infinity have no useful tolerance; what is lost next
/// to infinity is NaN. Sums of the extremes of wide integers overflow, see below.
inline bool is_comparable(std::string_view name, const Type& type) {
  if (name == "kahan_sum" || name == "favg" || name == "product" || name == "sem" || name == "skewness") {
    return false;
  }
  if (name.starts_with("var_") || name.starts_with("stddev_") || name.starts_with("kurtosis")) return false;
  if (name == "avg" && type == Type(TypeId::kInterval)) return false;
  const bool wide = type.physical() == Physical::kInt128;
  return !wide || (name != "sum" && name != "avg");
}

/// Calls of one function, if it takes the type of column kArg.
inline void add_calls(const std::string& name, const TestColumns& input,
                      std::vector<plan::AggregateCall>& calls) {
  const ExprPtr arg = column_of(input, kArg);
  const Type one[] = {arg->type};
  if (name.starts_with("quantile")) {
    for (const double share : {0.0, 0.3, 1.0, -0.25}) {
      const ExprPtr constant = literal(Value::float64(share));
      const Type two[] = {arg->type, constant->type};
      if (find_aggregate(name, two) != nullptr) calls.push_back(call_of(name, {arg, constant}));
    }
  } else if (name.starts_with("arg_") || name.ends_with("_by")) {
    calls.push_back(call_of(name, {arg, column_of(input, kOrder)}));
    calls.push_back(call_of(name, {arg, column_of(input, kOrderText)}));
    calls.push_back(call_of(name, {column_of(input, kOrderText), arg}));
  } else if (name == "string_agg") {
    for (const Value& separator : {Value::varchar("--"), Value(TypeId::kVarchar)}) {
      calls.push_back(call_of(name, {column_of(input, kOrderText), literal(separator)}));
    }
  } else if (find_aggregate(name, one) != nullptr) {
    calls.push_back(call_of(name, {arg}));
  }
}

/// `plain` again: with FILTER, with ORDER BY, with both.
inline void add_filtered_and_ordered(const std::vector<plan::AggregateCall>& plain, const TestColumns& input,
                                     std::vector<plan::AggregateCall>& calls) {
  const ExprPtr arg = column_of(input, kArg);
  for (size_t i = 0; i < plain.size(); ++i) {
    plan::AggregateCall call = plain[i];
    call.filter = column_of(input, kCondition);
    calls.push_back(call);
    const AggregateFunction* function =
        find_aggregate(call.function, std::vector<Type>(call.args.empty() ? 0 : 1, arg->type));
    if (function == nullptr || !function->order_matters) continue;
    call.order = {{column_of(input, kOrder), i % 2 == 0, i % 3 == 0},
                  {column_of(input, kOrderText), i % 3 == 1, true}};
    calls.push_back(call);
    call.order = {{column_of(input, kOrder), true, false}};
    call.filter = nullptr;
    calls.push_back(call);
  }
}

/// `plain` again with DISTINCT, where it is said which of the distinct rows comes first.
inline void add_distinct(const std::vector<plan::AggregateCall>& plain, const TestColumns& input,
                         std::vector<plan::AggregateCall>& calls) {
  const Type type = column_of(input, kArg)->type;
  const bool has_equal_forms = type.is_float() || type.id == TypeId::kInterval;  // such as -0.0 and 0.0
  for (size_t i = 1; i < plain.size(); ++i) {
    plan::AggregateCall call = plain[i];
    if (call.function == "string_agg" || call.function == "list") {
      call.order = {{call.args[0], i % 2 == 0, false}};
    } else if (call.function == "first" || call.function == "last" || call.function == "any_value" ||
               call.function == "mode" || call.args.size() == 2) {
      continue;
    }
    if (call.type.is_nested() && has_equal_forms) continue;
    call.distinct = true;
    if (i % 2 == 0) call.filter = column_of(input, kCondition);
    calls.push_back(call);
  }
}

/// Calls of every function that takes the type of column kArg, plain and with FILTER, DISTINCT, ORDER BY.
inline std::vector<plan::AggregateCall> all_calls(const TestColumns& input) {
  const Type type = column_of(input, kArg)->type;
  std::vector<plan::AggregateCall> calls = {call_of("count_star", {})};
  for (const AggregateFunction& function : aggregate_functions()) {
    if (is_comparable(function.name, type)) add_calls(std::string(function.name), input, calls);
  }
  const std::vector<plan::AggregateCall> plain = calls;
  add_filtered_and_ordered(plain, input, calls);
  add_distinct(plain, input, calls);
  return calls;
}

const std::vector<size_t> kNoKeys = {};

}  // namespace lanewise::ops::fed
