#pragma once

#include <optional>

#include "expr/function.h"
#include "primitives/kernels.h"

namespace lanewise::expr {

using kernels::Comparison;

/// The operator of a call that compares two values by their order; none: it does something else.
constexpr std::optional<Comparison> comparison_of(Function::Form form) {
  using Form = Function::Form;
  switch (form) {
    case Form::kEqual:
      return Comparison::eq;
    case Form::kUnequal:
      return Comparison::ne;
    case Form::kLess:
      return Comparison::lt;
    case Form::kAtMost:
      return Comparison::le;
    case Form::kGreater:
      return Comparison::gt;
    case Form::kAtLeast:
      return Comparison::ge;
    default:
      return std::nullopt;
  }
}

/// The operator with swapped operands.
constexpr Comparison mirrored(Comparison op) {
  switch (op) {
    case Comparison::lt:
      return Comparison::gt;
    case Comparison::le:
      return Comparison::ge;
    case Comparison::gt:
      return Comparison::lt;
    case Comparison::ge:
      return Comparison::le;
    default:
      return op;
  }
}

}  // namespace lanewise::expr
