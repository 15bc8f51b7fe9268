#pragma once

#include <span>
#include <vector>

#include "expr/function.h"
#include "expr/vectors/elements.h"

namespace lanewise {

std::span<const Function> nested_functions();  ///< lists, structs, maps, lambdas

/// Its parts, one per file, and what they share.
namespace expr {

std::span<const Function> list_functions();    ///< lists.cc: list_value, list_extract, len, list_concat, ...
std::span<const Function> search_functions();  ///< search.cc: list_contains, list_position, list_has_any, ...
std::span<const Function> order_functions();   ///< order.cc: list_sort, list_distinct, list_unique, ...
std::span<const Function> series_functions();  ///< series.cc: range, generate_series, string_split, repeat
std::span<const Function> struct_functions();  ///< structs.cc: struct_pack, struct_extract, ...
std::span<const Function> map_functions();     ///< maps.cc: map, map_keys, map_extract, ...
std::span<const Function> fold_functions();    ///< fold.cc: list_aggregate
std::span<const Function> lambda_functions();  ///< lambdas.cc: list_transform, list_filter, list_reduce

using ValueList = std::vector<Value>;

inline bool is_list(Type type) { return type.id == TypeId::kList; }
/// Lists, arrays and maps.
inline bool has_elements(Type type) { return type.is_nested() && type.id != TypeId::kStruct; }

/// Implements Function::evaluate by Function::reference, row by row: for functions that are rarely called.
Vector evaluate_rows(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                     EvalContext& context);

}  // namespace expr
}  // namespace lanewise
