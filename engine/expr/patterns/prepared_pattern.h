#pragma once

#include <optional>
#include <span>
#include <string>

#include "expr/evaluation/evaluate.h"
#include "expr/patterns/pattern_cache.h"
#include "expr/patterns/per_target.h"
#include "lanes/targets/target.h"
#include "text/captures.h"

namespace lanewise::expr {

/// What one thread keeps for one expression while it matches.
struct PatternState : EvalState {
  text::MatchContext match;
  text::CaptureContext capture;
  PatternCache cache;
  std::string text;  ///< the string that is being made

  static PatternState& of(const Expr& expr, EvalContext& context) {
    auto& state = context.state<PatternState>(expr);
    state.match.stats = context.lanes;
    return state;
  }
};

/// What a pattern function knows before it sees rows: its pattern is args[1].
class PreparedPattern : public Prepared {
 public:
  /// `detail` is the place of ESCAPE's argument or of a regular expression's options among the arguments,
  /// which may be fewer. Throws UserError for a bad regular expression and for options that are not literals.
  PreparedPattern(Syntax syntax, std::span<const ExprPtr> args, size_t detail);
  /// A pattern that is compiled already.
  explicit PreparedPattern(text::Pattern pattern)
      : syntax_(Syntax::kSearch), compiled_(Compiled{std::move(pattern), {}}) {}

  Syntax syntax() const { return syntax_; }
  /// Whether pattern and detail are literals.
  bool is_constant() const { return compiled_.has_value(); }
  /// The constant pattern.
  const text::Pattern& pattern() const { return compiled_->pattern; }
  /// What a row that matches raises; empty: nothing.
  const std::string& fault() const { return compiled_->fault; }
  /// Whether some rows may match, although others raise the fault.
  bool matches_or_fails() const { return compiled_->otherwise.has_value(); }
  /// Its matcher for lanes of `target`; the first call's tuning counts.
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

/// What a call prepared that matches its first argument with one constant pattern, which raises nothing; null
/// for other expressions.
const PreparedPattern* constant_test(const Expr& expr);
/// Whether `text` has `pattern`, a constant one.
ExprPtr pattern_test(ExprPtr text, std::shared_ptr<const PreparedPattern> pattern);

/// A literal's text; nothing for other expressions and for NULL.
std::optional<std::string> literal_text(const ExprPtr& arg);

}  // namespace lanewise::expr
