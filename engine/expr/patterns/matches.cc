#include <algorithm>

#include "expr/patterns/functions.h"
#include "expr/patterns/match_rows.h"
#include "expr/patterns/prepared_pattern.h"
#include "expr/patterns/reference.h"
#include "expr/strings/case.h"
#include "expr/strings/functions.h"
#include "expr/strings/search.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "text/syntax/pattern_error.h"

namespace lanewise::expr {

namespace {

const PreparedPattern& prepared(const Expr& expr) {
  invariant(expr.prepared != nullptr, "pattern functions are prepared");
  return static_cast<const PreparedPattern&>(*expr.prepared);
}

bool holds_text(Syntax syntax, std::string_view text, std::string_view wanted) {
  if (syntax == Syntax::kPrefix) return text.starts_with(wanted);
  if (syntax == Syntax::kSuffix) return text.ends_with(wanted);
  return wanted.empty() || find_text(text, wanted, 0) != std::string_view::npos;
}

/// Rows that bring their own patterns.
uint64_t* select_each(const PreparedPattern& pattern, std::span<const Vector> args, const ActiveSet& rows,
                      PatternCache& cache) {
  const Syntax syntax = pattern.syntax();
  auto* hits = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
  std::fill_n(hits, bits::words(rows.rows()) + 1, 0);
  const Texts texts(args[0], rows);
  const Texts patterns(args[1], rows);
  if (is_text(syntax)) {
    rows.for_each([&](uint32_t row) {
      if (holds_text(syntax, texts[row], patterns[row])) bits::set(hits, row);
    });
    return hits;
  }
  std::optional<std::string_view> options = pattern.detail();
  std::optional<Texts> escapes;
  if (args.size() == 3 && !is_regex(syntax)) escapes.emplace(args[2], rows);
  rows.for_each([&](uint32_t row) {
    if (escapes) options = (*escapes)[row];
    if (cache.get(syntax, patterns[row], options).matches(texts[row])) bits::set(hits, row);
  });
  return hits;
}

template <bool kNegated>
const uint64_t* select(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context) {
  const PreparedPattern& pattern = prepared(expr);
  auto& state = PatternState::of(expr, context);
  uint64_t* hits;
  if (pattern.is_constant() && pattern.fault().empty()) {
    hits = match_rows(pattern.matcher(context.target, context.tuning), args[0], rows, state.match);
  } else {
    hits = select_each(pattern, args, rows, state.cache);
  }
  if (kNegated) {
    const uint64_t* active = rows.bitmap();
    for (size_t word = 0; word < bits::words(rows.rows()); ++word) hits[word] = active[word] & ~hits[word];
  }
  return hits;
}

template <Syntax kSyntax>
std::shared_ptr<const Prepared> prepare_matches(std::span<const ExprPtr> args) {
  return std::make_shared<PreparedPattern>(kSyntax, args, 2);
}

bool regex_reference(const std::string& text, std::string pattern, bool full, std::string options) {
  if (full && options.find('l') != std::string::npos) {
    pattern = text::regexp_escape(pattern);
    std::erase(options, 'l');
  }
  if (full) pattern = "\\A(?:" + pattern + ")\\z";
  text::CaptureContext context;
  text::Capture match;
  return text::find_captures(text::compile_regex(pattern, text::parse_regex_options(options)), text, 0,
                             {&match, 1}, context);
}

template <Syntax kSyntax>
bool matches_reference(std::span<const Value> args) {
  const std::string& text = args[0].text();
  const std::string& pattern = args[1].text();
  const std::string detail = args.size() == 3 ? args[2].text() : "";
  switch (kSyntax) {
    case Syntax::kLike:
    case Syntax::kILike: {
      const bool fold = kSyntax == Syntax::kILike;
      const char escape = text::parse_escape(detail);
      try {
        return like_reference(fold ? lower_case(text) : text, fold ? lower_case(pattern) : pattern,
                              args.size() == 3 ? &escape : nullptr);
      } catch (const UserError&) {  // in the words of all others
        throw text::PatternError(
            compile(kSyntax, pattern, args.size() == 3 ? std::optional(detail) : std::nullopt).fault);
      }
    }
    case Syntax::kGlob:
      return glob_reference(text, pattern);
    case Syntax::kSearch:
    case Syntax::kFull:
      return regex_reference(text, pattern, kSyntax == Syntax::kFull, detail);
    case Syntax::kContains:
      return text.find(pattern) != std::string::npos;
    case Syntax::kPrefix:
      return text.starts_with(pattern);
    case Syntax::kSuffix:
      return text.ends_with(pattern);
    case Syntax::kReplace:
      break;
  }
  throw InternalError("not a test");
}

template <Syntax kSyntax, bool kNegated>
Value test_reference(const Expr&, std::span<const Value> args) {
  return Value::boolean(matches_reference<kSyntax>(args) != kNegated);
}

/// For patterns that rows bring along; see expr/gpu/strings/patterns-inl.h.
template <Syntax kSyntax, bool kNegated>
constexpr auto device_test() -> decltype(Function::device) {
  switch (kSyntax) {
    case Syntax::kLike:
      return kNegated ? on_device<"not_like<AsWritten>", "strings/patterns">
                      : on_device<"like<AsWritten>", "strings/patterns">;
    case Syntax::kILike:
      return kNegated ? on_device<"not_like<InLowerCase>", "strings/ilike">
                      : on_device<"like<InLowerCase>", "strings/ilike">;
    case Syntax::kGlob:
      return on_device<"glob", "strings/patterns">;
    case Syntax::kContains:
      return on_device<"contains", "strings/patterns">;
    case Syntax::kPrefix:
      return on_device<"begins_with", "strings/patterns">;
    case Syntax::kSuffix:
      return on_device<"ends_with", "strings/patterns">;
    default:
      return nullptr;
  }
}

constexpr int kTwo = 2, kThree = 3;  // strings that a function takes

template <Syntax kSyntax, bool kNegated = false>
constexpr Function match_entry(std::string_view name, int strings, std::string_view documentation,
                               std::string_view example) {
  return {.name = name,
          .raises = strings == kThree || is_regex(kSyntax),
          .resolve = strings == kThree
                         ? takes<TypeId::kBool, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>
                         : takes<TypeId::kBool, TypeId::kVarchar, TypeId::kVarchar>,
          .prepare = prepare_matches<kSyntax>,
          .select = select<kNegated>,
          .reference = test_reference<kSyntax, kNegated>,
          .device = device_test<kSyntax, kNegated>(),
          .documentation = documentation,
          .example = example};
}

constexpr Function kPrefix = match_entry<Syntax::kPrefix>(
    "prefix", kTwo, "Whether the first string begins with the second.", "prefix('/usr/bin', '/usr')");
constexpr Function kSuffix = match_entry<Syntax::kSuffix>(
    "suffix", kTwo, "Whether the first string ends with the second.", "suffix('libm.so', '.so')");

constexpr Function kMatchesFunctions[] = {
    match_entry<Syntax::kLike>("~~", kTwo, "LIKE: % stands for any text, _ for one character.",
                               "'straße' LIKE 'st%_e'"),
    match_entry<Syntax::kLike, true>("!~~", kTwo, "NOT LIKE.", "'straße' NOT LIKE 'st%a'"),
    match_entry<Syntax::kILike>("~~*", kTwo, "ILIKE: LIKE for letters of either case.",
                                "'Ärger' ILIKE 'ä%R'"),
    match_entry<Syntax::kILike, true>("!~~*", kTwo, "NOT ILIKE.", "'Ärger' NOT ILIKE 'ä%x'"),
    match_entry<Syntax::kLike>("like_escape", kThree, "LIKE with an escape character.",
                               "'50%' LIKE '50$%' ESCAPE '$'"),
    match_entry<Syntax::kLike, true>("not_like_escape", kThree, "NOT LIKE with an escape character.",
                                     "'50 m' NOT LIKE '50$%' ESCAPE '$'"),
    match_entry<Syntax::kILike>("ilike_escape", kThree, "ILIKE with an escape character.",
                                "'A_B' ILIKE 'a$_b' ESCAPE '$'"),
    match_entry<Syntax::kILike, true>("not_ilike_escape", kThree, "NOT ILIKE with an escape character.",
                                      "'AxB' NOT ILIKE 'a$_b' ESCAPE '$'"),
    match_entry<Syntax::kGlob>("~~~", kTwo,
                               "GLOB: * stands for any text, ? for one byte, [a-c] for one of a class.",
                               "'libm.so.6' GLOB 'lib*.so.[0-9]'"),
    match_entry<Syntax::kSearch>("regexp_matches", kTwo,
                                 "Whether a regular expression (RE2's dialect) matches somewhere.",
                                 "regexp_matches('libm.so.6', '[.]so[.][0-9]+$')"),
    match_entry<Syntax::kSearch>(
        "regexp_matches", kThree,
        "The same with options: c, i (either case), l (literal), s (. matches a line's end).",
        "regexp_matches('README', '^read', 'i')"),
    match_entry<Syntax::kFull>(
        "regexp_full_match", kTwo,
        "Whether a regular expression matches the whole string; also ~ and SIMILAR TO.",
        "'anabanana' SIMILAR TO '(an|ab)+ana'"),
    match_entry<Syntax::kFull>("regexp_full_match", kThree, "The same with options, as for regexp_matches.",
                               "regexp_full_match('ABC', '[a-c]+', 'i')"),
    match_entry<Syntax::kContains>("contains", kTwo, "Whether the other string occurs in the string.",
                                   "contains('/usr/bin', 'r/b')"),
    kPrefix,
    alias("starts_with", kPrefix),
    alias("^@", kPrefix),
    kSuffix,
    alias("ends_with", kSuffix),
};

}  // namespace

std::span<const Function> match_functions() { return kMatchesFunctions; }

const PreparedPattern* constant_test(const Expr& expr) {
  if (expr.kind != Expr::Kind::kCall || expr.function->select != &select<false>) return nullptr;
  const PreparedPattern& pattern = prepared(expr);
  return pattern.is_constant() && pattern.fault().empty() ? &pattern : nullptr;
}

bool is_negated(const Expr& match) { return match.function->select == &select<true>; }

ExprPtr pattern_test(ExprPtr text, std::shared_ptr<const PreparedPattern> pattern) {
  static const Function kTest = {
      .name = "matches", .select = select<false>, .documentation = {}, .example = {}};
  auto expr = std::make_shared<Expr>();
  expr->kind = Expr::Kind::kCall;
  expr->type = TypeId::kBool;
  expr->function = &kTest;
  expr->prepared = std::move(pattern);
  expr->args.push_back(std::move(text));
  return expr;
}

}  // namespace lanewise::expr
