#include "expr/patterns/prepared_pattern.h"

#include "base/error.h"

namespace lanewise::expr {

std::optional<std::string> literal_text(const ExprPtr& arg) {
  if (arg == nullptr || arg->kind != Expr::Kind::kLiteral || arg->literal.is_null()) return std::nullopt;
  return arg->literal.text();
}

PreparedPattern::PreparedPattern(Syntax syntax, std::span<const ExprPtr> args, size_t detail)
    : syntax_(syntax) {
  const bool has_detail = detail < args.size();
  if (has_detail) detail_ = literal_text(args[detail]);
  if (has_detail && is_regex(syntax)) {
    if (!detail_) throw UserError("the options of a regular expression must be a constant string");
    regex_options(syntax, *detail_);
  }
  const std::optional<std::string> source = literal_text(args[1]);
  if (source && (!has_detail || detail_)) compiled_ = compile(syntax, *source, detail_);
}

const text::Matcher& PreparedPattern::matcher(lanes::Target target, const lanes::Tuning& tuning) const {
  return matchers_.get(target, [&] {
    // The widest target is what the matcher takes by itself, where it does not know better.
    text::MatcherOptions options;
    if (target != lanes::simd()) options.lanes = lanes::name(target);
    options.tuning = tuning;
    return text::Matcher(pattern(), options);
  });
}

std::string PreparedPattern::describe(lanes::Target target, const lanes::Tuning& tuning) const {
  if (!is_constant()) return "patterns of the rows, compiled as they come";
  const text::Matcher& chosen = matcher(target, tuning);
  std::string text = std::string(chosen.form()) + " (" + chosen.why() + ")";
  if (!chosen.rejected().empty()) text += "; " + chosen.rejected();
  return text;
}

}  // namespace lanewise::expr
