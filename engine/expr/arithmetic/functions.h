#pragma once

#include <span>

#include "expr/function.h"

namespace lanewise {

std::span<const Function> arithmetic_functions();  ///< + - * / // % and bit operations

}  // namespace lanewise
