#pragma once

#include <string>
#include <vector>

#include "data/type.h"

/// UNION and VARIANT are structs to the engine: only their names, their text and DuckDB's types differ.
namespace lanewise {

/// The first field is the number of the member that has the value; the other members are NULL.
Type union_type(std::vector<Member> members);
bool is_union(Type type);

/// DuckDB's four fields of a value of any type.
Type variant_type();
bool is_variant(Type type);
/// Whether the type is VARIANT or has parts of it.
bool has_variant(Type type);

}  // namespace lanewise
