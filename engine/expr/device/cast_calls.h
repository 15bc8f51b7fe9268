#pragma once

#include <string>

#include "data/type.h"

namespace lanewise::expr {

/// How a cast is called in a device's source: function(outcome, value, constants).
struct CastCall {
  std::string function = {};   ///< with its template arguments; empty: devices do not have this cast
  std::string constants = {};  ///< what follows the value: ", i128(100)"
};
CastCall cast_call(Type from, Type to);

}  // namespace lanewise::expr
