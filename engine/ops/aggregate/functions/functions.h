#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/memory.h"
#include "data/type.h"
#include "plan/node.h"

namespace lanewise::ops {

class Accumulator;
struct Moments;

/// An operation that reduces the rows of a group to a state of constant size.
enum class Reduction : uint8_t {
  kNone,
  kCountRows,
  kCount,      ///< values that are not NULL
  kCountTrue,  ///< conditions that are true
  kSum,
  kCompensatedSum,
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kBitXor,
  kProduct,
  kMoments,  ///< see Moments
};

/// Which row of each group has the value of a function such as first(): the row of the lowest rank, and of
/// these the first of the input.
struct RowChoice {
  bool skip_nulls = false;  ///< ignores rows whose value is NULL
  bool last = false;        ///< the last of the input instead
  bool by = false;          ///< args[1] is the rank; rows with a NULL rank are ignored
  bool greatest = false;    ///< by: the row of the greatest rank
};

/// Quantiles of args[0] at the fraction args[1], or at a half.
enum class Quantile : uint8_t {
  kNone,
  kDiscrete,      ///< one of the values
  kInterpolated,  ///< between two values, if their type has values between
};

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
  std::string_view documentation = {};  ///< one line
  std::string_view example = {};        ///< an SQL query with its answer, run by a test
  bool takes_nulls = false;             ///< a NULL counts as a value, also with DISTINCT
  bool compares_values = true;          ///< the order of the argument's values can change the result
  Reduction reduction = Reduction::kNone;
  bool is_average = false;  ///< the reduction's sum, divided by the number of values
  /// The result of Reduction::kMoments; nothing if there are too few values.
  std::optional<double> (*of_moments)(const Moments& moments) = nullptr;
  std::optional<RowChoice> choice = {};
  Quantile quantile = Quantile::kNone;
  bool needs_all_rows = false;  ///< GPUs bring the rows of each group together, and cores compute the result
  /// The function that makes the result from results of parts, those of a sum and a count if it is an
  /// average; empty if there is none.
  std::string_view of_parts = {};
  bool takes_parts = false;  ///< its arguments are results of parts; not available in SQL
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

/// Likewise for any arguments: overloads differ only in these.
const AggregateFunction* find_aggregate(std::string_view name);

/// The function of a call, by which the call's type is found.
const AggregateFunction& function_of(const plan::AggregateCall& call);

}  // namespace lanewise::ops
