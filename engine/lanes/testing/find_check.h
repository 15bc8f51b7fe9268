#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lanes/automata/rows.h"
#include "lanes/search/find_targets.h"
#include "lanes/search/lines.h"
#include "lanes/testing/guarded.h"

namespace lanewise::lanes {

/// Compares a finder's `match` with a test of each row alone.
class FindCheck : public ::testing::TestWithParam<Target> {
 protected:
  using Contains = std::function<bool(std::string_view text)>;

  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << name(GetParam()) << " is not supported here";
  }

  /// The target whose code runs.
  virtual Target ran() const { return scans_of(GetParam()).target; }

  /// Both offset widths, with and without active rows, in place, and with a gap of one byte, `between`,
  /// after each row; the text ends, with its padding, at a guard page.
  template <class Finder>
  void check(const Finder& finder, const std::vector<std::string>& texts, char between,
             const Contains& contains) {
    const Layout flat(texts, {}), lines(texts, {&between, 1});
    const size_t words = (texts.size() + 63) / 64;
    for (int share : {-1, 0, 2, 5, 50, 97}) {
      Guarded<u64> active(words), hits(words);
      std::vector<u64> expected(words);
      for (size_t i = 0; i < texts.size(); i++) {
        const bool is_active = share < 0 || int(random_() % 100) < share;
        active[i / 64] |= u64(is_active) << i % 64;
        expected[i / 64] |= u64(is_active && contains(texts[i])) << i % 64;
      }
      const u64* rows = share < 0 ? nullptr : active.data();
      for (const StringRows& layout : {flat.narrow(), flat.wide(), lines.narrow()}) {
        for (size_t w = 0; w < words; w++) hits[w] = random_();
        ASSERT_EQ(finder.match(layout, rows, hits.data()), ran());
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()))
            << "rows " << texts.size() << " active % " << share << " gap " << layout.gap;
      }
      if (!rows) continue;
      std::copy_n(active.data(), words, hits.data());  // in place
      finder.match(flat.narrow(), hits.data(), hits.data());
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()));
    }
  }

  /// match_lines, with strings that contain no \n.
  template <class Finder>
  void check_lines(const Finder& finder, const std::vector<std::string>& texts, const Contains& contains) {
    for (const std::string& text : texts) {
      if (text.find('\n') != std::string::npos) return;
    }
    const Layout lines(texts, "\n");
    std::vector<Line> expected, found;
    for (size_t i = 0; i < texts.size(); i++) {
      if (contains(texts[i])) expected.push_back({lines.offsets32[i], lines.offsets32[i + 1]});
    }
    ASSERT_EQ(finder.match_lines(lines.bytes.data(), lines.offsets64[texts.size()], found), ran());
    ASSERT_EQ(found, expected);
  }

  /// Rows of boundary lengths, over the first `letters` letters.
  std::vector<std::string> random_texts(size_t rows, int letters) {
    std::vector<std::string> texts(rows);
    for (std::string& text : texts) {
      const size_t edges[] = {0, 0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128};
      text.resize(edges[random_() % std::size(edges)]);
      for (char& c : text) c = char('a' + random_() % letters);
    }
    return texts;
  }

  std::mt19937 random_{5};

 private:
  struct Layout {
    Guarded<u8> bytes;
    Guarded<u32> offsets32;
    Guarded<u64> offsets64;
    size_t rows;
    u32 gap;

    Layout(const std::vector<std::string>& texts, std::string_view between)
        : bytes(size_of(texts) + texts.size() * between.size() + 64),
          offsets32(texts.size() + 1),
          offsets64(texts.size() + 1),
          rows(texts.size()),
          gap(u32(between.size())) {
      u8* at = bytes.data();
      for (size_t i = 0; i < rows; i++) {
        at = std::copy(between.begin(), between.end(), std::copy(texts[i].begin(), texts[i].end(), at));
        offsets64[i + 1] = offsets32[i + 1] = u32(at - bytes.data());
      }
      // Bytes after the last row must not be taken for a part of it.
      for (size_t i = 0; i < 64; i++)
        at[i] = texts.empty() || texts[0].empty() ? 'a' : u8(texts[0][i % texts[0].size()]);
    }
    static size_t size_of(const std::vector<std::string>& texts) {
      size_t size = 0;
      for (const std::string& text : texts) size += text.size();
      return size;
    }
    StringRows narrow() const { return {bytes.data(), offsets32.data(), rows, gap}; }
    StringRows wide() const { return {bytes.data(), offsets64.data(), rows, gap}; }
  };
};

}  // namespace lanewise::lanes
