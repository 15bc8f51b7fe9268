#include "exec/device/aggregates.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "data/physical_value.h"
#include "exec/device/states-inl.h"
#include "expr/device/emitter.h"
#include "expr/numbers.h"
#include "ops/aggregate/average.h"
#include "ops/aggregate/functions.h"

namespace lanewise::exec {

namespace {

using Takes = DeviceAggregate::Takes;
using Keeps = DeviceAggregate::Keeps;

/// The states, one after the other.
template <class State, class F>
void for_each_state(StateArray states, F f) {
  for (size_t i = 0; i < states.count; ++i) {
    State state;
    std::memcpy(&state, states.first + i * states.stride, sizeof(State));
    f(state);
  }
}

Value finish_count(const plan::AggregateCall& call, StateArray states) {
  return {call.type, int128_t{count_rows(states)}};
}

/// What the sums of values of type T come to; the blocks' sums are put together in 128 bits at least.
template <class T>
int128_t total_of(StateArray states, int64_t& count) {
  using State = kernel::WholeSum<T>;
  kernel::WholeSum<int128_t> all{};
  for_each_state<State>(states, [&](const State& one) {
    if constexpr (sizeof(T) == 16) {
      all.merge(one);
    } else {
      all.add(one.total());
    }
    count += one.count;
  });
  if (all.overflows()) throw UserError("Overflow in HUGEINT addition");
  return all.total();
}

double real_sum(StateArray states, int64_t& count) {
  double sum = 0;
  for_each_state<kernel::RealSum>(states, [&](const kernel::RealSum& one) {
    sum += one.sum;
    count += one.count;
  });
  return sum;
}

template <class T>
Value finish_sum(const plan::AggregateCall& call, StateArray states) {
  if constexpr (std::is_floating_point_v<T>) {
    int64_t count = 0;
    const double sum = real_sum(states, count);
    return count == 0 ? Value(call.type) : Value(call.type, sum);
  } else {
    int64_t count = 0;
    const int128_t total = total_of<T>(states, count);
    return count == 0 ? Value(call.type) : Value(call.type, total);
  }
}

template <class T>
Value finish_average(const plan::AggregateCall& call, StateArray states) {
  if constexpr (std::is_floating_point_v<T>) {
    int64_t count = 0;
    const double sum = real_sum(states, count);
    return count == 0 ? Value(call.type) : Value(call.type, sum / static_cast<double>(count));
  } else {
    int64_t count = 0;
    const int128_t total = total_of<T>(states, count);
    return count == 0 ? Value(call.type)
                      : Value(call.type, ops::AverageRule(call.args[0]->type)(total, count));
  }
}

template <class T, bool kMost>
Value finish_extremum(const plan::AggregateCall& call, StateArray states) {
  kernel::Extremum<T, kMost> best{};
  for_each_state<decltype(best)>(states, [&](const auto& one) { best.merge(one); });
  return best.count == 0 ? Value(call.type) : to_value(call.type, best.best.get());
}

bool is_sum(std::string_view name) { return name == "sum" || name == "sum_no_overflow"; }

[[noreturn]] void refuse(const plan::AggregateCall& call, const char* why) {
  std::string args;
  for (const ExprPtr& arg : call.args) args += (args.empty() ? "" : ", ") + arg->type.name();
  throw expr::NotOnDevice(fmt::format("{}({}){} is not offered on devices", call.function, args, why));
}

DeviceAggregate of_values(const plan::AggregateCall& call) {
  const Type type = call.args[0]->type;
  const std::string name = expr::device_type(type);
  return visit(type.physical(), [&](auto zero) -> DeviceAggregate {
    using T = decltype(zero);
    if constexpr (expr::is_number<T>) {
      if (call.function == "min") {
        return {call,
                Takes::kValue,
                Keeps::kLeast,
                "Extremum<" + name + ", false>",
                sizeof(kernel::Extremum<T, false>),
                finish_extremum<T, false>};
      }
      if (call.function == "max") {
        return {call,
                Takes::kValue,
                Keeps::kMost,
                "Extremum<" + name + ", true>",
                sizeof(kernel::Extremum<T, true>),
                finish_extremum<T, true>};
      }
      if constexpr (std::is_same_v<T, double>) {
        constexpr size_t kBytes = sizeof(kernel::RealSum);
        if (is_sum(call.function))
          return {call, Takes::kValue, Keeps::kSum, "RealSum", kBytes, finish_sum<T>};
        if (is_average(call)) return {call, Takes::kValue, Keeps::kSum, "RealSum", kBytes, finish_average<T>};
      } else if constexpr (!std::is_floating_point_v<T> && !std::is_same_v<T, uint128_t>) {
        const std::string state = "WholeSum<" + name + ">";
        constexpr size_t kBytes = sizeof(kernel::WholeSum<T>);
        if (is_sum(call.function)) return {call, Takes::kValue, Keeps::kSum, state, kBytes, finish_sum<T>};
        if (is_average(call) && call.type.id == TypeId::kFloat64)
          return {call, Takes::kValue, Keeps::kSum, state, kBytes, finish_average<T>};
      }
    }
    refuse(call, "");
  });
}

/// The first or last string in the order of their bytes.
DeviceAggregate of_texts(const plan::AggregateCall& call) {
  if (call.function != "min" && call.function != "max") refuse(call, "");
  return {call, Takes::kValue, call.function == "min" ? Keeps::kLeast : Keeps::kMost, "", 0, nullptr};
}

const ops::AggregateFunction& function_of(const plan::AggregateCall& call) {
  std::vector<Type> types;
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  const ops::AggregateFunction* function = ops::find_aggregate(call.function, types);
  if (function == nullptr) throw InternalError("no aggregate function " + call.function);
  return *function;
}

}  // namespace

bool is_distinct(const plan::AggregateCall& call) {
  if (!call.distinct || call.args.empty()) return false;
  const ops::AggregateFunction& function = function_of(call);
  if (function.distinct_matters && function.order_matters) refuse(call, " of DISTINCT values");
  return function.distinct_matters;
}

bool is_ranked(const plan::AggregateCall& call) {
  if (call.distinct || !call.order.empty()) return false;
  const std::string_view name = function_of(call).name;
  return name == "median" || name == "quantile_disc" || name == "quantile_cont";
}

bool is_average(const plan::AggregateCall& call) { return call.function == "avg" || call.function == "mean"; }

int64_t count_rows(StateArray counts) {
  int64_t rows = 0;
  for_each_state<kernel::Count>(counts, [&](const kernel::Count& one) { rows += one.count; });
  return rows;
}

DeviceAggregate device_aggregate(const plan::AggregateCall& call) {
  const ops::AggregateFunction& function = function_of(call);
  const auto counts = [&](Takes takes) {
    return DeviceAggregate{call, takes, Keeps::kCount, "Count", sizeof(kernel::Count), finish_count};
  };
  if (function.name == "count_star") return counts(Takes::kRows);
  if (function.name == "count") return counts(Takes::kPresent);
  if (function.name == "count_if") return counts(Takes::kTrue);
  if (call.args.size() != 1) refuse(call, "");
  return call.args[0]->type.is_string() ? of_texts(call) : of_values(call);
}

}  // namespace lanewise::exec
