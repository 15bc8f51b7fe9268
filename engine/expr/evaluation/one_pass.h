#pragma once

#include <vector>

#include "expr/evaluation/evaluation.h"

/// Arguments of OR and CASE that are evaluated in one pass. Those who build the nodes prepare them.
namespace lanewise::expr {

/// Arguments of an OR, as one test of the column that all of them match with constant patterns.
struct Either : Prepared {
  std::vector<size_t> args;  ///< ascending; at least two
  ExprPtr test;              ///< true if one of them is; NULL if all are; the column is its first argument

  bool holds(size_t arg) const override;
  std::string describe(lanes::Target target, const lanes::Tuning& tuning) const override;
  std::shared_ptr<const Prepared> for_args(std::span<const ExprPtr> or_args) const override;
};

/// Conditions of a CASE.
struct Conditions : Prepared {
  /// For each argument of the CASE, the rows for which it is the first true one of these conditions, as a
  /// bitmap; null if the CASE tests it by itself. Empty: it tests all of them.
  virtual std::vector<const uint64_t*> find(Columns columns, const ActiveSet& rows,
                                            EvalContext& context) const = 0;
};

}  // namespace lanewise::expr
