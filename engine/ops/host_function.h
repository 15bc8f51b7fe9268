#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/column.h"
#include "expr/expr.h"

namespace lanewise::ops {

/// A scalar function of the program that uses the engine.
struct HostFunction {
  std::string name;
  std::vector<Type> arguments;  ///< of no nested type, as is the result
  Type result;
  bool strict = true;  ///< NULL if an argument is NULL; the function sees only rows without NULLs
  /// The values for the rows of a batch whose columns are the arguments: batches of one column, together as
  /// many rows. Several threads call it.
  std::function<std::vector<Batch>(const Batch& arguments)> run;
};

/// A host function failed; the message is the function's.
class HostFunctionError : public UserError {
 public:
  using UserError::UserError;
};

/// The call of a host function; the arguments have its types.
ExprPtr call_host_function(std::shared_ptr<const HostFunction> function, std::vector<ExprPtr> args);

}  // namespace lanewise::ops
