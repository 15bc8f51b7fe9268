// The functions that need captures, against the calls of RE2 that DuckDB makes for them.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "text/captures/captures.h"

namespace lanewise::text {
namespace {

using Strings = std::vector<std::string>;

std::string random_of(const Strings& parts, int max_parts, std::mt19937& random) {
  std::string out;
  for (int n = static_cast<int>(random() % (max_parts + 1)); n > 0; --n)
    out += parts[random() % parts.size()];
  return out;
}

/// regexp_extract_all as DuckDB does it, with RE2. A group that did not take part is shown as "NULL".
Strings extract_all(const RE2& re, const std::string& text, int group) {
  Strings out;
  std::vector<re2::StringPiece> groups(re.NumberOfCapturingGroups() + 1);
  for (size_t at = 0; at <= text.size() && re.Match(text, at, text.size(), RE2::UNANCHORED, groups.data(),
                                                    static_cast<int>(groups.size()));) {
    out.push_back(groups[group].data() ? groups[group].as_string() : "NULL");
    const size_t end = groups[0].data() + groups[0].size() - text.data();
    if (end > at) {
      at = end;
    } else {
      ++at;
      while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    }
  }
  return out;
}

/// regexp_split_to_array as DuckDB does it, with RE2.
Strings split(const RE2& re, const std::string& text) {
  Strings out;
  std::string rest = text;
  while (!rest.empty()) {
    re2::StringPiece match;
    if (!re.Match(rest, 0, rest.size(), RE2::UNANCHORED, &match, 1)) break;
    size_t at = match.data() - rest.data();
    if (match.empty() && at == 0) {
      for (++at; at < rest.size() && (rest[at] & 0xC0) == 0x80;) ++at;
      if (at == rest.size()) break;
    }
    out.push_back(rest.substr(0, at));
    rest = rest.substr(at + match.size());
  }
  out.push_back(rest);
  return out;
}

Strings to_strings(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

Strings to_strings(const std::vector<std::optional<std::string_view>>& views) {
  Strings out;
  for (const auto& view : views) out.emplace_back(view ? *view : "NULL");
  return out;
}

TEST(RegexpFunctions, RandomPatternsAgreeWithRe2) {
  const Strings pattern_parts{"a",    "b",        "(a)",   "(b|", ")",   "*",    "+",  "?",
                              "*?",   ".",        "[ab]",  "(",   "|",   "^",    "$",  "\\b",
                              "(?i)", "\xC3\xA9", "{1,2}", "-",   "\\d", "[^a]", "(?:"};
  const Strings text_parts{"a", "b", "A", "-", " ", "\xC3\xA9", "7", "ab", "\n"};
  const Strings rewrites{"", "x", "<\\0>", "\\1", "[\\1\\2]", "\\\\", "\\3", "a\\", "\\x", "\\0\\0"};
  std::mt19937 random(2024);
  RE2::Options options;
  options.set_log_errors(false);
  CaptureContext context;
  size_t tested = 0;
  const size_t rounds = test_size(3'000, 40'000);
  for (size_t round = 0; round < rounds; ++round) {
    const std::string source = random_of(pattern_parts, 7, random);
    const RE2 oracle(source, options);
    if (!oracle.ok()) {
      ASSERT_THROW(compile_regex(source), UserError) << source << ": " << oracle.error();
      continue;
    }
    const Pattern pattern = compile_regex(source);
    for (int i = 0; i < 5; ++i) {
      const std::string text = random_of(text_parts, 8, random);
      const std::string what = "'" + source + "' on '" + text + "'";
      for (int group = 0; group < 3; ++group) {
        std::string expected;
        RE2::Extract(text, oracle, "\\" + std::to_string(group), &expected);
        ASSERT_EQ(regexp_extract(pattern, text, group, context), expected) << what;
        if (group > pattern.groups()) continue;
        ASSERT_EQ(to_strings(regexp_extract_all(pattern, text, group, context)),
                  extract_all(oracle, text, group))
            << what;
      }
      ASSERT_EQ(to_strings(regexp_split(pattern, text, context)), split(oracle, text)) << what;
      for (const std::string& rewrite : rewrites) {
        std::string first = text, all = text, ours;
        RE2::Replace(&first, oracle, rewrite);
        RE2::GlobalReplace(&all, oracle, rewrite);
        regexp_replace(pattern, text, rewrite, false, ours, context);
        ASSERT_EQ(ours, first) << what << " by " << rewrite;
        ours.clear();
        regexp_replace(pattern, text, rewrite, true, ours, context);
        ASSERT_EQ(ours, all) << what << ", all, by " << rewrite;
      }
      ++tested;
    }
  }
  EXPECT_GT(tested, rounds);
}

TEST(RegexpFunctions, Examples) {
  CaptureContext context;
  auto replaced = [&](const char* text, const char* pattern, const char* rewrite, bool global) {
    std::string out = "> ";
    regexp_replace(compile_regex(pattern), text, rewrite, global, out, context);
    return out;
  };
  EXPECT_EQ(replaced("hello", "[lo]", "-", false), "> he-lo");
  EXPECT_EQ(replaced("hello", "[lo]", "-", true), "> he---");
  EXPECT_EQ(replaced("2024-05-07", "(\\d+)-(\\d+)-(\\d+)", "\\3.\\2.\\1", false), "> 07.05.2024");
  EXPECT_EQ(replaced("abc", "", "-", true), "> -a-b-c-");
  EXPECT_EQ(regexp_extract(compile_regex("([a-z]+)_(\\d+)"), "x foo_42 bar_7", 2, context), "42");
  EXPECT_EQ(regexp_extract(compile_regex("b"), "a", 0, context), "");
  EXPECT_EQ(regexp_escape("a.b_c\xC3\xA9"), "a\\.b_c\xC3\xA9");
  EXPECT_EQ(regexp_escape(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(RE2::QuoteMeta("1+1=2?"), regexp_escape("1+1=2?"));
}

TEST(RegexpFunctions, MissingGroupIsAnErrorOnlyWhereSomethingMatches) {
  CaptureContext context;
  const Pattern pattern = compile_regex("a(b)");
  EXPECT_TRUE(regexp_extract_all(pattern, "xyz", 2, context).empty());
  EXPECT_THROW(regexp_extract_all(pattern, "xab", 2, context), UserError);
  EXPECT_TRUE(regexp_extract_all(pattern, "xab", -1, context).empty());
}

TEST(RegexpFunctions, MadeStringsAreBounded) {
  CaptureContext context;
  const std::string rewrite(100, 'x');
  for (bool global : {false, true}) {
    std::string out;
    EXPECT_THROW(regexp_replace(compile_regex("a"), "aaaa", rewrite, global, out, context, 50), UserError);
    out.clear();
    regexp_replace(compile_regex("a"), "aaaa", rewrite, global, out, context, 400);
    EXPECT_EQ(out.size(), global ? 400u : 103u);
  }
}

TEST(RegexpFunctions, LongTextsTakeLinearTime) {
  CaptureContext context;
  std::string text(test_size(1 << 16, 1 << 20), 'a');
  text += "b12";
  std::vector<Capture> groups(3);
  ASSERT_TRUE(find_captures(compile_regex("(a*)*b(\\d+)"), text, 0, groups, context));
  EXPECT_EQ(groups[0].begin, 0u);
  EXPECT_EQ(groups[0].end, text.size());
  EXPECT_EQ(groups[2].of(text), "12");
}

}  // namespace
}  // namespace lanewise::text
