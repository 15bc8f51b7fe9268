#include "expr/patterns/first_match.h"

#include <algorithm>
#include <map>

#include "expr/patterns/either.h"
#include "expr/patterns/match_rows.h"
#include "expr/patterns/prepared_pattern.h"

namespace lanewise::expr {

namespace {

/// The constant test of one column that a condition is, also where it is an OR of such tests.
const Expr* test_of(const Expr& condition) {
  const Expr* test = &condition;
  if (condition.kind == Expr::Kind::kOr) {
    const auto* either = static_cast<const Either*>(condition.prepared.get());
    if (either == nullptr || either->args.size() != condition.args.size()) return nullptr;
    test = either->test.get();
  }
  return constant_test(*test) != nullptr && test->args[0]->kind == Expr::Kind::kColumn ? test : nullptr;
}

}  // namespace

bool FirstMatch::holds(size_t arg) const { return std::ranges::binary_search(args_, arg); }

const text::SetMatcher& FirstMatch::matcher(lanes::Target target, const lanes::Tuning& tuning) const {
  return matchers_.get(target, [&] {
    text::MatcherOptions options;
    options.lanes = lanes::name(target);
    options.tuning = tuning;
    return text::SetMatcher(set_, options);
  });
}

std::string FirstMatch::describe(lanes::Target target, const lanes::Tuning& tuning) const {
  return std::to_string(args_.size()) +
         " patterns in one pass, the first that matches: " + matcher(target, tuning).describe() +
         ", one by one " + text::show_cost(apart_);
}

std::vector<const uint64_t*> FirstMatch::find(Columns columns, const ActiveSet& rows,
                                              EvalContext& context) const {
  const Vector texts = evaluate(*text_, columns, rows, context);
  if (texts.constant || texts.form != Vector::Form::kText) return {};
  const ActiveSet asked = texts.validity ? rows.narrowed(texts.validity) : rows;
  Arena& arena = *context.arena;
  const size_t words = bits::words(rows.rows());
  auto* hits = arena.allocate<uint64_t>(words + 1);
  auto* codes = arena.allocate<uint8_t>(rows.rows());
  matcher(context.target, context.tuning)
      .match(string_rows(texts, rows.rows()), asked.all() ? nullptr : asked.bitmap(), hits, codes,
             context.lanes);

  std::vector<uint64_t*> of_pattern(args_.size());
  std::vector<const uint64_t*> of_arg(args_.back() + 1);
  for (size_t i = 0; i < args_.size(); ++i) {
    of_pattern[i] = arena.allocate<uint64_t>(words + 1);
    std::fill_n(of_pattern[i], words + 1, 0);
    of_arg[args_[i]] = of_pattern[i];
  }
  std::array<uint64_t*, 256> of_code{};
  for (size_t code = 1; code < set_.codes(); ++code)
    of_code[code] =
        of_pattern[static_cast<size_t>(std::countr_zero(set_.patterns(static_cast<uint8_t>(code))))];
  bits::for_each(hits, rows.rows(), [&](size_t row) { bits::set(of_code[codes[row]], row); });
  return of_arg;
}

std::shared_ptr<const Prepared> FirstMatch::for_args(std::span<const ExprPtr> case_args) const {
  return std::make_shared<FirstMatch>(test_of(*case_args[args_[0]])->args[0], args_, set_, apart_);
}

std::shared_ptr<const FirstMatch> prepare_first_match(std::span<const ExprPtr> case_args) {
  constexpr size_t kMost = 64;
  std::map<size_t, std::vector<size_t>> asked;  // conditions by the column that they test
  for (size_t i = 0; i + 1 < case_args.size(); i += 2) {
    const Expr* test = test_of(*case_args[i]);
    if (test == nullptr) continue;
    std::vector<size_t>& args = asked[test->args[0]->column];
    if (args.size() < kMost) args.push_back(i);
  }
  for (const auto& [column, args] : asked) {
    if (args.size() < 2) continue;
    std::vector<text::Pattern> patterns;
    double apart = 0;
    for (size_t arg : args) {
      patterns.push_back(constant_test(*test_of(*case_args[arg]))->pattern());
      apart += text::Matcher(patterns.back()).cost();
    }
    if (apart <= text::SetMatcher::least_cost()) continue;
    auto set = text::PatternSet::make(patterns, text::PatternSet::Which::kFirst);
    if (!set || text::SetMatcher(*set).cost() >= apart) continue;
    return std::make_shared<FirstMatch>(test_of(*case_args[args[0]])->args[0], args, std::move(*set), apart);
  }
  return nullptr;
}

}  // namespace lanewise::expr
