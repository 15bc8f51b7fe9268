#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/captures/captures.h"
#include "text/captures/rewrite.h"
#include "text/pattern/compiled_pattern.h"
#include "text/unicode/utf8.h"

namespace lanewise::text {
namespace {

constexpr int kMaxRewriteGroup = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the character at `at` according to its first byte; 1 at the end of the text.
size_t bytes_by_lead(std::string_view text, size_t at) {
  if (at >= text.size()) return 1;
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  return std::min(bytes, text.size() - at);
}

}  // namespace

std::string_view regexp_extract(const Pattern& pattern, std::string_view text, int group,
                                CaptureContext& context) {
  std::array<Capture, kMaxRewriteGroup + 1> groups;
  if (group < 0 || group > std::min(pattern.groups(), kMaxRewriteGroup)) return {};
  if (!find_captures(pattern, text, 0, std::span(groups).first(group + 1), context)) return {};
  return groups[group].of(text);
}

std::vector<std::optional<std::string_view>> regexp_extract_all(const Pattern& pattern, std::string_view text,
                                                                int group, CaptureContext& context) {
  std::vector<std::optional<std::string_view>> out;
  if (group < 0) return out;
  const bool exists = group <= pattern.groups();
  std::vector<Capture> groups(exists ? group + 1 : 1);
  MatchFinder finder(pattern, text, context);
  for (size_t at = 0; finder.next(at, groups);) {
    if (!exists) {
      throw UserError("the pattern has " + std::to_string(pattern.groups()) + " groups; there is no group " +
                      std::to_string(group));
    }
    out.push_back(groups[group].matched() ? std::optional(groups[group].of(text)) : std::nullopt);
    at += groups[0].end > at ? groups[0].end - at : bytes_by_lead(text, at);
    if (at > text.size()) break;
  }
  return out;
}

namespace {

/// Appends the rewrite with its groups filled in; false if it ends early.
bool append_rewrite(std::string_view text, std::string_view rewrite, std::span<const Capture> groups,
                    size_t longest, std::string& out) {
  const auto append = [&](std::string_view part) {
    if (out.size() > longest) {
      throw UserError("regexp_replace would make a string of more than " + std::to_string(longest) +
                      " bytes");
    }
    out += part;
  };
  return captures::read_rewrite(
      rewrite, [&](char c) { append({&c, 1}); }, [&](int group) { append(groups[group].of(text)); });
}

void replace_first(const Pattern& pattern, std::string_view text, std::string_view rewrite,
                   std::span<Capture> groups, std::string& out, CaptureContext& context, size_t longest) {
  std::string replacement;
  if (!find_captures(pattern, text, 0, groups, context) ||
      !append_rewrite(text, rewrite, groups, longest, replacement)) {
    out += text;
    return;
  }
  out.append(text.substr(0, groups[0].begin)).append(replacement).append(text.substr(groups[0].end));
}

void replace_all(const Pattern& pattern, std::string_view text, std::string_view rewrite,
                 std::span<Capture> groups, std::string& out, CaptureContext& context, size_t longest) {
  size_t at = 0;
  size_t last_end = Capture::kNowhere;
  MatchFinder finder(pattern, text, context);
  while (finder.next(at, groups)) {
    out.append(text.substr(at, groups[0].begin - at));
    if (groups[0].begin == last_end && groups[0].end == last_end) {
      // An empty match right after the last match does not count: one character is copied.
      const int bytes = std::max(unicode::decode(text.substr(at)).bytes, 1);
      out.append(text.substr(at, bytes));
      at += bytes;
      continue;
    }
    append_rewrite(text, rewrite, groups, longest, out);
    at = last_end = groups[0].end;
  }
  if (at < text.size()) out.append(text.substr(at));
}

}  // namespace

void regexp_replace(const Pattern& pattern, std::string_view text, std::string_view rewrite, bool global,
                    std::string& out, CaptureContext& context, size_t longest) {
  std::array<Capture, kMaxRewriteGroup + 1> groups;
  const int highest = captures::highest_group(rewrite);
  if (highest > pattern.groups()) {
    out += text;
    return;
  }
  const auto wanted = std::span(groups).first(highest + 1);
  (global ? replace_all : replace_first)(pattern, text, rewrite, wanted, out, context, longest);
}

std::vector<std::string_view> regexp_split(const Pattern& pattern, std::string_view text,
                                           CaptureContext& context) {
  std::vector<std::string_view> out;
  size_t done = 0;
  Capture match;
  // Each piece is searched separately: after a separator, ^ and \b see the beginning of a text.
  const literals::WordFinder* words = pattern.compiled().words();
  const bool sees_context =
      (words != nullptr ? words->assertions() : pattern.compiled().program().assertions) != 0;
  MatchFinder whole(pattern, text, context);
  const auto find = [&] {
    if (!sees_context) return whole.next(done, {&match, 1});
    if (!find_captures(pattern, text.substr(done), 0, {&match, 1}, context)) return false;
    match = {match.begin + done, match.end + done};
    return true;
  };
  while (done < text.size() && find()) {
    if (match.end == done) {
      do ++match.end;
      while (match.end < text.size() && unicode::is_continuation(text[match.end]));
      match.begin = match.end;
      if (match.end == text.size()) break;
    }
    out.push_back(text.substr(done, match.begin - done));
    done = match.end;
  }
  out.push_back(text.substr(done));
  return out;
}

std::string regexp_escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool plain =
        is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
    if (c == '\0') {
      out += "\\x00";
    } else {
      if (!plain) out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace lanewise::text
