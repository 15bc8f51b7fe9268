#pragma once

#include <memory>
#include <string>

#include "ops/host_function.h"

namespace duckdb {
class BoundFunctionExpression;
class ClientContext;
}  // namespace duckdb

namespace lanewise::sql {

/// Makes a host function known to the catalogue, so that names are bound to it; it replaces one of that name.
/// Throws UserError: a function that is no host function has the name, or a type is nested.
void add_host_function(duckdb::ClientContext& context, std::shared_ptr<const ops::HostFunction> function);

/// Ends that. False: there was none.
bool drop_host_function(duckdb::ClientContext& context, const std::string& name);

/// The host function that is called; null: it is another function.
std::shared_ptr<const ops::HostFunction> host_function_of(const duckdb::BoundFunctionExpression& call);

}  // namespace lanewise::sql
