#include "ops/aggregate/gpu/aggregates.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "data/physical_value.h"
#include "expr/codegen/emitter.h"
#include "expr/numbers.h"
#include "ops/aggregate/functions/average.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/functions/moments.h"
#include "ops/aggregate/gpu/folds-inl.h"
#include "ops/aggregate/gpu/states-inl.h"

namespace lanewise::ops {

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
    if (count == 0) return Value(call.type);
    if (call.type.id != TypeId::kFloat64) return {call.type, int128_t{average_instant(total, count)}};
    return {call.type, AverageRule(call.args[0]->type)(total, count)};
  }
}

/// All of them put together.
template <class State>
State merged(StateArray states) {
  State all{};
  for_each_state<State>(states, [&](const State& one) { all.merge(one); });
  return all;
}

template <class T, kernel::Fold kOperation>
Value finish_bits(const plan::AggregateCall& call, StateArray states) {
  const auto all = merged<kernel::BitFold<T, kOperation>>(states);
  return all.count == 0 ? Value(call.type) : to_value(call.type, all.bits.get());
}

Value finish_product(const plan::AggregateCall& call, StateArray states) {
  const auto all = merged<kernel::Product>(states);
  return all.count == 0 ? Value(call.type) : Value(call.type, all.product);
}

/// kahan_sum, favg.
Value finish_exact_sum(const plan::AggregateCall& call, StateArray states) {
  kernel::ExactRealSum all{};
  int64_t count = 0;
  for_each_state<kernel::ExactRealSum>(states, [&](const kernel::ExactRealSum& one) {
    all.merge(one);
    count += one.count;
  });
  if (count == 0) return Value(call.type);
  return {call.type, is_average(call) ? all.sum / static_cast<double>(count) : all.sum};
}

Value finish_spread(const plan::AggregateCall& call, StateArray states) {
  Moments all;
  for_each_state<kernel::Moments>(
      states, [&](const kernel::Moments& one) { all.add(Moments{one.count, one.mean, one.squares}); });
  const std::optional<double> result = function_of(call).of_moments(all);
  return result ? Value(call.type, *result) : Value(call.type);
}

template <class T, bool kMost>
Value finish_extremum(const plan::AggregateCall& call, StateArray states) {
  kernel::Extremum<T, kMost> best{};
  for_each_state<decltype(best)>(states, [&](const auto& one) { best.merge(one); });
  return best.count == 0 ? Value(call.type) : to_value(call.type, best.best.get());
}

[[noreturn]] void refuse(const plan::AggregateCall& call, const char* why) {
  std::string args;
  for (const ExprPtr& arg : call.args) args += (args.empty() ? "" : ", ") + arg->type.name();
  throw expr::NotOnDevice(fmt::format("{}({}){} is not supported on GPUs", call.function, args, why));
}

/// An aggregate of an argument's values, whose state is of the type State.
template <class State>
DeviceAggregate of_value(const plan::AggregateCall& call, Keeps keeps, std::string state,
                         Value (*finish)(const plan::AggregateCall&, StateArray)) {
  return {call, Takes::kValue, keeps, std::move(state), sizeof(State), finish};
}

template <class T, bool kMost>
DeviceAggregate extremum(const plan::AggregateCall& call, const std::string& type) {
  return of_value<kernel::Extremum<T, kMost>>(call, kMost ? Keeps::kMost : Keeps::kLeast,
                                              fmt::format("Extremum<{}, {}>", type, kMost),
                                              finish_extremum<T, kMost>);
}

DeviceAggregate of_reals(const plan::AggregateCall& call, Reduction reduction) {
  using kernel::ExactRealSum, kernel::Moments, kernel::Product, kernel::RealSum;
  switch (reduction) {
    case Reduction::kSum:
      return of_value<RealSum>(call, Keeps::kSum, "RealSum",
                               is_average(call) ? finish_average<double> : finish_sum<double>);
    case Reduction::kCompensatedSum:
      return of_value<ExactRealSum>(call, Keeps::kExactSum, "ExactRealSum", finish_exact_sum);
    case Reduction::kProduct:
      return of_value<Product>(call, Keeps::kProduct, "Product", finish_product);
    case Reduction::kMoments:
      return of_value<Moments>(call, Keeps::kMoments, "Moments", finish_spread);
    default:
      refuse(call, "");
  }
}

