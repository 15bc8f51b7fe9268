#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "expr/patterns/device_search.h"
#include "expr/patterns/functions.h"
#include "expr/patterns/match_rows.h"
#include "expr/patterns/prepared_pattern.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "text/captures/rewrite.h"

namespace lanewise::expr {

namespace {

/// For a device's rewrite: from here on a word stands for a group; and how many words there may be.
constexpr int kFirstGroup = 256;
constexpr size_t kMostWords = 4096;
/// Larger strings are not kept for the next row.
constexpr size_t kKept = size_t{1} << 20;

/// Bytes that the string being made may have: it is copied to the chunk's memory at the end, and grows by
/// doubling.
size_t longest_text(const EvalContext& context) {
  if (context.budget == nullptr) return kLongestText;
  const size_t free = context.budget->limit() - std::min(context.budget->limit(), context.budget->used());
  return std::min(kLongestText, free / 4);
}

/// regexp_replace's pattern and whether all matches are replaced.
class PreparedReplace : public PreparedPattern {
 public:
  explicit PreparedReplace(std::span<const ExprPtr> args) : PreparedPattern(Syntax::kReplace, args, 3) {
    if (detail()) text::parse_regex_options(*detail(), &global_);
  }
  bool global() const { return global_; }

 private:
  bool global_ = false;
};

std::shared_ptr<const Prepared> prepare_rewrite(std::span<const ExprPtr> args) {
  return std::make_shared<PreparedReplace>(args);
}

Vector replace_matches(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context) {
  const auto& prepared = static_cast<const PreparedReplace&>(*expr.prepared);
  auto& state = PatternState::of(expr, context);
  const Texts texts(args[0], rows);
  const Texts patterns(args[1], rows);
  const Texts rewrites(args[2], rows);
  const bool constant = prepared.is_constant();
  const uint64_t* hits =
      constant ? match_rows(prepared.matcher(context.target, context.tuning), args[0], rows, state.match)
               : nullptr;
  const size_t longest = longest_text(context);
  TextWriter writer("regexp_replace", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    if (constant && !bits::test(hits, row)) return texts[row];
    const text::Pattern& pattern =
        constant ? prepared.pattern()
                 : state.cache.get(prepared.syntax(), patterns[row], prepared.detail()).compiled.pattern;
    std::string& text = state.text;
    text.clear();
    text::regexp_replace(pattern, texts[row], rewrites[row], prepared.global(), text, state.capture, longest);
    std::copy(text.begin(), text.end(), writer.reserve(text.size()));
    const std::string_view result = writer.take(text.size());
    if (text.capacity() > kKept) text = {};
    return result;
  });
}

Value replace_matches_reference(const Expr&, std::span<const Value> args) {
  bool global = false;
  const text::RegexOptions options =
      args.size() > 3 ? text::parse_regex_options(args[3].text(), &global) : text::RegexOptions();
  const text::Pattern pattern = text::compile_regex(args[1].text(), options);
  text::CaptureContext context;
  std::string result;
  text::regexp_replace(pattern, args[0].text(), args[2].text(), global, result, context);
  return Value::varchar(result);
}

/// See expr/gpu/strings/rewrites-inl.h.
std::optional<DeviceFunction> device_replace(const Expr& expr) {
  const auto& prepared = static_cast<const PreparedReplace&>(*expr.prepared);
  const std::optional<std::string> rewrite = literal_text(expr.args[2]);
  if (!prepared.is_constant() || !rewrite) return std::nullopt;
  std::vector<int> groups = {0};
  std::vector<uint16_t> words = {0};
  const auto byte = [&](char c) { words.push_back(static_cast<uint8_t>(c)); };
  const auto group = [&](int wanted) {
    const auto at = std::find(groups.begin(), groups.end(), wanted) - groups.begin();
    if (at == std::ssize(groups)) groups.push_back(wanted);
    words.push_back(static_cast<uint16_t>(kFirstGroup + at));
  };
  const bool whole = text::captures::read_rewrite(*rewrite, byte, group);
  if (text::captures::highest_group(*rewrite) > prepared.pattern().groups() || !(whole || prepared.global()))
    return DeviceFunction{.name = "same", .last = 1};
  words[0] = static_cast<uint16_t>(words.size() - 1);
  const auto search = device_search(prepared, groups);
  if (!search || words.size() > kMostWords || (prepared.global() && !search->finds_all()))
    return std::nullopt;
  const lanes::TaggedStarts& starts = search->starts();
  std::vector<DeviceTable> tables = device_tables(*search);
  tables.push_back(device_table("u16", std::span<const uint16_t>(words)));
  return DeviceFunction{.name = fmt::format("rewritten<{}, {}, {}, {}>", search->classes(),
                                            search->registers(), groups.size(), prepared.global()),
                        .header = "strings/rewrites",
                        .makes_text = true,
                        .tables = std::move(tables),
                        .constants = fmt::format(", TaggedStarts{{{}, {}, {}, {}}}", starts.nothing,
                                                 starts.line_end, starts.word_byte, starts.other_byte),
                        .last = 1};
}

constexpr Function kRewriteFunctions[] = {
    {.name = "regexp_replace",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>,
     .prepare = prepare_rewrite,
     .evaluate = replace_matches,
     .reference = replace_matches_reference,
     .device = device_replace,
     .documentation =
         "The string with the first match of a regular expression replaced; \\1 stands for group 1.",
     .example = "regexp_replace('libm.so.6', 'lib(.*)[.]so', '\\1')"},
    {.name = "regexp_replace",
     .raises = true,
     .resolve =
         takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>,
     .prepare = prepare_rewrite,
     .evaluate = replace_matches,
     .reference = replace_matches_reference,
     .device = device_replace,
     .documentation = "The same with options, as for regexp_matches, and g: replace all matches.",
     .example = "regexp_replace('a-b-c', '-', '/', 'g')"},
};

}  // namespace

std::span<const Function> rewrite_functions() { return kRewriteFunctions; }

}  // namespace lanewise::expr
