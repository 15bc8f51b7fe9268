#include "ops/aggregate/functions/functions.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ops/aggregate/accumulators/host_aggregate.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

/// Aliases of functions, as in DuckDB.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"arg_max", "max_by"},
    {"arg_min", "min_by"},
    {"arbitrary", "first"},
    {"argmax", "max_by"},
    {"argmin", "min_by"},
    {"array_agg", "list"},
    {"countif", "count_if"},
    {"fsum", "kahan_sum"},
    {"group_concat", "string_agg"},
    {"listagg", "string_agg"},
    {"max_by_null", "arg_max_null"},
    {"mean", "avg"},
    {"min_by_null", "arg_min_null"},
    {"quantile", "quantile_disc"},
    {"stddev", "stddev_samp"},
    {"sum_no_overflow", "sum"},
    {"sumkahan", "kahan_sum"},
    {"variance", "var_samp"},
};

std::vector<AggregateFunction> collect() {
  std::vector<AggregateFunction> all;
  for (const auto& part :
       {count_functions(), sum_functions(), average_functions(), extremum_functions(), pick_functions(),
        logic_functions(), moments_functions(), statistics_functions(), quantile_functions(),
        mode_functions(), string_agg_functions(), list_functions()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

}  // namespace

std::span<const AggregateFunction> aggregate_functions() {
  static const std::vector<AggregateFunction> all = collect();
  return all;
}

std::string_view standard_name(std::string_view name) {
  for (const auto& [other, standard] : kOtherNames) {
    if (other == name) return standard;
  }
  return name;
}

const AggregateFunction* find_aggregate(std::string_view name, std::span<const Type> args) {
  name = standard_name(name);
  for (const AggregateFunction& function : aggregate_functions()) {
    if (function.name == name && function.resolve(args)) return &function;
  }
  for (const auto& of_parts : {counts_of_parts(), averages_of_parts(), moments_of_parts()}) {
    for (const AggregateFunction& function : of_parts) {
      if (function.name == name && function.resolve(args)) return &function;
    }
  }
  return nullptr;
}

const AggregateFunction* find_aggregate(std::string_view name) {
  const auto functions = aggregate_functions();
  const auto found = std::ranges::find(functions, standard_name(name), &AggregateFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

const AggregateFunction& function_of(const plan::AggregateCall& call) {
  static const AggregateFunction host = {
      .name = "host",
      .make = [](const plan::AggregateCall& made, MemoryBudget* budget) { return made.host->make(budget); },
      .takes_nulls = true};
  if (call.host != nullptr) return host;
  std::vector<Type> types;
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  const AggregateFunction* function = find_aggregate(call.function, types);
  if (function == nullptr)
    throw InternalError("no aggregate function " + call.function + " for these arguments");
  if (function->resolve(types) != call.type)
    throw InternalError(call.function + " gives " + function->resolve(types)->name() + ", not " +
                        call.type.name());
  return *function;
}

}  // namespace lanewise::ops
