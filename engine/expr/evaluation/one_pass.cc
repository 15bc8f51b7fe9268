#include "expr/evaluation/one_pass.h"

#include <algorithm>

namespace lanewise::expr {

bool Either::holds(size_t arg) const { return std::binary_search(args.begin(), args.end(), arg); }

std::string Either::describe(lanes::Target target, const lanes::Tuning& tuning) const {
  return std::to_string(args.size()) + " patterns in one pass: " + test->prepared->describe(target, tuning);
}

std::shared_ptr<const Prepared> Either::for_args(std::span<const ExprPtr> or_args) const {
  auto changed = std::make_shared<Expr>(*test);
  changed->args[0] = or_args[args[0]]->args[0];
  auto result = std::make_shared<Either>(*this);
  result->test = std::move(changed);
  return result;
}

}  // namespace lanewise::expr
