#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/memory.h"
#include "data/type.h"
#include "plan/node.h"

namespace lanewise::ops {

class Accumulator;

/// One aggregate function. SQL's names, the documentation and the tests are made from the table of all
/// functions.
///
/// Constants are literal arguments: the separator of string_agg and the fraction of the quantiles are
/// args[1].
struct AggregateFunction {
  std::string_view name;
  bool distinct_matters = true;  ///< DISTINCT can change the result; else it is dropped
  bool order_matters = false;    ///< ORDER BY inside the call can change the result; else it is dropped
  /// The result's type for these argument types, or nothing if the function does not take them.
  std::optional<Type> (*resolve)(std::span<const Type> args) = nullptr;
  /// Running values for one call; their memory is charged to `budget`.
  std::unique_ptr<Accumulator> (*make)(const plan::AggregateCall& call, MemoryBudget* budget) = nullptr;
  std::string_view documentation;  ///< one line
  std::string_view example;        ///< an SQL query with its answer, run by a test
  bool takes_nulls = false;        ///< a NULL counts as a value, also with DISTINCT
};

/// All aggregate functions, ordered by name. Aliases (mean, listagg) are
/// not listed.
std::span<const AggregateFunction> aggregate_functions();

/// The name in the table for which `name` is an alias: "avg" for "mean"; else `name`.
std::string_view standard_name(std::string_view name);

/// The function of that name or alias for these argument types; null if there is none. Names
/// are those of DuckDB's bound plans (count_star, sum_no_overflow). Variance functions also have overloads
/// that take partial results: var_samp(count, mean, squares).
const AggregateFunction* find_aggregate(std::string_view name, std::span<const Type> args);

/// The function of a call, by which the call's type is found.
const AggregateFunction& function_of(const plan::AggregateCall& call);

}  // namespace lanewise::ops
