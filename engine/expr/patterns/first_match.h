#pragma once

#include <memory>
#include <span>
#include <vector>

#include "expr/evaluation/one_pass.h"
#include "expr/patterns/per_target.h"
#include "text/pattern_set.h"

namespace lanewise::expr {

/// Conditions of a CASE that match one column with constant patterns, evaluated together: one pass finds the
/// first pattern that each row matches.
class FirstMatch : public Conditions {
 public:
  /// `apart`: the cost of evaluating the conditions one by one, in nanoseconds per byte.
  FirstMatch(ExprPtr text, std::vector<size_t> args, text::PatternSet set, double apart)
      : text_(std::move(text)), args_(std::move(args)), set_(std::move(set)), apart_(apart) {}

  bool holds(size_t arg) const override;
  std::string describe(lanes::Target target, const lanes::Tuning& tuning) const override;
  std::shared_ptr<const Prepared> for_args(std::span<const ExprPtr> case_args) const override;
  /// Empty if the strings are not contiguous.
  std::vector<const uint64_t*> find(Columns columns, const ActiveSet& rows,
                                    EvalContext& context) const override;

  const std::vector<size_t>& args() const { return args_; }
  /// The column that is tested.
  const Expr& text() const { return *text_; }

 private:
  const text::SetMatcher& matcher(lanes::Target target, const lanes::Tuning& tuning) const;

  ExprPtr text_;
  std::vector<size_t> args_;  // ascending; one per pattern
  text::PatternSet set_;
  double apart_;
  PerTarget<text::SetMatcher> matchers_;
};

/// Null if one pass would not be cheaper than the conditions one by one.
std::shared_ptr<const FirstMatch> prepare_first_match(std::span<const ExprPtr> case_args);

}  // namespace lanewise::expr
