#pragma once

#include <span>

#include "ops/aggregate/functions/functions.h"

/// The parts of the table of aggregate functions, each defined in the file of its name.
namespace lanewise::ops {

std::span<const AggregateFunction> count_functions();
std::span<const AggregateFunction> sum_functions();
std::span<const AggregateFunction> average_functions();
std::span<const AggregateFunction> extremum_functions();
std::span<const AggregateFunction> pick_functions();
std::span<const AggregateFunction> logic_functions();
std::span<const AggregateFunction> moments_functions();
std::span<const AggregateFunction> statistics_functions();
std::span<const AggregateFunction> quantile_functions();
std::span<const AggregateFunction> mode_functions();
std::span<const AggregateFunction> string_agg_functions();
std::span<const AggregateFunction> list_functions();

/// Functions over results of parts of the rows. They are not available in SQL: count_of_parts(count),
/// avg_of_parts(sum, count), and the variance functions over count, mean and squares, as devices return them.
std::span<const AggregateFunction> counts_of_parts();
std::span<const AggregateFunction> averages_of_parts();
std::span<const AggregateFunction> moments_of_parts();

/// Accepts one argument of any type; the result has its type.
inline std::optional<Type> same_type(std::span<const Type> args) {
  return args.size() == 1 ? std::optional<Type>(args[0]) : std::nullopt;
}

}  // namespace lanewise::ops
