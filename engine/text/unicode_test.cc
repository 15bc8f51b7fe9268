#include <gtest/gtest.h>
#include <re2/re2.h>

#include <set>
#include <string>
#include <vector>

#include "base/testing/test_size.h"
#include "text/syntax/char_set.h"
#include "text/unicode/case.h"
#include "text/unicode/tables.h"
#include "text/unicode/utf8.h"

namespace lanewise::text {
namespace {

using syntax::CharSet;
using unicode::kMaxCodePoint;

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

/// All code points except surrogates as one text.
const std::string& everything() {
  static const std::string kAll = [] {
    std::string all;
    for (char32_t c = 0; c <= kMaxCodePoint; ++c) {
      if (!is_surrogate(c)) all += unicode::encode(c);
    }
    return all;
  }();
  return kAll;
}

/// The code points that RE2 finds in a class.
CharSet re2_class(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_max_mem(64 << 20);
  const RE2 run("(" + pattern + "+)", options);
  CharSet set;
  re2::StringPiece rest(everything()), found;
  while (run.ok() && RE2::FindAndConsume(&rest, run, &found)) {
    char32_t c = unicode::decode({found.data(), found.size()}).code_point;
    for (size_t at = 0; at < found.size();) {
      const unicode::Decoded d = unicode::decode({found.data() + at, found.size() - at});
      c = d.code_point;
      set.add(c, c);
      at += d.bytes;
    }
  }
  return set;
}

std::vector<std::string> class_names() {
  std::set<std::string> names{"Any"};
  for (size_t i = 0; i < unicode::kCategoryNamesCount; ++i) {
    names.insert(unicode::kCategoryNames[i]);
    names.insert(std::string(1, unicode::kCategoryNames[i][0]));
  }
  names.insert(unicode::kScriptNames, unicode::kScriptNames + unicode::kScriptNamesCount);
  return {names.begin(), names.end()};
}

TEST(Unicode, ClassesAreThoseOfRe2) {
  // RE2 20220601 supports an older Unicode version: what is unassigned there is not compared.
  const CharSet assigned = re2_class("[\\pL\\pM\\pN\\pP\\pS\\pZ\\pC]");
  ASSERT_TRUE(assigned.contains('a'));
  size_t compared = 0;
  for (const std::string& name : class_names()) {
    CharSet ours;
    const bool known = syntax::find_unicode_class(name, ours);
    const CharSet theirs = re2_class("\\p{" + name + "}");
    if (theirs.empty()) continue;  // unknown to RE2, or made of surrogates
    ASSERT_TRUE(known) << name;
    ++compared;
    for (char32_t c = 0; c <= kMaxCodePoint; c += test_size<char32_t>(11, 1)) {
      if (ours.contains(c) == theirs.contains(c) || !assigned.contains(c)) continue;
      FAIL() << name << " U+" << std::hex << uint32_t(c) << ": ours " << ours.contains(c);
    }
  }
  EXPECT_GT(compared, 180u);
}

TEST(Unicode, UnknownClassesAreNotFound) {
  CharSet set;
  for (const char* name : {"", "Cn", "Unknown", "X", "greek", "Lx"}) {
    EXPECT_FALSE(syntax::find_unicode_class(name, set)) << name;
  }
}

TEST(Unicode, FoldCyclesAreThoseOfRe2) {
  const CharSet assigned = re2_class("[\\pL\\pM\\pN\\pP\\pS\\pZ]");
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_literal(true);
  size_t folding = 0;
  for (char32_t c = 0; c <= kMaxCodePoint; ++c) {
    const char32_t next = unicode::next_fold(c);
    if (next == c) continue;
    ++folding;
    char32_t back = next;
    for (int steps = 0; back != c && steps < 5; ++steps) back = unicode::next_fold(back);
    ASSERT_EQ(back, c) << "the cycle of U+" << std::hex << uint32_t(c) << " does not close";
    if (!assigned.contains(c) || !assigned.contains(next)) continue;
    EXPECT_TRUE(RE2::FullMatch(unicode::encode(next), RE2(unicode::encode(c), options)))
        << "U+" << std::hex << uint32_t(c) << " and U+" << uint32_t(next);
  }
  EXPECT_GT(folding, 2'700u);
  // The reverse: what RE2 folds, we fold.
  const CharSet theirs = re2_class("(?i:[k\xCE\xA9\xC3\xA5\xCF\x83])");
  CharSet ours;
  for (char32_t c : {U'k', U'\u03A9', U'\u00E5', U'\u03C3'}) ours.add_folded(c, c);
  EXPECT_EQ(ours.ranges(), theirs.ranges());
}

TEST(Unicode, LowerAndUpper) {
  EXPECT_EQ(unicode::to_lower(U'A'), U'a');
  EXPECT_EQ(unicode::to_upper(U'z'), U'Z');
  EXPECT_EQ(unicode::to_lower(U'\u00C4'), U'\u00E4');
  EXPECT_EQ(unicode::to_lower(U'\u0130'), U'i');
  EXPECT_EQ(unicode::to_lower(U'\u1E9E'), U'\u00DF');
  EXPECT_EQ(unicode::to_upper(U'\u00DF'), U'\u00DF');
  EXPECT_EQ(unicode::to_lower(U'\u03A3'), U'\u03C3');
  EXPECT_EQ(unicode::to_lower(U'\U00010400'), U'\U00010428');
  EXPECT_EQ(unicode::to_lower(U'1'), U'1');
}

TEST(Unicode, EncodeAndDecode) {
  for (char32_t c = 0; c <= kMaxCodePoint; ++c) {
    if (is_surrogate(c)) continue;
    const std::string bytes = unicode::encode(c);
    const unicode::Decoded back = unicode::decode(bytes + "x");
    ASSERT_EQ(back.code_point, c);
    ASSERT_EQ(back.bytes, static_cast<int>(bytes.size()));
    for (size_t cut = 0; cut < bytes.size(); ++cut) ASSERT_EQ(unicode::decode(bytes.substr(0, cut)).bytes, 0);
  }
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3x", "\xE2\x82x"}) {
    EXPECT_EQ(unicode::decode(bad).bytes, 0);
  }
}

}  // namespace
}  // namespace lanewise::text
