#pragma once

#include <optional>
#include <span>
#include <string>

#include "expr/evaluation/evaluate.h"
#include "expr/patterns/pattern_cache.h"
#include "expr/patterns/per_target.h"
#include "lanes/targets/target.h"
#include "text/captures/captures.h"

namespace lanewise::expr {

/// The state of one thread for one expression.
struct PatternState : EvalState {
  text::MatchContext match;
  text::CaptureContext capture;
  PatternCache cache;
  std::string text;  ///< the string being built

  static PatternState& of(const Expr& expr, EvalContext& context) {
    auto& state = context.state<PatternState>(expr);
    state.match.stats = context.lanes;
    return state;
  }
};

/// What a pattern function prepares: its pattern is args[1].
class PreparedPattern : public Prepared {
 public:
  /// `detail` is the index among the arguments of ESCAPE's argument or of a regular expression's options,
  /// which may be absent. Throws UserError for an invalid regular expression and for options that are not
  /// literals.
  PreparedPattern(Syntax syntax, std::span<const ExprPtr> args, size_t detail);
  /// From a pattern that is already compiled.
  explicit PreparedPattern(text::Pattern pattern)
      : syntax_(Syntax::kSearch), compiled_(Compiled{std::move(pattern), {}}) {}

  Syntax syntax() const { return syntax_; }
  /// Whether the pattern and its detail are literals.
  bool is_constant() const { return compiled_.has_value(); }
  /// The constant pattern.
  const text::Pattern& pattern() const { return compiled_->pattern; }
  /// The error that a matching row raises; empty: none.
  const std::string& fault() const { return compiled_->fault; }
  /// Whether some rows may match, although others raise the error.
  bool matches_or_fails() const { return compiled_->otherwise.has_value(); }
  /// Its matcher for lanes of `target`; the tuning of the first call is used.
  const text::Matcher& matcher(lanes::Target target, const lanes::Tuning& tuning) const;
  /// The options of a regular expression.
  const std::optional<std::string>& detail() const { return detail_; }
  std::string describe(lanes::Target target, const lanes::Tuning& tuning) const override;

 private:
  Syntax syntax_;
  std::optional<std::string> detail_;
  std::optional<Compiled> compiled_;
  PerTarget<text::Matcher> matchers_;
};

/// The prepared pattern of a call that matches its first argument with one constant pattern and cannot fail;
/// null for other expressions.
const PreparedPattern* constant_test(const Expr& expr);
/// Whether a call that matches a pattern is true for strings that do not match, as NOT LIKE is.
bool is_negated(const Expr& match);
/// A call that matches `text` with the constant `pattern`.
ExprPtr pattern_test(ExprPtr text, std::shared_ptr<const PreparedPattern> pattern);

/// A literal's text; nothing for other expressions and for NULL.
std::optional<std::string> literal_text(const ExprPtr& arg);

}  // namespace lanewise::expr
