#include "grep/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

constexpr uint64_t kInstructionBytes = 16;  // of a compiled pattern

std::string escaped(const std::string& text, bool unicode) {
  std::string out;
  for (const char c : text) {
    if (!unicode && static_cast<unsigned char>(c) > 0x7F) {  // without Unicode, patterns match bytes
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
      continue;
    }
    if (std::string_view("\\.+*?()|[]{}^$#&-~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// All patterns joined into one, in Rust's dialect, as in ripgrep.
std::string joined(const Options& options) {
  std::string all;
  bool first = true;
  for (const std::string& pattern : options.patterns) {
    if (!std::exchange(first, false)) all += '|';
    const std::string one = options.literal ? escaped(pattern, options.unicode) : pattern;
    all += options.around == Around::kLine ? "^(?:" + one + ")$" : one;
  }
  return all;
}

text::RegexOptions regex_options(const Options& options) {
  text::RegexOptions how;
  how.dialect = text::Dialect::kRust;
  how.unicode = options.unicode;
  how.multi_line = options.multiline || options.line_end == '\0';
  how.dot_newline = options.multiline && options.dot_all;
  how.crlf = options.crlf;
  how.whole_words = options.around == Around::kWord;
  how.limits.pattern_bytes = size_t{64} << 20;
  how.limits.program_size = std::min(size_t{4} << 20, options.pattern_bytes / kInstructionBytes);
  return how;
}

/// A literal line end in a pattern can never match.
void check_line_ends(const Options& options, const text::Pattern& pattern) {
  if (options.multiline || !pattern.has_literal_byte(static_cast<uint8_t>(options.line_end))) return;
  throw UserError(options.line_end == '\n'
                      ? "the literal '\\n' cannot match, since a match stays in a line; -U lets it span lines"
                      : "the literal '\\x00' cannot match, since it ends lines with --null-data");
}

}  // namespace

Search compile(const Options& options) {
  text::RegexOptions how = regex_options(options);
  const std::string all = joined(options);
  const bool ignores =
      options.letters == Case::kIgnored || (options.letters == Case::kSmart && text::is_lower_case(all, how));
  how.case_sensitive = !ignores;
  const auto make = [&](bool ascii_text) {
    text::RegexOptions now = how;
    now.ascii_text = ascii_text;
    if (options.patterns.empty()) return text::compile_any({}, now);
    return text::compile_regex(all, now);
  };
  Search search;
  const text::MatcherOptions on{.form = "", .lanes = options.lanes, .tuning = options.tuning};
  search.matcher = std::make_unique<text::UnicodeLineMatcher>(make, on, options.line_end);
  check_line_ends(options, search.matcher->pattern());
  const bool sees_ends = options.around == Around::kWord ||
                         search.matcher->pattern().may_match_byte(static_cast<uint8_t>(options.line_end));
  search.multiline = options.multiline && sees_ends;
  return search;
}

void find_groups(const text::UnicodeLineMatcher& matcher, const Options& options, std::string_view text,
                 std::vector<lanes::Line>& groups, text::CaptureContext& context) {
  text::MatchFinder finder(matcher.pattern_for(text), text, context);
  text::Capture match;
  const bool open_end = !text.ends_with(options.line_end);  // its last line may match at its end
  const size_t last_begin = text.size() - !open_end;
  for (size_t from = 0; from <= last_begin && !text.empty();) {
    if (options.around == Around::kWord && from > 0 && text[from - 1] != '\n') ++from;
    if (from > last_begin || !finder.next(from, {&match, 1})) return;
    if (match.begin > last_begin) return;
    const size_t before =
        match.begin == 0 ? std::string_view::npos : text.rfind(options.line_end, match.begin - 1);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const size_t last = std::max(match.end, match.begin + 1) - 1;
    const size_t newline = text.find(options.line_end, last);
    const size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    if (!groups.empty() && groups.back().end >= begin) {
      groups.back().end = static_cast<uint32_t>(std::max<size_t>(groups.back().end, end));
    } else {
      groups.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    }
    from = match.end + (match.begin == match.end);
  }
}

}  // namespace lanewise::cli::grep
