#include "primitives/text_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

void expect_sorted(const std::vector<std::string>& strings) {
  const std::vector<std::string_view> texts(strings.begin(), strings.end());
  for (const bool descending : {false, true}) {
    std::vector<KeyRow> rows(texts.size()), scratch(texts.size());
    std::vector<uint64_t> expected(texts.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = {0, i};
      expected[i] = i;
    }
    std::stable_sort(expected.begin(), expected.end(), [&](uint64_t a, uint64_t b) {
      return descending ? texts[b] < texts[a] : texts[a] < texts[b];
    });
    text_sort(rows, scratch.data(), texts, descending);
    for (size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i].row, expected[i]) << "at " << i;
  }
}

template <class Make>
std::vector<std::string> make(size_t count, Make make_one) {
  std::vector<std::string> strings(count);
  for (std::string& string : strings) string = make_one();
  return strings;
}

TEST(TextSort, SortsAsStableSortDoes) {
  std::mt19937 random(1);
  const auto letters = [&](size_t longest, const std::string& alphabet) {
    std::string text(random() % (longest + 1), ' ');
    for (char& letter : text) letter = alphabet[random() % alphabet.size()];
    return text;
  };
  for (const size_t count : {0, 1, 2, 23, 24, 25, 33, 64, 65, 1000, 20000}) {
    SCOPED_TRACE(count);
    expect_sorted(make(count, [&] { return letters(20, "abcdefgh"); }));
    expect_sorted(
        make(count, [&] { return letters(12, std::string("\0a", 2)); }));  // ends and zeros look alike
    expect_sorted(make(count, [&] { return letters(40, "x"); }));
    expect_sorted(make(count, [&] { return letters(9, "\x7f\x80\xff\x01"); }));
    expect_sorted(make(
        count, [&] { return "/usr/share/doc/package-" + std::to_string(random() % 500) + "/copyright"; }));
    expect_sorted(make(count, [&] { return std::string(random() % 3 * 100, 'p') + letters(3, "ab"); }));
    expect_sorted(make(count, [] { return std::string("always the same, and longer than eight bytes"); }));
    expect_sorted(make(count, [] { return std::string(); }));
  }
}

TEST(TextSort, SortsManyInParallel) {
  std::mt19937 random(2);
  expect_sorted(
      make(300000, [&] { return "common/prefix/" + std::to_string(random() % 50000) + "/and a tail"; }));
}

}  // namespace
}  // namespace lanewise
