#include "lanes/search/find_runs.h"

#include "lanes/tables/kind_sets.h"
#include "lanes/testing/find_check.h"

namespace lanewise::lanes {
namespace {

std::bitset<256> set_of(std::string_view bytes) {
  std::bitset<256> set;
  for (char c : bytes) set.set(u8(c));
  return set;
}

bool has_run(const std::bitset<256>& bytes, u64 length, std::string_view text) {
  u64 run = 0;
  for (char c : text) {
    run = bytes[u8(c)] ? run + 1 : 0;
    if (run == length) return true;
  }
  return false;
}

class FindRuns : public FindCheck {
 protected:
  void check(const std::vector<std::string>& texts, const std::bitset<256>& bytes, u64 length) {
    const RunFinder finder(GetParam(), bytes, length);
    const auto holds = [&](std::string_view text) { return has_run(bytes, length, text); };
    FindCheck::check(finder, texts, char(bytes._Find_first()), holds);
    if (!HasFatalFailure() && !bytes['\n']) check_lines(finder, texts, holds);
  }
};

TEST_P(FindRuns, RandomTexts) {
  for (size_t rows : {0, 1, 2, 63, 64, 65, 130, 700}) {
    for (int letters : {2, 3, 20}) {
      const auto texts = random_texts(rows, letters);
      for (u64 length : {1, 2, 3, 4, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 1024}) {
        check(texts, set_of("abcdefgh"), length);
        if (HasFatalFailure()) return;
      }
      check(texts, set_of("a"), 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(FindRuns, RunsOfEveryLengthAtEveryPlace) {
  for (u64 length : {1, 63, 64, 65, 200, 1000}) {
    std::vector<std::string> texts;
    for (size_t at = 0; at < 130; at++) {
      texts.push_back(std::string(at, '.') + std::string(length, '7'));
      texts.push_back(std::string(length - 1, '7') + std::string(at % 3, '.'));
      texts.push_back(std::string(at, '7'));
    }
    check(texts, set_of("0123456789"), length);
    if (HasFatalFailure()) return;
  }
}

TEST_P(FindRuns, HugeRows) {
  const std::vector<std::string> texts{std::string(1 << 20, 'x') + "999", "99",
                                       std::string((1 << 20) - 1, '9'), "9", "999"};
  check(texts, set_of("9"), 3);
  check(texts, set_of("x9"), 1024);
}

/// Sets whose bytes are distinguished by their halves, up to the maximum.
TEST_P(FindRuns, AnySetThatIsOffered) {
  std::vector<std::string> texts(400);
  for (std::string& text : texts) {
    text.resize(random_() % 40);
    for (char& c : text) c = char(random_() % 8 ? random_() : 'a');
  }
  int offered = 0;
  for (int round = 0; round < 60; round++) {
    std::bitset<256> bytes;
    u32 patterns[9];
    for (u32& pattern : patterns) pattern = random_() % 0x10000;
    for (u32 high = 0; high < 16; high++) {
      const u32 pattern = patterns[random_() % (round % 9 + 1)];
      for (u32 low = 0; low < 16; low++) bytes[16 * high + low] = pattern >> low & 1;
    }
    if (bytes.none() || !RunFinder::offers(bytes)) continue;
    offered++;
    check(texts, bytes, 1 + round % 4);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(offered, 40);
}

INSTANTIATE_TEST_SUITE_P(All, FindRuns, ::testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(name(each.param)); });

TEST(KindSets, HalvesNeverHideAByte) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; round++) {
    std::bitset<256> set;
    for (u32 byte = 0; byte < 256; byte++) set[byte] = int(random() % 300) < round;
    const KindTable table = kinds_of_set(set);
    for (u32 byte = 0; byte < 256; byte++) {
      EXPECT_EQ(table.of_byte[byte] != 0, set[byte]);
      const bool seems = table.of_low[byte % 16] & table.of_high[byte / 16];
      if (set[byte] || has_exact_kinds(set)) {
        EXPECT_EQ(seems, set[byte]) << byte;
      }
    }
  }
}

}  // namespace
}  // namespace lanewise::lanes
