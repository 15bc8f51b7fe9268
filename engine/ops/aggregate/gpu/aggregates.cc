#include "ops/aggregate/gpu/aggregates.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "data/physical_value.h"
#include "expr/codegen/emitter.h"
#include "expr/numbers.h"
#include "ops/aggregate/functions/moments.h"
#include "ops/aggregate/gpu/folds-inl.h"
#include "ops/aggregate/gpu/states-inl.h"

namespace lanewise::ops {

namespace {

/// The states, one after the other.
template <class State, class F>
void for_each_state(StateArray states, F f) {
  for (size_t i = 0; i < states.count; ++i) {
    State state;
    std::memcpy(&state, states.first + i * states.stride, sizeof(State));
    f(state);
  }
}

MergedState merge_counts(Type /*result*/, StateArray states) {
  int64_t count = 0;
  for_each_state<kernel::Count>(states, [&](const kernel::Count& one) { count += one.count; });
  return {count};
}

template <class State>
MergedState merge_values(Type type, StateArray states) {
  State all{};
  int64_t count = 0;
  for_each_state<State>(states, [&](const State& one) {
    all.merge(one);
    count += one.count;
    all.count = count != 0;  // the states' count may need more than 32 bits
  });
  return {count, count == 0 ? Value(type) : to_value(type, all.get())};
}

/// Of values of type T: the blocks' sums need more bits than those of one block.
template <class T>
MergedState merge_sums(Type type, StateArray states) {
  kernel::WholeSum<int128_t> all{};
  int64_t count = 0;
  for_each_state<kernel::WholeSum<T>>(states, [&](const kernel::WholeSum<T>& one) {
    if constexpr (sizeof(T) == 16) {
      all.merge(one);
    } else {
      all.add(one.get());
    }
    count += one.count;
  });
  if (all.overflows()) throw UserError("Overflow in HUGEINT addition");
  return {count, count == 0 ? Value(type) : Value(type, all.get())};
}

MergedState merge_moments(Type type, StateArray states) {
  Moments all;
  for_each_state<kernel::Moments>(
      states, [&](const kernel::Moments& one) { all.add(Moments{one.count, one.mean, one.squares}); });
  return {all.count, all.count == 0 ? Value(type) : Value(type, all.mean), all.squares};
}

template <class State>
BlockState of_values(std::string type) {
  return {std::move(type), sizeof(State), merge_values<State>};
}

std::optional<BlockState> of_reals(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return of_values<kernel::RealSum>("RealSum");
    case Reduction::kCompensatedSum:
      return of_values<kernel::ExactRealSum>("ExactRealSum");
    case Reduction::kProduct:
      return of_values<kernel::Product>("Product");
    case Reduction::kMoments:
      return BlockState{"Moments", sizeof(kernel::Moments), merge_moments};
    default:
      return std::nullopt;
  }
}

template <class T>
std::optional<BlockState> of_integers(Reduction reduction, const std::string& type) {
  using kernel::Fold, kernel::BitFold, kernel::WholeSum;
  if constexpr (!std::is_same_v<T, uint128_t>) {
    if (reduction == Reduction::kSum)
      return BlockState{"WholeSum<" + type + ">", sizeof(WholeSum<T>), merge_sums<T>};
  }
  if constexpr (!std::is_same_v<T, bool>) {
    const std::string state = "BitFold<" + type + ", Fold::k";
    if (reduction == Reduction::kBitAnd) return of_values<BitFold<T, Fold::kAnd>>(state + "And>");
    if (reduction == Reduction::kBitOr) return of_values<BitFold<T, Fold::kOr>>(state + "Or>");
    if (reduction == Reduction::kBitXor) return of_values<BitFold<T, Fold::kXor>>(state + "Xor>");
  }
  return std::nullopt;
}

/// Of strings, groups keep the first and the last one in the order of their bytes.
bool supports(Reduction reduction, Type arg) {
  if (arg.is_string()) return reduction == Reduction::kMin || reduction == Reduction::kMax;
  return block_state(reduction, arg).has_value();
}

}  // namespace

bool is_count(Reduction reduction) {
  return reduction == Reduction::kCountRows || reduction == Reduction::kCount ||
         reduction == Reduction::kCountTrue;
}

bool is_fold(Reduction reduction) {
  return !is_count(reduction) && reduction != Reduction::kSum && reduction != Reduction::kMin &&
         reduction != Reduction::kMax;
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

std::optional<BlockState> block_state(Reduction reduction, Type arg) {
  if (is_count(reduction)) return BlockState{"Count", sizeof(kernel::Count), merge_counts};
  const std::string type = expr::device_type(arg);
  return visit(arg.physical(), [&](auto zero) -> std::optional<BlockState> {
    using T = decltype(zero);
    if constexpr (expr::is_number<T>) {
      if (reduction == Reduction::kMin)
        return of_values<kernel::Extremum<T, false>>("Extremum<" + type + ", false>");
      if (reduction == Reduction::kMax)
        return of_values<kernel::Extremum<T, true>>("Extremum<" + type + ", true>");
      if constexpr (std::is_same_v<T, double>) return of_reals(reduction);
      if constexpr (!std::is_floating_point_v<T>) return of_integers<T>(reduction, type);
    }
    return std::nullopt;
  });
}

Reduction device_reduction(const plan::AggregateCall& call) {
  const Reduction reduction = function_of(call).reduction;
  if (is_count(reduction) || (call.args.size() == 1 && supports(reduction, call.args[0]->type)))
    return reduction;
  std::string args;
  for (const ExprPtr& arg : call.args) args += (args.empty() ? "" : ", ") + arg->type.name();
  throw expr::NotOnDevice(fmt::format("{}({}) is not supported on GPUs", call.function, args));
}

}  // namespace lanewise::ops
