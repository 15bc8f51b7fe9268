#include "sql/translate/rewrite_rules.h"

#include <algorithm>
#include <utility>

namespace lanewise::sql {
namespace {

using duckdb::LogicalTypeId;

/// Whether a comparison with the cast's value cannot be one with what was cast: of text of a time, of a type
/// for which DuckDB does not detect what is not a time, the comparison with 'abc' would be NULL; and a value
/// that TRY_CAST turns into NULL is none. Constants lose nothing, and other rules rely on this one for NULL.
bool loses_values(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST || expression.IsFoldable())
    return false;
  const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
  const LogicalTypeId source = cast.child->return_type.id();
  return cast.try_cast || (cast.return_type.id() == LogicalTypeId::VARCHAR &&
                           (source == LogicalTypeId::TIMESTAMP_TZ || source == LogicalTypeId::TIME_NS));
}

/// The rule that compares x with the constant's value instead of x::VARCHAR with the constant, but not for
/// such casts.
class ExactComparison : public duckdb::Rule {
 public:
  explicit ExactComparison(duckdb::unique_ptr<duckdb::Rule> rule)
      : Rule(rule->rewriter), rule_(std::move(rule)) {
    root = std::move(rule_->root);
  }

  duckdb::unique_ptr<duckdb::Expression> Apply(
      duckdb::LogicalOperator& op, duckdb::vector<duckdb::reference<duckdb::Expression>>& bindings,
      bool& fixed_point, bool is_root) override {
    const auto& comparison = bindings[0].get().Cast<duckdb::BoundComparisonExpression>();
    if (loses_values(*comparison.left) || loses_values(*comparison.right)) return nullptr;
    return rule_->Apply(op, bindings, fixed_point, is_root);
  }

 private:
  duckdb::unique_ptr<duckdb::Rule> rule_;
};

}  // namespace

void keep_answers(duckdb::Optimizer& optimizer) {
  auto& rules = optimizer.rewriter.rules;
  // The first makes searches for text of regular expressions: of '(?:)b' one for those five bytes. The second
  // is wrong for NULL, for infinity, for parts of a day of a DATE, before Christ, and at the end of time.
  std::erase_if(rules, [](const auto& rule) {
    return dynamic_cast<const duckdb::RegexOptimizationRule*>(rule.get()) != nullptr ||
           dynamic_cast<const duckdb::DateTruncSimplificationRule*>(rule.get()) != nullptr;
  });
  for (auto& rule : rules) {
    if (dynamic_cast<const duckdb::ComparisonSimplificationRule*>(rule.get()) != nullptr) {
      rule = duckdb::make_uniq<ExactComparison>(std::move(rule));
    }
  }
}

}  // namespace lanewise::sql
