#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/column.h"
#include "expr/expr.h"

namespace lanewise::ops {

/// A scalar function of the application.
struct HostFunction {
  std::string name;
  std::vector<Type> arguments;
  Type result;
  bool strict = true;   ///< NULL if an argument is NULL; it sees only rows without NULLs
  bool varies = false;  ///< may return different values for the same arguments
  /// Its text in EXPLAIN, which distinguishes it from others; empty: the name in lower case.
  std::string written = {};
  /// The values for the rows of a batch whose columns are the arguments: batches of one column with as many
  /// rows in total. Called by several threads.
  std::function<std::vector<Batch>(const Batch& arguments)> run;
};

/// A host function failed; the message is that of the function.
class HostFunctionError : public UserError {
 public:
  using UserError::UserError;
};

/// The call of a host function; the arguments have its parameter types.
ExprPtr call_host_function(std::shared_ptr<const HostFunction> function, std::vector<ExprPtr> args);

}  // namespace lanewise::ops
