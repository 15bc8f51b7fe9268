#pragma once

#include <memory>
#include <span>

#include "expr/evaluation/one_pass.h"

namespace lanewise::expr {

/// Arguments of an OR that match one column; null if one pass would not be cheaper than one per argument.
std::shared_ptr<const Either> prepare_either(std::span<const ExprPtr> args);

}  // namespace lanewise::expr
