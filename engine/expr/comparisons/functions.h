#pragma once

#include <span>

#include "expr/function.h"

namespace lanewise {

std::span<const Function> comparison_functions();  ///< =, <, IS NULL, BETWEEN, NOT

namespace expr {

/// A call of the comparison `form`: kEqual, kLess, ...
ExprPtr compared(Function::Form form, ExprPtr a, ExprPtr b);

}  // namespace expr
}  // namespace lanewise
