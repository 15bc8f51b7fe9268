#include "ops/aggregate/aggregate.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/testing/short_memory.h"
#include "base/testing/test_size.h"
#include "ops/aggregate/functions.h"
#include "ops/aggregate/reference.h"
#include "primitives/random_column.h"

namespace lanewise::ops {
namespace {

/// How a test feeds the operator.
struct Feed {
  uint32_t chunk_rows = 100;
  size_t locals = 1;
  uint32_t skip = 0;  ///< rows where row % skip == 1 are not active; 0: all are
  MemoryBudget* budget = nullptr;
  Cancellation* cancellation = nullptr;
};

Table run(const plan::Aggregate& aggregate, const std::vector<ColumnPtr>& columns, const Feed& feed) {
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
void expect_near(const Value& actual, const Value& expected, double tolerance, const std::string& where) {
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
struct Input {
  std::vector<ColumnPtr> columns;
  int64_t rows;
};

ExprPtr column_of(const Input& input, size_t index) { return column(index, input.columns[index]->type); }

void expect_like_reference(const Input& input, const std::vector<size_t>& keys,
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
Input make_input(Type type, int64_t rows, double nulls, std::mt19937& random, bool dictionary = false) {
  Input input;
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

plan::AggregateCall call_of(const std::string& name, std::vector<ExprPtr> args) {
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
bool is_comparable(std::string_view name, const Type& type) {
  if (name == "kahan_sum" || name == "favg" || name == "product" || name == "sem" || name == "skewness") {
    return false;
  }
  if (name.starts_with("var_") || name.starts_with("stddev_") || name.starts_with("kurtosis")) return false;
  if (name == "avg" && type == Type(TypeId::kInterval)) return false;
  const bool wide = type.physical() == Physical::kInt128;
  return !wide || (name != "sum" && name != "avg");
}

/// Calls of one function, if it takes the type of column kArg.
void add_calls(const std::string& name, const Input& input, std::vector<plan::AggregateCall>& calls) {
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
void add_filtered_and_ordered(const std::vector<plan::AggregateCall>& plain, const Input& input,
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
void add_distinct(const std::vector<plan::AggregateCall>& plain, const Input& input,
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
std::vector<plan::AggregateCall> all_calls(const Input& input) {
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

TEST(Aggregate, EveryFunctionOfEveryTypeIsAsTheReference) {
  std::mt19937 random(21);
  const auto sizes = test_size<std::vector<int64_t>>({0, 1, 33, 65}, {0, 1, 31, 32, 33, 63, 64, 65, 400});
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    for (const int64_t rows : sizes) {
      for (const double nulls : {0.0, 0.25}) {
        const Input input = make_input(type, rows, nulls, random, rows == 65);
        const auto calls = all_calls(input);
        expect_like_reference(input, kNoKeys, calls, {});
        expect_like_reference(input, {0}, calls, {});
        if (rows >= 64) expect_like_reference(input, {1}, calls, {50, 1, 3});
      }
    }
  }
}

TEST(Aggregate, SeveralThreadsGiveTheSame) {
  std::mt19937 random(22);
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    const Input input = make_input(type, test_size(150, 500), 0.2, random);
    const auto calls = all_calls(input);
    expect_like_reference(input, kNoKeys, calls, {40, 3, 0});
    expect_like_reference(input, {1}, calls, {40, 3, 0});
    expect_like_reference(input, {0, 1, 2}, calls, {64, 5, 2});
  }
}

TEST(Aggregate, KeysOfEveryTypeAndNumber) {
  std::mt19937 random(23);
  for (const Type type : random::all_types()) {
    SCOPED_TRACE(type.name());
    for (const bool dictionary : {false, true}) {
      const Input input = make_input(type, 300, 0.15, random, dictionary);
      const std::vector<plan::AggregateCall> calls = {call_of("count_star", {}),
                                                      call_of("sum", {column_of(input, kOrder)})};
      for (const std::vector<size_t>& keys :
           std::vector<std::vector<size_t>>{{kArg}, {kArg, 0}, {1, kArg}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
        expect_like_reference(input, keys, calls, {100, 1, 0});
        expect_like_reference(input, keys, calls, {77, 2, 4});
      }
    }
  }
}

TEST(Aggregate, MomentsAndProductsWithinTheirTolerance) {
  std::mt19937 random(24);
  std::normal_distribution<double> normal(100, 3);
  std::vector<Value> values, keys;
  for (int row = 0; row < 3000; ++row) {
    values.push_back(row % 10 == 0 ? Value(TypeId::kFloat64) : Value::float64(normal(random)));
    keys.push_back(Value::int32(row % 17 == 0 ? 1000 + row : row % 3));
  }
  const Input input{{make_column(TypeId::kInt32, keys), make_column(TypeId::kFloat64, values)}, 3000};
  std::vector<plan::AggregateCall> calls;
  for (const char* name : {"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "sum",
                           "avg", "kahan_sum", "favg"}) {
    calls.push_back(call_of(name, {column_of(input, 1)}));
  }
  expect_like_reference(input, kNoKeys, calls, {100, 1, 0}, 1e-11);
  expect_like_reference(input, {0}, calls, {100, 1, 0}, 1e-11);
  expect_like_reference(input, {0}, calls, {64, 4, 2}, 1e-11);

  const Input small{
      {make_column(TypeId::kInt32, {Value::int32(1), Value::int32(1), Value::int32(2)}),
       make_column(TypeId::kFloat64, {Value::float64(3), Value::float64(-0.5), Value(TypeId::kFloat64)})},
      3};
  expect_like_reference(small, {0}, {call_of("product", {column_of(small, 1)})}, {2, 1, 0});
}

Value one_value(const std::string& name, const std::vector<Value>& values,
                std::vector<Value> constants = {}) {
  Type type;
  for (const Value& value : values) type = value.type();
  std::vector<ExprPtr> args = {column(0, type)};
  for (Value& constant : constants) args.push_back(literal(constant));
  plan::Aggregate aggregate;
  aggregate.aggregates = {call_of(name, args)};
  return run(aggregate, {make_column(type, values)}, {}).value(0, 0);
}

TEST(Aggregate, SumsOf128BitsRaiseWhereTheyOverflow) {
  const auto huge = [](int128_t value) { return Value(TypeId::kInt128, value); };
  const auto most = static_cast<int128_t>(~uint128_t{0} >> 1);
  EXPECT_EQ(one_value("sum", {huge(most), huge(-1)}), huge(most - 1));
  try {
    one_value("sum", {huge(most), huge(1)});
    FAIL() << "no overflow";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "Overflow in HUGEINT addition: 170141183460469231731687303715884105727 + 1");
  }
}

TEST(Aggregate, SumsOf64BitsDoNotOverflow) {
  std::vector<Value> values(1000, Value::int64(INT64_MAX));
  EXPECT_EQ(one_value("sum", values), Value(TypeId::kInt128, int128_t{INT64_MAX} * 1000));
  const Value largest(TypeId::kUInt64, uint128_t{UINT64_MAX});
  EXPECT_EQ(one_value("sum", std::vector<Value>(1000, largest)),
            Value(TypeId::kInt128, int128_t{UINT64_MAX} * 1000));
  // By group, where sums overflow and come back.
  Input input{{}, 3000};
  std::vector<Value> keys, numbers, naturals;
  for (int row = 0; row < 3000; ++row) {
    keys.push_back(Value::int32(row % 7));
    numbers.push_back(Value::int64(row % 900 < 500 ? INT64_MAX - row : INT64_MIN + row));
    naturals.emplace_back(TypeId::kUInt64,
                          uint128_t{UINT64_MAX} - static_cast<uint128_t>(row % 5 * (UINT64_MAX / 5)));
  }
  input.columns = {make_column(TypeId::kInt32, keys), make_column(TypeId::kInt64, numbers),
                   make_column(TypeId::kUInt64, naturals)};
  const std::vector<plan::AggregateCall> calls = {
      call_of("sum", {column_of(input, 1)}), call_of("sum", {column_of(input, 2)}),
      call_of("avg", {column_of(input, 1)}), call_of("avg", {column_of(input, 2)})};
  expect_like_reference(input, {0}, calls, {100, 1, 0});
  expect_like_reference(input, {0}, calls, {100, 3, 0});
  expect_like_reference(input, kNoKeys, calls, {100, 3, 0});
}

TEST(Aggregate, ExtremesOfZerosDoNotDependOnTheOrderOfRows) {
  for (const auto& zeros :
       {std::vector{-0.0, 0.0, 0.0}, std::vector{0.0, -0.0, -0.0}, std::vector{0.0, 0.0, -0.0}}) {
    std::vector<Value> keys(3, Value::int32(1)), values;
    for (const double zero : zeros) values.push_back(Value::float64(zero));
    const Input input{{make_column(TypeId::kInt32, keys), make_column(TypeId::kFloat64, values)}, 3};
    for (const bool grouped : {false, true}) {
      for (const Feed feed : {Feed{1}, Feed{2}, Feed{3}, Feed{1, 2}}) {
        plan::Aggregate aggregate;
        if (grouped) aggregate.keys.push_back(column_of(input, 0));
        aggregate.aggregates = {call_of("min", {column_of(input, 1)}), call_of("max", {column_of(input, 1)})};
        const Table table = run(aggregate, input.columns, feed);
        EXPECT_TRUE(std::signbit(table.value(0, grouped).real()));
        EXPECT_FALSE(std::signbit(table.value(0, 1 + grouped).real()));
      }
    }
  }
}

TEST(Aggregate, AveragesOfTimesAndIntervals) {
  const auto days = [](int32_t months, int32_t day, int64_t micros) {
    return Value(TypeId::kInterval, Interval{months, day, micros});
  };
  EXPECT_EQ(one_value("avg", {days(1, 1, 1), days(2, 2, 3)}).interval(), (Interval{1, 16, 43'200'000'002}));
  const auto time = [](int64_t micros) { return Value(TypeId::kTime, int128_t{micros}); };
  EXPECT_EQ(one_value("avg", {time(1), time(2), time(2)}), time(2));
  EXPECT_EQ(one_value("avg", {time(1), time(1), time(2)}), time(1));
}

TEST(Aggregate, QuantilesOfDecimalSharesAreExact) {
  std::vector<Value> values;
  for (int i = 1; i <= 10; ++i) values.push_back(Value::int32(i));
  const auto share = [](int128_t tenths) { return Value(Type::decimal(2, 1), tenths); };
  EXPECT_EQ(one_value("quantile_disc", values, {share(3)}), Value::int32(3));
  EXPECT_EQ(one_value("quantile_disc", values, {share(-3)}), Value::int32(8));
  EXPECT_EQ(one_value("quantile_disc", values, {share(0)}), Value::int32(1));
  EXPECT_EQ(one_value("quantile_disc", values, {share(10)}), Value::int32(10));
  EXPECT_EQ(one_value("quantile_cont", values, {share(5)}), Value::float64(5.5));
  EXPECT_THROW(one_value("quantile_cont", values, {share(11)}), UserError);
  EXPECT_THROW(one_value("quantile_disc", values, {Value(Type::decimal(2, 1))}), UserError);
}

TEST(Aggregate, DeviationOfInfinityIsAnError) {
  EXPECT_THROW(one_value("stddev", {Value::float64(INFINITY), Value::float64(1)}), UserError);
  EXPECT_TRUE(one_value("stddev", {Value::float64(1)}).is_null());
  EXPECT_EQ(one_value("stddev_pop", {Value::float64(1)}), Value::float64(0));
}

TEST(Aggregate, ManyGroupsAcrossThreads) {
  const int64_t kRows = test_size(50'000, 300'000), kGroups = test_size(20'000, 90'000);
  ColumnBuilder keys(TypeId::kInt64), texts(TypeId::kVarchar), numbers(TypeId::kInt64);
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t key = row * 7919 % kGroups;
    keys.append_physical(key << 20);
    texts.append_text("key " + std::to_string(key));
    numbers.append_physical(row);
  }
  const std::vector<ColumnPtr> columns = {keys.finish(), texts.finish(), numbers.finish()};
  std::vector<int64_t> counts(kGroups), sums(kGroups);
  for (int64_t row = 0; row < kRows; ++row) {
    ++counts[static_cast<size_t>(row * 7919 % kGroups)];
    sums[static_cast<size_t>(row * 7919 % kGroups)] += row;
  }
  const ExprPtr number = column(2, TypeId::kInt64);
  plan::AggregateCall distinct = call_of("count", {number});
  distinct.distinct = true;
  for (const size_t key : {0, 1}) {
    for (const auto& [locals, is_short] : {std::pair{1, false}, {1, true}, {2, true}, {4, false}}) {
      ShortMemory memory;
      Feed feed{2000, static_cast<size_t>(locals)};
      if (is_short) feed.budget = &memory.budget;
      plan::Aggregate aggregate;
      aggregate.keys = {column(key, columns[key]->type)};
      aggregate.aggregates = {call_of("count_star", {}), call_of("sum", {number}),
                              call_of("median", {number}), distinct};
      const Table table = run(aggregate, columns, feed);
      ASSERT_EQ(table.rows(), kGroups);
      for (const Batch& batch : table.batches) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          const Value value = batch.columns[0]->value(row);
          const auto group =
              static_cast<size_t>(key == 0 ? value.integer() >> 20 : std::stoll(value.text().substr(4)));
          ASSERT_EQ(batch.columns[1]->value(row).integer(), counts[group]);
          ASSERT_EQ(batch.columns[2]->value(row).integer(), sums[group]);
          ASSERT_EQ(batch.columns[4]->value(row).integer(), counts[group]);
        }
      }
    }
  }
}

/// this many groups of one or two rows that a thread stops to look for keys it has seen.
TEST(Aggregate, KeysThatAreMostlyNew) {
  const int64_t kRows = test_size(200'000, 600'000), kGroups = kRows * 9 / 10;
  ColumnBuilder a(TypeId::kInt32), b(TypeId::kInt32), texts(TypeId::kVarchar), numbers(TypeId::kInt64),
      reals(TypeId::kFloat64);
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t group = row % kGroups;
    a.append_physical(static_cast<int32_t>(group));
    group % 100 == 7 ? b.append_null() : b.append_physical(static_cast<int32_t>(group % 1000));
    texts.append_text("text " + std::to_string(group));
    numbers.append_physical(row);
    reals.append_physical(static_cast<double>(row));
  }
  const std::vector<ColumnPtr> columns = {a.finish(), b.finish(), texts.finish(), numbers.finish(),
                                          reals.finish()};
  const ExprPtr text = column(2, TypeId::kVarchar), number = column(3, TypeId::kInt64);
  const std::vector<std::vector<size_t>> key_sets = {{0}, {0, 1}, {2}, {0, 2}};
  const std::vector<plan::AggregateCall> copied = {call_of("count_star", {}), call_of("sum", {number}),
                                                   call_of("min", {text}), call_of("first", {number}),
                                                   call_of("stddev_pop", {column(4, TypeId::kFloat64)})};
  std::vector<plan::AggregateCall> with_kept = copied;  // the median keeps its values in place
  with_kept.push_back(call_of("median", {number}));
  for (const std::vector<size_t>& keys : key_sets) {
    for (const auto& [kept, is_short] : {std::pair{false, false}, {true, false}, {true, true}}) {
      ShortMemory memory;
      Feed feed{2000, 2};
      if (is_short) feed.budget = &memory.budget;
      plan::Aggregate aggregate;
      for (const size_t key : keys) aggregate.keys.push_back(column(key, columns[key]->type));
      aggregate.aggregates = kept ? with_kept : copied;
      const Table table = run(aggregate, columns, feed);
      ASSERT_EQ(table.rows(), kGroups);
      for (const Batch& batch : table.batches) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          const auto value = [&](size_t call) { return batch.columns[keys.size() + call]->value(row); };
          const int64_t group = value(3).integer();  // the first of its rows
          const bool twice = group + kGroups < kRows;
          ASSERT_EQ(batch.columns[0]->value(row), columns[keys[0]]->value(group));
          ASSERT_EQ(batch.columns[keys.size() - 1]->value(row), columns[keys.back()]->value(group));
          ASSERT_EQ(value(0).integer(), twice ? 2 : 1);
          ASSERT_EQ(value(1).integer(), twice ? 2 * group + kGroups : group);
          ASSERT_EQ(value(2), columns[2]->value(group));
          ASSERT_EQ(value(4).real(), twice ? static_cast<double>(kGroups) / 2 : 0);
        }
      }
    }
  }
}

TEST(Aggregate, NamesGroupByWhenTheBudgetIsSpent) {
  std::mt19937 random(25);
  const Input input{
      {make_column(TypeId::kVarchar, random::values(TypeId::kVarchar, 60000, 60000, 0, random))}, 60000};
  for (const auto& [keys, name] : std::vector<std::pair<std::vector<ExprPtr>, std::string>>{
           {{column_of(input, 0)}, "count_star"}, {{}, "string_agg"}}) {
    MemoryBudget budget(size_t{1} << 20);
    plan::Aggregate aggregate;
    aggregate.keys = keys;
    aggregate.aggregates = {name == "string_agg" ? call_of(name, {column_of(input, 0)}) : call_of(name, {})};
    Feed feed{1000, 2};
    feed.budget = &budget;
    try {
      run(aggregate, input.columns, feed);
      FAIL() << "1 MiB was enough";
    } catch (const MemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("GROUP BY"), std::string::npos) << error.what();
    }
    EXPECT_EQ(budget.used(), 0) << "all memory is given back";
  }
}

TEST(Aggregate, StopsWhenCancelled) {
  std::mt19937 random(26);
  const Input input = make_input(TypeId::kInt64, 1000, 0, random);
  for (const std::vector<ExprPtr>& keys : {std::vector<ExprPtr>{}, {column_of(input, 1)}}) {
    for (const size_t locals : {1, 3}) {
      Cancellation cancellation;
      cancellation.cancel();
      plan::Aggregate aggregate;
      aggregate.keys = keys;
      aggregate.aggregates = {call_of("median", {column_of(input, kArg)})};
      Feed feed{100, locals};
      feed.cancellation = &cancellation;
      EXPECT_THROW(run(aggregate, input.columns, feed), CancelledError);
    }
  }
}

TEST(Aggregate, RefusesPlansThatDoNotFit) {
  plan::Aggregate aggregate;
  aggregate.aggregates.emplace_back();
  aggregate.aggregates[0].function = "no_such_function";
  EXPECT_THROW(make_aggregate(aggregate, {}, {}), InternalError);
  aggregate.aggregates[0] = call_of("sum", {column(0, TypeId::kInt32)});
  aggregate.aggregates[0].type = TypeId::kInt64;
  EXPECT_THROW(make_aggregate(aggregate, {}, {}), InternalError);
}

TEST(AggregateFunctions, AreFoundByTheirNames) {
  const Type whole[] = {TypeId::kInt64};
  const Type text[] = {TypeId::kVarchar};
  for (const char* name : {"sum", "sum_no_overflow", "avg", "mean", "arbitrary", "count", "mode", "median"}) {
    EXPECT_NE(find_aggregate(name, whole), nullptr) << name;
  }
  EXPECT_EQ(find_aggregate("sum", text), nullptr);
  EXPECT_EQ(find_aggregate("listagg", text), find_aggregate("string_agg", text));
  EXPECT_EQ(find_aggregate("nothing", whole), nullptr);
  for (const AggregateFunction& function : aggregate_functions()) {
    EXPECT_FALSE(function.documentation.empty()) << function.name;
    EXPECT_NE(function.example.find(" -- "), std::string_view::npos) << function.name;
  }
}

}  // namespace
}  // namespace lanewise::ops
