#include "text/captures/tagged_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace lanewise::text::captures {
namespace {

std::string repeated(const std::string& part, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

TEST(TaggedAutomaton, FindsTheGroupsThatAreAskedForInTheirOrder) {
  CaptureContext context;
  std::mt19937 random(7);
  for (const char* source : {"(a)?(b*)(c|(d))+", "((((((((a|b)c)?)d)?)|b)+)x?)(y)?", "(?:(a)|(b)|(c))*$",
                             "(?m)^(\\w*)\\b(.*?)(-|$)", "(é)(?:(€)|\\B())?"}) {
    const Pattern pattern = compile_regex(source);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<int> wanted(pattern.groups() + 1);
      std::iota(wanted.begin(), wanted.end(), 0);
      std::shuffle(wanted.begin() + 1, wanted.end(), random);
      wanted.resize(1 + random() % wanted.size());
      const auto automaton = TaggedAutomaton::make(pattern, wanted);
      ASSERT_TRUE(automaton) << source;
      for (const std::string text : {"", "b", "abcd", "dacab-", "x\nbcbcdy x-a", "-\xC3é€ é\xE2\xC3\xA9"}) {
        for (size_t from = 0; from <= text.size(); ++from) {
          std::vector<Capture> all(pattern.groups() + 1), found(wanted.size());
          ASSERT_EQ(automaton->find(text, from, found), find_captures(pattern, text, from, all, context))
              << source << " in " << text;
          for (size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_EQ(found[i].begin, all[wanted[i]].begin) << source << " in " << text;
            EXPECT_EQ(found[i].end, all[wanted[i]].end) << source << " in " << text;
          }
        }
      }
    }
  }
}

/// Bytes read to find all matches, each from the end of the previous one, per byte of the text.
double reads_per_byte(const TaggedAutomaton& automaton, const std::string& text) {
  const lanes::TaggedView view = automaton.view();
  lanes::TaggedRegisters<lanes::TaggedView::kUnset> registers;
  auto& places = registers.places;
  size_t reads = 0;
  for (size_t from = 0; from <= text.size();) {
    std::fill(std::begin(places), std::end(places), lanes::TaggedView::kNoPlace);
    uint32_t state = from == 0 ? automaton.starts().nothing : automaton.starts().other_byte;
    for (size_t at = from; state != lanes::TaggedView::kDead; ++at, ++reads) {
      const lanes::u32 c =
          at < text.size() ? view.class_of[static_cast<uint8_t>(text[at])] : view.classes - 1;
      state = view.step(state, c, at, registers);
    }
    if (places[0] == lanes::TaggedView::kNoPlace) break;
    from = std::max<size_t>(from + 1, places[1]);
  }
  return static_cast<double>(reads) / static_cast<double>(text.size());
}

TEST(TaggedAutomaton, TellsWhereAllMatchesAreFoundInLinearTime) {
  constexpr int kGroups[] = {0};
  for (const char* source :
       {"a", "b*", "<.*>", "(.*)x", ".*/", "(?s)/\\*.*\\*/", "'(?:[^']|'')*'", "\\d{1,3}(,\\d{3})*",
        "(a{9})?", "\\w+(\\s*,\\s*\\w+)*", "(\\w+[.])+com", "^(.*)x", "(?m)^.*$", "a.*b", "(a|b)*c"}) {
    const auto automaton = TaggedAutomaton::make(compile_regex(source), kGroups);
    ASSERT_TRUE(automaton && automaton->finds_all()) << source;
    for (const char* part :
         {"a", "b", "ab", "<", ">", "<>", "x", "/", "*/", "/*", "'", "a,", "a ", "1,234", "a."}) {
      for (const std::string first : {"", "x", "/**/", "<a>", "'a'", "ab"})
        EXPECT_LE(reads_per_byte(*automaton, first + repeated(part, 1000)), 5.1) << source << " in " << part;
    }
  }
  const auto refused = [&](const char* source, const char* part) {
    const auto automaton = TaggedAutomaton::make(compile_regex(source), kGroups);
    ASSERT_TRUE(automaton) << source;
    EXPECT_FALSE(automaton->finds_all()) << source;
    EXPECT_GT(reads_per_byte(*automaton, repeated(part, 1000)), 100) << source;
  };
  refused("a*b|a", "a");
  refused("a.*?b|a", "a");
  refused("(<.*>)?", "<");
  refused("\\w+?(\\s*\\w)*x|\\w", "a ");
}

}  // namespace
}  // namespace lanewise::text::captures
