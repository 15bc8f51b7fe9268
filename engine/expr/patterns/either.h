#pragma once

#include <memory>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace lanewise::expr {

/// Arguments of an OR that match the same column with constant patterns, as one test that takes one pass.
struct Either : Prepared {
  std::vector<size_t> args;  ///< ascending; at least two
  ExprPtr test;              ///< true if one of them is; NULL if all are

  bool holds(size_t arg) const override;
  std::string describe(lanes::Target target, const lanes::Tuning& tuning) const override;
};

/// Null if one pass would not be cheaper than one pass per argument.
std::shared_ptr<const Either> prepare_either(std::span<const ExprPtr> args);

/// The same for an OR whose arguments were remapped to other columns.
std::shared_ptr<const Either> with_args(const Either& either, std::span<const ExprPtr> args);

}  // namespace lanewise::expr
