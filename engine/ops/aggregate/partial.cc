#include "ops/aggregate/partial.h"

#include <array>
#include <string_view>

#include "ops/aggregate/functions/functions.h"

namespace lanewise::ops {

namespace {

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
    merged.push_back(call_of(function_of(states[i]).of_parts, {column(first + i, type)}, type));
  }
  return merged;
}

plan::AggregateCall Partial::merged_result(size_t first) const {
  if (state_is_result()) return merged_states(first)[0];
  return call_of(function_of(result).of_parts,
                 {column(first, states[0].type), column(first + 1, states[1].type)}, result.type);
}

std::optional<Partial> partial(const plan::AggregateCall& call) {
  if (call.host != nullptr) return std::nullopt;
  const AggregateFunction& function = function_of(call);
  if ((call.distinct && function.distinct_matters) || (!call.order.empty() && function.order_matters))
    return std::nullopt;
  if (function.of_parts.empty()) return std::nullopt;
  if (!function.is_average) return Partial{{call}, call};
  if (!divides_sum(call.args[0]->type)) return std::nullopt;
  const std::array types{call.args[0]->type};
  plan::AggregateCall sum = call_of("sum", call.args, *find_aggregate("sum", types)->resolve(types));
  plan::AggregateCall count = call_of("count", call.args, TypeId::kInt64);
  sum.filter = count.filter = call.filter;
  return Partial{{std::move(sum), std::move(count)}, call};
}

bool merges_parts(const plan::AggregateCall& call) { return function_of(call).takes_parts; }

}  // namespace lanewise::ops
