#include "primitives/groups/hash_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <unordered_map>
#include <vector>

#include "primitives/groups/hash.h"

namespace lanewise {
namespace {

/// Numbers `keys` in batches of `batch`, with the tags that `tag_of` gives.
template <bool kFollow, class TagOf>
void expect_like_std(const std::vector<uint64_t>& keys, size_t batch, TagOf tag_of) {
  HashTable table(nullptr, "test");
  std::unordered_map<uint64_t, uint32_t> expected;
  uint32_t added = 0;
  for (size_t first = 0; first < keys.size(); first += batch) {
    const size_t count = std::min(batch, keys.size() - first);
    std::vector<uint32_t> tags(count);
    std::vector<uint32_t> groups(count);
    for (size_t i = 0; i < count; ++i) tags[i] = tag_of(keys[first + i]);
    table.find_or_add<kFollow>(
        tags.data(), count, [&](size_t i, const HashTable::Key& key) { return keys[first + i] == key.word; },
        [&](size_t i) { return HashTable::Key{keys[first + i], added++}; }, groups.data());
    for (size_t i = 0; i < count; ++i) {
      const auto group =
          expected.emplace(keys[first + i], static_cast<uint32_t>(expected.size())).first->second;
      ASSERT_EQ(groups[i], group) << "key " << first + i;
    }
  }
  EXPECT_EQ(added, expected.size());
}

TEST(HashTable, NumbersKeysAsAMapDoes) {
  std::mt19937_64 random(1);
  for (const uint64_t distinct : {1, 2, 100, 5000, 200000}) {
    for (const size_t count : {0, 1, 31, 64, 65, 100000}) {
      std::vector<uint64_t> keys(count);
      for (uint64_t& key : keys) key = random() % distinct;
      expect_like_std<false>(keys, 1000,
                             [](uint64_t key) { return static_cast<uint32_t>(hash::of_word(key) >> 32); });
    }
  }
}

TEST(HashTable, SurvivesTagsThatCollide) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < 3000; ++i) keys.push_back(i % 700);
  expect_like_std<false>(keys, 100, [](uint64_t) { return 0u; });
  expect_like_std<false>(
      keys, 100, [](uint64_t) { return ~0u; });  // the home position is the last slot: probing wraps around
  expect_like_std<false>(keys, 100, [](uint64_t key) { return static_cast<uint32_t>(key % 3) << 30; });
}

TEST(HashTable, ChargesTheBudget) {
  MemoryBudget budget(1 << 20);
  HashTable table(&budget, "GROUP BY");
  std::vector<uint32_t> tags(100000);
  std::vector<uint32_t> groups(tags.size());
  for (uint32_t i = 0; i < tags.size(); ++i) tags[i] = static_cast<uint32_t>(hash::of_word(i) >> 32);
  uint32_t added = 0;
  try {
    table.find_or_add<false>(
        tags.data(), tags.size(), [](size_t, const HashTable::Key&) { return false; },
        [&](size_t i) { return HashTable::Key{i, added++}; }, groups.data());
    FAIL() << "1 MiB holds no 100,000 slots";
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("GROUP BY"), std::string::npos) << error.what();
  }
}

TEST(Hash, TellsAllLengthsAndBytesApart) {
  std::map<uint64_t, std::string> seen;
  for (size_t size = 0; size <= 80; ++size) {
    for (size_t at = 0; at <= size; ++at) {
      std::string text(size, 'a');
      if (at < size) text[at] = 'b';
      const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
      const auto [entry, fresh] = seen.emplace(hash::of_bytes(bytes, size), text);
      EXPECT_TRUE(fresh || entry->second == text) << text << " and " << entry->second;
      EXPECT_TRUE(hash::same_bytes(bytes, reinterpret_cast<const uint8_t*>(std::string(text).data()), size));
      if (at < size) {
        EXPECT_FALSE(
            hash::same_bytes(bytes, reinterpret_cast<const uint8_t*>(std::string(size, 'a').data()), size));
      }
    }
  }
}

}  // namespace
}  // namespace lanewise
