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

/// One aggregate function. The table of all of them feeds SQL's names, the documentation and the tests.
///
/// Constants travel as literal arguments: the separator of string_agg and the share of the quantiles are
/// args[1].
struct AggregateFunction {
  std::string_view name;
  bool distinct_matters = true;  ///< DISTINCT can change the result; else it is dropped
  bool order_matters = false;    ///< ORDER BY inside the call can change the result; else it is dropped
  /// The result's type for these argument types, or nothing if the function does not take them.
  std::optional<Type> (*resolve)(std::span<const Type> args) = nullptr;
  /// Running values for one call; what they hold is charged to `budget`.
  std::unique_ptr<Accumulator> (*make)(const plan::AggregateCall& call, MemoryBudget* budget) = nullptr;
  std::string_view documentation;  ///< one line
  std::string_view example;        ///< an SQL query with its answer, run by a test
  bool takes_nulls = false;        ///< with DISTINCT, too, a NULL is a value
};

/// All aggregate functions, in the order of their names. Other names of the same function (mean, listagg) are
/// not listed.
std::span<const AggregateFunction> aggregate_functions();

/// The name in the table that another name of a function stands for: "avg" for "mean"; else `name`.
std::string_view standard_name(std::string_view name);

/// The function of that name, or of that other name, for these argument types; null if there is none. Names
/// are those of DuckDB's bound plans (count_star, sum_no_overflow). Of the moments' functions there are also
/// those that take what parts of the rows came to: var_samp(count, mean, squares).
const AggregateFunction* find_aggregate(std::string_view name, std::span<const Type> args);

/// The function of a call; it gives the call's type.
const AggregateFunction& function_of(const plan::AggregateCall& call);

}  // namespace lanewise::ops
