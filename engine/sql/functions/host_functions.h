#pragma once

#include <memory>
#include <string>

#include "ops/host_function.h"

namespace duckdb {
class BoundFunctionExpression;
class ClientContext;
}  // namespace duckdb

namespace lanewise::sql {

/// Registers a host function in the catalogue; it replaces one of that name. Throws UserError if a function
/// that is not a host function has the name, or a type is nested.
void add_host_function(duckdb::ClientContext& context, std::shared_ptr<const ops::HostFunction> function);

/// Removes it. False if there was none.
bool drop_host_function(duckdb::ClientContext& context, const std::string& name);

/// The called host function; null if it is another function.
std::shared_ptr<const ops::HostFunction> host_function_of(const duckdb::BoundFunctionExpression& call);

}  // namespace lanewise::sql
