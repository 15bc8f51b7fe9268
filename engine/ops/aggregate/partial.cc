#include "ops/aggregate/partial.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ops/aggregate/functions/functions.h"

namespace lanewise::ops {

namespace {

/// The function that merges states which this function made; empty: none does.
std::string_view merging(std::string_view function) {
  constexpr std::array kThemselves = {"sum",     "min",     "max",    "bool_and",
                                      "bool_or", "bit_and", "bit_or", "bit_xor"};
  if (function == "count" || function == "count_star") return "count_of_parts";
  const auto found = std::ranges::find(kThemselves, function);
  return found == kThemselves.end() ? std::string_view() : std::string_view(*found);
}

plan::AggregateCall call_of(std::string_view function, std::vector<ExprPtr> args, Type type) {
  plan::AggregateCall call;
  call.function = function;
  call.args = std::move(args);
  call.type = type;
  return call;
}

/// Whether the average of the type is that of its sum, to the last digit: see AverageRule.
bool divides_sum(Type type) {
  if (type == TypeId::kFloat64) return true;
  if (type.id == TypeId::kDecimal) return type.precision > 4;
  return type.is_integer() && width(type.physical()) >= 4;
}

}  // namespace

std::vector<plan::AggregateCall> Partial::merged_states(size_t first) const {
  std::vector<plan::AggregateCall> merged;
  for (size_t i = 0; i < states.size(); ++i) {
    const Type type = states[i].type;
    merged.push_back(call_of(merging(standard_name(states[i].function)), {column(first + i, type)}, type));
  }
  return merged;
}

plan::AggregateCall Partial::merged_result(size_t first) const {
  if (state_is_result()) return merged_states(first)[0];
  return call_of("avg_of_parts", {column(first, states[0].type), column(first + 1, states[1].type)},
                 result.type);
}

std::optional<Partial> partial(const plan::AggregateCall& call) {
  if (call.host != nullptr) return std::nullopt;
  const AggregateFunction& function = function_of(call);
  if ((call.distinct && function.distinct_matters) || (!call.order.empty() && function.order_matters))
    return std::nullopt;
  if (call.args.size() < 2 && !merging(function.name).empty()) return Partial{{call}, call};
  if (function.name != "avg" || !divides_sum(call.args[0]->type)) return std::nullopt;
  const std::array types{call.args[0]->type};
  plan::AggregateCall sum = call_of("sum", call.args, *find_aggregate("sum", types)->resolve(types));
  plan::AggregateCall count = call_of("count", call.args, TypeId::kInt64);
  sum.filter = count.filter = call.filter;
  return Partial{{std::move(sum), std::move(count)}, call};
}

bool merges_parts(const plan::AggregateCall& call) { return call.function.ends_with("_of_parts"); }

}  // namespace lanewise::ops