template <class T>
DeviceAggregate of_integers(const plan::AggregateCall& call, Reduction reduction, const std::string& type) {
  using kernel::Fold, kernel::BitFold, kernel::WholeSum;
  if constexpr (!std::is_same_v<T, uint128_t>) {
    if (reduction == Reduction::kSum)
      return of_value<WholeSum<T>>(call, Keeps::kSum, "WholeSum<" + type + ">",
                                   is_average(call) ? finish_average<T> : finish_sum<T>);
  }
  if constexpr (!std::is_same_v<T, bool>) {
    const std::string state = "BitFold<" + type + ", Fold::k";
    if (reduction == Reduction::kBitAnd)
      return of_value<BitFold<T, Fold::kAnd>>(call, Keeps::kAnd, state + "And>", finish_bits<T, Fold::kAnd>);
    if (reduction == Reduction::kBitOr)
      return of_value<BitFold<T, Fold::kOr>>(call, Keeps::kOr, state + "Or>", finish_bits<T, Fold::kOr>);
    if (reduction == Reduction::kBitXor)
      return of_value<BitFold<T, Fold::kXor>>(call, Keeps::kXor, state + "Xor>", finish_bits<T, Fold::kXor>);
  }
  refuse(call, "");
}

DeviceAggregate of_values(const plan::AggregateCall& call, Reduction reduction) {
  const Type type = call.args[0]->type;
  const std::string device_type = expr::device_type(type);
  return visit(type.physical(), [&](auto zero) -> DeviceAggregate {
    using T = decltype(zero);
    if constexpr (expr::is_number<T>) {
      if (reduction == Reduction::kMin) return extremum<T, false>(call, device_type);
      if (reduction == Reduction::kMax) return extremum<T, true>(call, device_type);
      if constexpr (std::is_same_v<T, double>) return of_reals(call, reduction);
      if constexpr (!std::is_floating_point_v<T>) return of_integers<T>(call, reduction, device_type);
    }
    refuse(call, "");
  });
}

/// The first or last string in the order of their bytes.
DeviceAggregate of_texts(const plan::AggregateCall& call, Reduction reduction) {
  if (reduction != Reduction::kMin && reduction != Reduction::kMax) refuse(call, "");
  return {call, Takes::kValue, reduction == Reduction::kMin ? Keeps::kLeast : Keeps::kMost, "", 0, nullptr};
}

}  // namespace

bool is_fold(Keeps keeps) {
  return keeps == Keeps::kExactSum || keeps == Keeps::kAnd || keeps == Keeps::kOr || keeps == Keeps::kXor ||
         keeps == Keeps::kProduct || keeps == Keeps::kMoments;
}

bool needs_rows(const plan::AggregateCall& call) { return function_of(call).needs_all_rows; }

bool is_distinct(const plan::AggregateCall& call) {
  return call.distinct && !call.args.empty() && !needs_rows(call) && function_of(call).distinct_matters;
}

bool is_ranked(const plan::AggregateCall& call) {
  return !call.distinct && call.order.empty() && function_of(call).quantile != Quantile::kNone;
}

bool is_average(const plan::AggregateCall& call) { return function_of(call).is_average; }

bool is_spread(const plan::AggregateCall& call) { return function_of(call).of_moments != nullptr; }

std::optional<Pick> pick_of(const plan::AggregateCall& call) {
  const AggregateFunction& function = function_of(call);
  if (const auto& choice = function.choice)
    return Pick{choice->skip_nulls, choice->last, choice->by ? call.args[1] : nullptr, choice->greatest};
  const bool least = function.reduction == Reduction::kMin, most = function.reduction == Reduction::kMax;
  if ((least || most) && call.args[0]->type.id == TypeId::kInterval)
    return Pick{.skips_null = true, .by = call.args[0], .greatest = most};
  return std::nullopt;
}

int64_t count_rows(StateArray counts) {
  int64_t rows = 0;
  for_each_state<kernel::Count>(counts, [&](const kernel::Count& one) { rows += one.count; });
  return rows;
}

DeviceAggregate device_aggregate(const plan::AggregateCall& call) {
  const auto counts = [&](Takes takes) {
    return DeviceAggregate{call, takes, Keeps::kCount, "Count", sizeof(kernel::Count), finish_count};
  };
  const Reduction reduction = function_of(call).reduction;
  if (reduction == Reduction::kCountRows) return counts(Takes::kRows);
  if (reduction == Reduction::kCount) return counts(Takes::kPresent);
  if (reduction == Reduction::kCountTrue) return counts(Takes::kTrue);
  if (call.args.size() != 1) refuse(call, "");
  return call.args[0]->type.is_string() ? of_texts(call, reduction) : of_values(call, reduction);
}

}  // namespace lanewise::ops
