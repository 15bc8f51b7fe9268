#include "text/matcher.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <thread>

#include "base/bits.h"
#include "base/error.h"
#include "base/testing/test_size.h"
#include "text/forms/form.h"
#include "text/testing/every_form.h"
#include "text/testing/text_column.h"

namespace lanewise::text {
namespace {

std::string form_of(const Pattern& pattern) { return std::string(Matcher(pattern).form()); }
std::string regex_form(const std::string& source) { return form_of(compile_regex(source)); }
std::string like_form(const std::string& source) { return form_of(compile_like(source)); }

TEST(Matcher, ChoosesTheCheapestForm) {
  EXPECT_EQ(like_form("abc"), "equality");
  EXPECT_EQ(like_form(""), "equality");
  EXPECT_EQ(like_form("abc%"), "prefix");
  EXPECT_EQ(like_form("%abc"), "suffix");
  EXPECT_EQ(like_form("%abc%"), "contains");
  EXPECT_EQ(like_form("%abcd%efgh%"), "pieces");
  EXPECT_EQ(like_form("%"), "all");
  EXPECT_EQ(regex_form("abc"), "contains");
  EXPECT_EQ(regex_form("^abc$"), "equality");
  EXPECT_EQ(regex_form("^[ab]*a[ab]{20}[ab]"), "lazy");
  EXPECT_EQ(regex_form("[ab]*a[ab]{20}.*xyz"), "filtered");
  EXPECT_EQ(regex_form("README|LICENSE|COPYING"), "sequences");
  EXPECT_EQ(regex_form("(foo|bar)[a-z]*[0-9]"), "filtered");
  EXPECT_EQ(regex_form("[a-z]{20}"), "runs");
  if (lanes::simd() != lanes::Target::avx512) return;  // elsewhere the other forms may cost more
  EXPECT_EQ(regex_form("\\.(png|jpe?g)$"), "tail");
  EXPECT_EQ(regex_form("^[a-z]+ [a-z]+$"), "packed");
}

TEST(Matcher, SaysWhy) {
  const std::string text = Matcher(compile_like("%abc%")).describe();
  EXPECT_NE(text.find("prefix: no, the pattern is not a prefix\n"), std::string::npos) << text;
  EXPECT_NE(text.find("contains: chosen, one text anywhere"), std::string::npos) << text;
  EXPECT_NE(text.find("packed: no, at best "), std::string::npos) << text;
}

std::string matcher_error(const Pattern& pattern, const MatcherOptions& options) {
  try {
    Matcher matcher(pattern, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Matcher, ForcedFormsAndLanes) {
  const Pattern digits = compile_regex("[0-9]{3}");
  EXPECT_EQ(matcher_error(digits, {"prefix", ""}),
            "the match strategy 'prefix' does not support this pattern: the pattern is not a prefix");
  EXPECT_EQ(matcher_error(digits, {"nonsense", ""}).substr(0, 62),
            "unknown match strategy 'nonsense': choose one of all, equality");
  EXPECT_EQ(matcher_error(digits, {"", "neon2"}).substr(0, 35), "unknown lanes 'neon2'; known are br");
  EXPECT_EQ(matcher_error(digits, {"rows", "avx512"}).substr(0, 9),
            lanes::supported(lanes::Target::avx512) ? "the match" : "this mach");
  for (const char* lanes : {"branching", "scalar", "interleaved", "emulated"}) {
    const Matcher matcher(digits, {"rows", lanes});
    EXPECT_EQ(matcher.form(), "rows");
    EXPECT_NE(matcher.describe().find(lanes), std::string::npos) << matcher.describe();
    EXPECT_TRUE(matcher.match("ab123"));
  }
  const Pattern words = compile_regex("^[a-z]+ [a-z]+$");
  EXPECT_EQ(Matcher(words, {"", "emulated"}).form(), "rows");  // cheaper than registers in plain C++
  EXPECT_EQ(Matcher(words, {"", "scalar"}).form(), "rows");
}

/// Rows of many lengths, some of which match.
std::vector<std::string> mixed_rows(size_t rows, std::mt19937& random) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < rows; ++i) {
    const size_t length = random() % 16 == 0 ? random() % 300 : random() % 70;
    std::string text;
    while (text.size() < length) text += "ab/.-0\xC3\xA9\n"[random() % 9];
    if (random() % 4 == 0) text.insert(random() % (text.size() + 1), "abc/12.so");
    texts.push_back(text);
  }
  return texts;
}

TEST(Matcher, ActiveRowsAndSizesAtTheEdges) {
  std::mt19937 random(99);
  std::vector<Pattern> patterns{compile_like("%abc%"),       compile_like("a%c%o"),
                                compile_like("%_bc%"),       compile_regex("[0-9]{2}\\."),
                                compile_regex("^[ab]+/"),    compile_regex("\\.so$"),
                                compile_regex(""),           compile_regex("(?m)^a.*o$"),
                                compile_like("a%"),          compile_regex("c/1[0-9]\\.s"),
                                compile_like("%o"),          compile_like(""),
                                compile_regex("abc|/12|zz"), compile_regex("[ab]{3}"),
                                compile_regex("(?i)ABC/1"),  compile_regex("(so|bc)$"),
                                compile_regex("[/.]{2}$"),   compile_regex("(ab|c/)[0-9b]*\\."),
                                compile_regex(".{66}"),      compile_regex("[^b]{70}")};
  for (size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, test_size(200, 1000)}) {
    const testing::TextColumn column(mixed_rows(rows, random), rows % 5);
    for (const Pattern& pattern : patterns) {
      if (random() % test_size(4, 1) != 0) continue;
      for (int density : {0, 1, 8, 16}) {
        std::vector<uint64_t> active(bits::words(rows) + 1), expected(active.size()), hits(active.size());
        for (size_t i = 0; i < rows; ++i) {
          if (density > 0 && static_cast<int>(random() % 16) < density) bits::set(active.data(), i);
        }
        const Matcher reference(pattern, {"lazy", ""});
        MatchContext context;
        for (size_t i = 0; i < rows; ++i) {
          const bool hit = bits::test(active.data(), i) && reference.match(column.texts()[i], context);
          if (hit) bits::set(expected.data(), i);
        }
        for (const auto& [name, matcher] : testing::every_form(pattern)) {
          std::ranges::fill(hits, 0);
          hits.back() = 42;  // after the end: not to be written
          expected.back() = 42;
          matcher.match(density % 2 ? column.narrow() : column.wide(), active.data(), hits.data(), context);
          ASSERT_EQ(hits, expected) << name << ", " << pattern.source() << ", " << rows << " rows";
          std::ranges::copy(active, hits.begin());
          hits.back() = 42;
          matcher.match(column.narrow(), hits.data(), hits.data(), context);
          ASSERT_EQ(hits, expected) << name << " in place, " << pattern.source() << ", " << rows << " rows";
        }
      }
    }
  }
}

TEST(Matcher, MatchesDoNotCrossRows) {
  const testing::TextColumn column({"xab", "cy", "", "abc", "ab", "c", "zabcz", "a", "bc"});
  std::vector<uint64_t> expected{0b001001000};
  testing::FormCounts counts;
  testing::check_every_form(compile_like("%abc%"), column, expected, counts);
  testing::check_every_form(compile_regex("a[b]c|abc"), column, expected, counts);
  testing::check_every_form(compile_regex("a(b|B)c"), column, expected, counts);
  EXPECT_GT(counts.total(), 100u);
}

/// Rows of one length with a needle at their beginning, in their middle and at their end, and two that it
/// would cross.
void add_rows(size_t length, std::vector<std::string>& texts) {
  const std::string needle = "ab7.so", dots(length, '.');
  if (length >= needle.size()) {
    for (size_t place : {size_t{0}, length / 2, length - needle.size()}) {
      texts.push_back(dots.substr(0, place) + needle);
      texts.back().resize(std::max(length, texts.back().size()), '.');
    }
  }
  const size_t half = std::min(needle.size() / 2, length);
  texts.push_back(dots.substr(half) + needle.substr(0, half));
  texts.push_back(needle.substr(3, half) + dots.substr(half));
}

/// Every form, against RE2.
TEST(Matcher, NeedlesAtTheEdgesOfRows) {
  std::vector<std::string> texts;
  for (size_t length : {0, 1, 6, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000}) add_rows(length, texts);
  std::mt19937 random(4);
  std::vector<std::string> shuffled = texts;
  std::ranges::shuffle(shuffled, random);
  std::vector<std::pair<Pattern, const char*>> patterns{{compile_like("%ab%so%"), "(?s)ab.*so"}};
  for (const char* source : {"", "^ab7\\.so$", "^ab7\\.so", "ab7\\.so$", "ab7\\.so", "ab[0-9]\\.so", "b7|so",
                             "[.a]{3}", "s[no]$", "[ab]{2}[0-9]", "[.]ab?7|s[no]$", "^\\.*[a-c]{2}"}) {
    patterns.emplace_back(compile_regex(source), source);
  }
  std::string words = "b7\\.so|7\\.";  // and others that are not found
  for (int i = 0; i < 70; ++i) words += "|z" + std::to_string(i);
  patterns.emplace_back(compile_regex(words), words.c_str());
  testing::FormCounts counts;
  for (const auto& [pattern, regex] : patterns) {
    const RE2 oracle(regex);
    for (const auto& rows : {texts, texts, shuffled}) {
      const testing::TextColumn column(rows, 3);
      std::vector<uint64_t> expected(bits::words(rows.size()));
      for (size_t i = 0; i < rows.size(); ++i) {
        if (RE2::PartialMatch(rows[i], oracle)) bits::set(expected.data(), i);
      }
      ASSERT_TRUE(testing::check_every_form(pattern, column, expected, counts)) << regex;
    }
  }
  for (std::string_view form : Matcher::form_names()) {
    const auto of_form = [&](const auto& each) { return each.first.starts_with(std::string(form) + "/"); };
    EXPECT_TRUE(std::ranges::any_of(counts.pairs, of_form))
        << form << " was left out: no pattern of this test can use it";
  }
}

TEST(Matcher, FormsOfGpus) {
  const auto form = [](const Pattern& pattern, bool all_rows = true, bool only_automata = false) {
    return forms::gpu_form(pattern.compiled(), all_rows, only_automata).name;
  };
  EXPECT_EQ(form(compile_like("ab")), "equality");
  EXPECT_EQ(form(compile_like("ab%")), "prefix");
  EXPECT_EQ(form(compile_regex("ab$")), "suffix");
  EXPECT_EQ(form(compile_like("%ab%")), "contains");
  EXPECT_EQ(form(compile_like("%ab%"), false), "rows") << "reads the text of all rows";
  EXPECT_EQ(form(compile_like("ab%"), false), "prefix");
  EXPECT_EQ(form(compile_like("ab%"), true, true), "rows");
  for (const char* pattern : {"", "%", "a%b", "_ab"})
    EXPECT_EQ(form(compile_like(pattern)), "rows") << pattern;
  EXPECT_EQ(form(compile_like(std::string(forms::kMostGpuNeedle, 'a') + "%")), "prefix");
  EXPECT_EQ(form(compile_like(std::string(forms::kMostGpuNeedle + 1, 'a') + "%")), "rows");
}

TEST(Matcher, HugeRow) {
  std::string huge(test_size(1 << 16, 1 << 20), 'a');
  huge += "needle7";
  const testing::TextColumn column({"needle", huge, "", "needle8"});
  testing::FormCounts counts;
  testing::check_every_form(compile_regex("needle[0-9]"), column, {0b1010}, counts);
  testing::check_every_form(compile_like("%needle7"), column, {0b0010}, counts);
}

/// A filter that lets almost everything through is replaced by another form, with the same results.
TEST(Matcher, GivesWayWhereCandidatesAreMany) {
  const Matcher matcher(compile_regex("(foo|bar)[a-z]*[0-9]"));
  ASSERT_EQ(matcher.form(), "filtered");
  EXPECT_NE(matcher.describe().find("where more is found"), std::string::npos) << matcher.describe();
  std::mt19937 random(7);
  std::vector<std::string> texts(3000);
  for (std::string& text : texts) {
    const bool neither = random() % 4 == 0;  // the filter leaves these rows out
    for (int i = 0; i < 8; ++i) text += neither ? "qux-" : random() % 2 ? "foo-" : "bar-";
    if (!neither && random() % 3 == 0) text += "foox7";
  }
  const testing::TextColumn column(texts);
  std::vector<uint64_t> hits(bits::words(texts.size()));
  lanes::Stats stats;
  MatchContext context;
  context.stats = &stats;
  // The number of lane steps in a batch distinguishes the forms.
  const auto steps_in_batch = [&](const Matcher& with, const testing::TextColumn& rows) {
    const uint64_t before = stats.lane_steps;
    with.match(rows.narrow(), nullptr, hits.data(), context);
    return stats.lane_steps - before;
  };
  std::set<uint64_t> steady;  // steps of the forms that look at every byte
  for (const char* form : {"packed", "rows"})
    steady.insert(steps_in_batch(Matcher(matcher.pattern(), {form, ""}), column));
  for (int batch = 0; batch < 70; ++batch) {
    std::ranges::fill(hits, 42);
    const bool gave_way = steady.contains(steps_in_batch(matcher, column));
    // It tries again after 1, 3, 7, 15, 31 and then every 31 batches.
    EXPECT_EQ(gave_way, !std::has_single_bit(static_cast<unsigned>(batch + 2))) << batch;
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(bits::test(hits.data(), i), texts[i].back() == '7') << batch << " " << texts[i];
    }
  }
  // When candidates become few again, the filter is used again.
  const testing::TextColumn quiet(std::vector<std::string>(3000, "neither the one nor the other"));
  uint64_t steps = 1;
  for (int batch = 0; batch < 40; ++batch) steps = steps_in_batch(matcher, quiet);
  EXPECT_EQ(steps, 0u);
}

