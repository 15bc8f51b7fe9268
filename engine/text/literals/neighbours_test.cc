#include "text/literals/neighbours.h"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/test_size.h"
#include "text/lines.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text::literals {
namespace {

using lanes::Neighbours;

RegexOptions rust(bool ascii_text = false, bool whole_words = false) {
  RegexOptions options;
  options.dialect = Dialect::kRust;
  options.ascii_text = ascii_text;
  options.whole_words = whole_words;
  return options;
}

/// Verdicts on the bytes at one side, in the order of `bytes`: match, maybe, none.
std::string shown(const lanes::u8 (&verdicts)[256], std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += "n?.m"[verdicts[static_cast<uint8_t>(byte)]];
  return out;
}

TEST(Neighbours, Verdicts) {
  const auto both = [](const std::string& pattern) -> std::string {
    const Pattern compiled = compile_regex(pattern, rust());
    const auto found = find_neighbours(compiled.compiled().ast, "ing");
    const std::string_view bytes = "a_0- \n\xc3\xa4";
    return found ? shown(found->before, bytes) + " " + shown(found->after, bytes) : "none";
  };
  EXPECT_EQ(both("ing"), "mmmmmmmm mmmmmmmm");
  EXPECT_EQ(both("\\w+ing\\b"), "mmmnnnn? nnnmmm??");
  EXPECT_EQ(both("\\w{2}ing"), "???nnnn? mmmmmmmm");
  EXPECT_EQ(both("^ing$"), "nnnnnmnn nnnnnmnn");
  EXPECT_EQ(both("\\Bing(?-u:\\b)"), "mmmnnn?? nnnmmmmm");
  EXPECT_EQ(both("x?[a-]*ing(?:0|ü|$)"), "mmmmmmmm nnmnnm?n");
  EXPECT_EQ(both("[+-]ing0*a"), "nnnmnnnn mn?nnnnn");
  EXPECT_EQ(both("([+-](i)n)g[^a]"), "nnnmnnnn nmmmmn?n");
  EXPECT_EQ(both("(?:ing)+"), "none");
}

/// Lines by UnicodeLineMatcher, and by looking for a match in each of them.
void check(const std::string& pattern, bool whole_words, const std::string& text) {
  const auto make = [&](bool ascii) { return compile_regex(pattern, rust(ascii, whole_words)); };
  const Pattern whole = make(false);
  std::vector<lanes::Line> expected;
  CaptureContext captures;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    Capture match;
    if (find_captures(whole, std::string_view(text).substr(begin, end - 1 - begin), 0, {&match, 1}, captures))
      expected.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    begin = end;
  }
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.resize(text.size() + 64, 'a');
  for (const lanes::Target target : {lanes::Target::scalar, lanes::simd()}) {
    const UnicodeLineMatcher matcher(make, {.form = "", .lanes = std::string(lanes::name(target))}, '\n');
    LineContext context;
    std::vector<lanes::Line> found{{0, 0}};  // lines are appended
    matcher.match(bytes.data(), text.size(), found, context);
    found.erase(found.begin());
    ASSERT_EQ(found, expected) << pattern << (whole_words ? " as words, " : ", ") << matcher.describe();
  }
}

TEST(Neighbours, AsEachLineAlone) {
  std::mt19937 random(1);
  const std::string letters[] = {"q", "q", "Z", "qZ", "qZ",   "a",    "-", " ",
                                 "0", "_", "ä", "ß",  "\xff", "\xc3", "…", std::string(300, ' ')};
  std::string text = "qZ\nqZa\n";
  for (int i = 0; i < test_size(100, 300, 4000); ++i) {
    for (auto k = random() % 10; k > 0; --k) text += letters[random() % std::size(letters)];
    text += '\n';
  }
  const char* sides[] = {"",     "a",         "\\w",         "\\w+",           "\\W",   "[^a]",
                         ".",    "\\b",       "\\B",         "(?-u:\\b)",      "^",     "$",
                         "a*",   "a*\\b",     "\\ba?",       "(?:a|\\b)",      "[ä0]",  "(-|aa)?",
                         "-{2}", "(?:0|^|$)", "(?-u:\\xff)", "\\s*(?:\\b|a)+", "\\d?-?"};
  size_t pairs = 0;
  for (const std::string before : sides) {
    for (const std::string after : sides) {
      if (pairs++ % test_size(31, 1) != 0) continue;
      for (const bool whole_words : {false, true}) check(before + "qZ" + after, whole_words, text);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lanewise::text::literals