/// The search is for the string that is rarer, in these rows, of two that every match contains.
TEST(Matcher, SearchesWhatIsRare) {
  const Matcher matcher(compile_regex("QQ[a-z]+ZZ[0-9]"));
  ASSERT_EQ(matcher.form(), "filtered");
  EXPECT_NE(matcher.why().find("where that is rarer"), std::string::npos) << matcher.why();
  for (const char* text : {"has QQx but not the other", "Q is not enough: xZZ1"}) {
    const testing::TextColumn column(std::vector<std::string>(3000, text));
    std::vector<uint64_t> hits(bits::words(3000), 42);
    lanes::Stats stats;
    MatchContext context;
    context.stats = &stats;
    matcher.match(column.narrow(), nullptr, hits.data(), context);
    EXPECT_EQ(context.hits, 0u) << text;
    EXPECT_EQ(stats.lane_steps, 0u) << text;  // no row is left to the automaton
  }
}

TEST(Matcher, ContextCountsAndServesSeveralMatchers) {
  const testing::TextColumn column({"abc", "x", "abcabc"});
  MatchContext context;
  std::vector<uint64_t> hits(1);
  const Matcher contains(compile_like("%abc%"));
  contains.match(column.narrow(), nullptr, hits.data(), context);
  EXPECT_EQ(context.rows, 3u);
  EXPECT_EQ(context.bytes, 10u);
  EXPECT_EQ(context.hits, 2u);
  {
    const Matcher lazy(compile_regex("[ab]*a[ab]{20}x"));
    EXPECT_FALSE(lazy.match("aaa", context));
  }
  const Matcher other(compile_regex("[ab]*a[ab]{21}x"));
  EXPECT_TRUE(other.match("a" + std::string(21, 'b') + "x", context));
}

TEST(Matcher, ThreadsShareOne) {
  const Matcher matcher(compile_regex("[ab]*a[ab]{20}x"));
  std::vector<std::thread> threads;
  std::vector<int> hits(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      MatchContext context;
      for (int i = 0; i < 200; ++i) {
        hits[t] += matcher.match(std::string(i, 'b') + "a" + std::string(i % 25, 'a') + "x", context);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hits, std::vector<int>(4, hits[0]));
  EXPECT_GT(hits[0], 0);
}

}  // namespace
}  // namespace lanewise::text
