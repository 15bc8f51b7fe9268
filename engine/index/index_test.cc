#include "index/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <string>

#include "base/testing/message_of.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "index/kernels/strategy.h"

namespace lanewise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

IndexOptions options_of(std::vector<KeyField> key, uint32_t leaf_keys = 0, uint32_t inner_keys = 0) {
  IndexOptions options;
  options.key = std::move(key);
  options.value_bytes = 4;
  options.leaf_keys = leaf_keys;
  options.inner_keys = inner_keys;
  return options;
}

TEST(Index, Example) {
  // [example] of docs/use/ordered-index.md
  const TemporaryFolder folder;
  const std::string path = folder.file("orders.index");

  IndexOptions options;
  options.key = {{TypeId::kUInt32}};  // customers
  options.value_bytes = 4;            // order numbers
  Index index(options);
  index.load(std::vector<uint32_t>{30, 10, 20, 10}, std::vector<uint32_t>{1, 2, 3, 4});
  index.insert(std::vector<uint32_t>{20, 40}, std::vector<uint32_t>{5, 6});
  index.erase(std::vector<uint32_t>{30});
  index.save(path);  // from now on commit() makes changes durable

  const std::vector<uint32_t> asked = {10, 30, 40};
  std::vector<uint32_t> orders;
  std::vector<uint64_t> found;
  const size_t hits = index.find(asked, orders, found);     // 2 keys, bits 0 and 2 of found[0]
  const std::vector<uint64_t> counts = index.count(asked);  // 2, 0, 1
  EXPECT_EQ(hits, 2u);
  EXPECT_EQ(found[0], 0b101u);
  EXPECT_EQ(orders[0], 2u);
  EXPECT_THAT(counts, ElementsAre(2, 0, 1));

  const std::vector<uint32_t> low = {10}, high = {40};
  const IndexRanges range = index.range(low, high);  // 10 10 20 20
  EXPECT_EQ(range.entries.count, 4u);
  uint32_t sum = 0;
  for (IndexCursor at = index.successor(low); at.valid(); at.next()) sum += at.value_as<uint32_t>();
  EXPECT_EQ(sum, 3u + 5 + 6);

  {
    const IndexSnapshot before = index.snapshot();  // for readers on other threads
    index.erase(asked);
    EXPECT_EQ(before.size(), 5u);
  }
  index.commit();
  {
    const Index closed = std::move(index);
  }

  const Index again = Index::open(path);  // only the header is read yet
  EXPECT_EQ(again.size(), 2u);
  // [example]
}

template <class T>
std::vector<T> column_values(const IndexEntries& entries) {
  const T* values = entries.key.at(0)->values.as<T>();
  return {values, values + entries.count};
}

TEST(Index, LoadsAndFindsAtEverySize) {
  for (const size_t size :
       {0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 513, 5000}) {
    for (const auto& [leaf, inner] : {std::pair(4u, 3u), {16u, 15u}, {17u, 16u}, {0u, 0u}, {2047u, 2047u}}) {
      SCOPED_TRACE(testing::Message() << size << " entries, " << leaf << " a leaf");
      std::vector<uint32_t> keys(size), values(size);
      for (size_t i = 0; i < size; ++i)
        keys[i] = static_cast<uint32_t>(3 * i + 1), values[i] = static_cast<uint32_t>(i);
      Index index(options_of({{TypeId::kUInt32}}, leaf, inner));
      index.load(keys, values);
      index.verify();
      ASSERT_EQ(index.size(), size);
      std::vector<uint32_t> asked;
      for (uint32_t key = 0; key < 3 * size + 3; ++key) asked.push_back(key);
      asked.push_back(UINT32_MAX);
      for (const index::Strategy strategy : index::supported_strategies()) {
        index.use_strategy(index::name(strategy));
        std::vector<uint32_t> got;
        std::vector<uint64_t> found;
        ASSERT_EQ(index.find(asked, got, found), size);
        for (size_t i = 0; i < asked.size(); ++i) {
          const bool there = asked[i] % 3 == 1 && asked[i] / 3 < size;
          ASSERT_EQ(bits::test(found.data(), i), there) << index::name(strategy) << asked[i];
          if (there) {
            ASSERT_EQ(got[i], asked[i] / 3);
          }
        }
      }
      const std::vector<uint64_t> lower = index.lower_bound(asked), upper = index.upper_bound(asked);
      for (size_t i = 0; i < asked.size(); ++i) {
        const uint64_t at = asked[i] == UINT32_MAX ? size : std::min<uint64_t>((asked[i] + 1) / 3, size);
        ASSERT_EQ(lower[i], at) << asked[i];
        ASSERT_EQ(upper[i], at + (asked[i] % 3 == 1 && asked[i] / 3 < size)) << asked[i];
      }
      const IndexEntries all = index.at(0, size + 5);
      ASSERT_EQ(column_values<uint32_t>(all), keys);
    }
  }
}

TEST(Index, NoKeyIsReserved) {
  constexpr uint32_t kMost = UINT32_MAX;
  Index index(options_of({{TypeId::kUInt32}}, 4, 3));
  const std::vector<uint32_t> asked = {kMost, 0, kMost - 1};
  EXPECT_EQ(index.size(), 0u);
  EXPECT_THAT(index.count(asked), ElementsAre(0, 0, 0));
  for (uint32_t i = 0; i < 100; ++i)
    index.insert(std::vector<uint32_t>{kMost, 0}, std::vector<uint32_t>{i, i});
  index.verify();
  EXPECT_THAT(index.count(asked), ElementsAre(100, 100, 0));
  EXPECT_THAT(index.lower_bound(asked), ElementsAre(100, 0, 100));
  const IndexRanges equal = index.equal(std::vector<uint32_t>{kMost});
  ASSERT_EQ(equal.entries.count, 100u);
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(equal.entries.values.as<uint32_t>()[i], i);  // as inserted
  EXPECT_EQ(index.erase(std::vector<uint32_t>{kMost}), 100u);
  index.verify();
  EXPECT_EQ(index.size(), 100u);
}

TEST(Index, CursorsGoBothWays) {
  Index index(options_of({{TypeId::kInt32}}, 4, 3));
  std::vector<int32_t> keys;
  for (int32_t i = -50; i < 50; ++i) keys.push_back(2 * i);
  index.load(keys, std::vector<uint32_t>(100, 7));
  std::vector<int32_t> seen;
  for (IndexCursor at = index.first(); at.valid(); at.next()) {
    seen.push_back(static_cast<int32_t>(at.key()[0].integer()));
  }
  EXPECT_EQ(seen, keys);
  seen.clear();
  for (IndexCursor at = index.last(); at.valid(); at.previous()) {
    seen.push_back(static_cast<int32_t>(at.key()[0].integer()));
  }
  std::reverse(seen.begin(), seen.end());
  EXPECT_EQ(seen, keys);
  const std::vector<int32_t> four = {4};
  EXPECT_EQ(index.seek(four).key()[0].integer(), 4);
  EXPECT_EQ(index.successor(four).key()[0].integer(), 6);
  EXPECT_EQ(index.predecessor(four).key()[0].integer(), 2);
  EXPECT_FALSE(index.predecessor(std::vector<int32_t>{-100}).valid());
  EXPECT_FALSE(index.successor(std::vector<int32_t>{98}).valid());
  EXPECT_FALSE(Index(options_of({{TypeId::kInt32}})).last().valid());
}

TEST(Index, RangesAreCutAtTheirLimit) {
  Index index(options_of({{TypeId::kUInt64}}, 8, 4));
  std::vector<uint64_t> keys(1000);
  std::vector<uint32_t> values(1000);
  for (uint32_t i = 0; i < 1000; ++i) keys[i] = values[i] = i;
  index.load(keys, values);
  const std::vector<uint64_t> lows = {0, 990, 500, 7, 2000}, highs = {33, 2000, 400, 8, 3000};
  const IndexRanges ranges = index.range(lows, highs, 20);
  EXPECT_THAT(ranges.offsets, ElementsAre(0, 20, 30, 30, 31, 31));
  EXPECT_EQ(ranges.cut[0], 1u);
  EXPECT_EQ(column_values<uint64_t>(ranges.entries)[25], 995u);
  EXPECT_EQ(ranges.entries.values.as<uint32_t>()[30], 7u);
  EXPECT_THAT(index.count(lows, highs), ElementsAre(33, 10, 0, 1, 0));
}

TEST(Index, UniqueKeysStayUnique) {
  IndexOptions options = options_of({{TypeId::kInt64}}, 4, 3);
  options.unique = true;
  Index index(options);
  EXPECT_THAT(message_of<UserError>(
                  [&] { index.load(std::vector<int64_t>{5, 6, 5}, std::vector<uint32_t>{1, 2, 3}); }),
              HasSubstr("keys 0 and 2 are equal"));
  EXPECT_EQ(index.insert(std::vector<int64_t>{5, 6, 5}, std::vector<uint32_t>{1, 2, 3}), 2u);
  EXPECT_EQ(index.upsert(std::vector<int64_t>{6, 7, 7}, std::vector<uint32_t>{4, 5, 6}), 1u);
  index.verify();
  std::vector<uint32_t> values;
  std::vector<uint64_t> found;
  EXPECT_EQ(index.find(std::vector<int64_t>{5, 6, 7}, values, found), 3u);
  EXPECT_THAT(values, ElementsAre(1, 4, 6));
}

TEST(Index, MistakesAreNamed) {
  EXPECT_THAT(message_of<UserError>([] { Index index(options_of({})); }), HasSubstr("1 to 4 fields"));
  EXPECT_THAT(message_of<UserError>([] { Index index(options_of({{TypeId::kInterval}})); }),
              HasSubstr("INTERVAL"));
  EXPECT_THAT(message_of<UserError>([] { Index index(options_of({{TypeId::kInt32}}, 3)); }),
              HasSubstr("4 to 2047, not 3"));
  Index index(options_of({{TypeId::kInt32}}));
  EXPECT_THAT(message_of<UserError>([&] { index.count(std::vector<uint32_t>{1}); }), HasSubstr("INTEGER"));
  EXPECT_THAT(message_of<UserError>([&] { index.insert(std::vector<int32_t>{1}, std::vector<uint64_t>{1}); }),
              HasSubstr("4 bytes, not 8"));
  EXPECT_THAT(message_of<UserError>([&] { index.commit(); }), HasSubstr("no file"));
  EXPECT_THAT(message_of<UserError>([&] { index.use_strategy("magic"); }), HasSubstr("magic"));
  const ColumnPtr null = make_column(TypeId::kInt32, {Value::int32(1), Value(TypeId::kInt32)});
  EXPECT_THAT(message_of<UserError>([&] { index.insert(Keys(*null), std::vector<uint32_t>{1, 2}); }),
              HasSubstr("key 1 is NULL"));
  EXPECT_EQ(index.size(), 0u);
}

TEST(Index, LackOfMemoryLosesNothing) {
  MemoryBudget budget(3 << 20);
  Index index(options_of({{TypeId::kUInt32}}, 16, 15), &budget);
  std::mt19937 random(3);
  std::vector<uint32_t> keys;
  EXPECT_THROW(
      {
        for (;;) {
          keys.push_back(static_cast<uint32_t>(random()));
          index.insert(std::vector<uint32_t>{keys.back()}, std::vector<uint32_t>{1});
        }
      },
      MemoryError);
  keys.pop_back();
  EXPECT_GT(keys.size(), 10000u);
  EXPECT_EQ(index.size(), keys.size());
  index.verify();
  EXPECT_TRUE(index.contains(keys));
  for (const uint32_t key : keys) index.erase(std::vector<uint32_t>{key});  // some occur twice
  index.verify();
  EXPECT_EQ(index.size(), 0u);
  for (const uint32_t key : keys) index.insert(std::vector<uint32_t>{key}, std::vector<uint32_t>{1});
  index.verify();
}

TEST(Index, ErasedMemoryIsUsedAgain) {
  Index index(options_of({{TypeId::kVarchar}}, 16, 15));
  std::mt19937 random(4);
  uint64_t bytes = 0;
  for (int round = 0; round < test_size(20, 100); ++round) {
    std::vector<std::string> texts(500);
    for (std::string& text : texts) text = std::string(random() % 60, 'x') + std::to_string(random());
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    index.insert(keys, std::vector<uint32_t>(500));
    EXPECT_EQ(index.erase(keys), 500u);
    if (round == 4) bytes = index.stats().image_bytes;
  }
  index.verify();
  EXPECT_EQ(index.size(), 0u);
  EXPECT_LE(index.stats().image_bytes, bytes * 5 / 4);
}

TEST(Index, AscendingKeysFillTheirNodes) {
  Index index(options_of({{TypeId::kUInt32}}));
  std::vector<uint32_t> keys(100000);
  for (uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  for (size_t first = 0; first < keys.size(); first += 100) {
    const std::vector<uint32_t> some(keys.begin() + static_cast<ptrdiff_t>(first),
                                     keys.begin() + static_cast<ptrdiff_t>(first + 100));
    index.insert(some, some);
  }
  index.verify();
  EXPECT_LT(index.stats().used_bytes, keys.size() * 8 * 12 / 10);
}

/// Key `i` of `count` in the order that the names below describe.
uint32_t key_by(const std::string& order, uint32_t i, uint32_t count) {
  if (order == "descending") return count - i;
  if (order == "all equal") return 7;
  if (order == "from both ends") return i % 2 == 0 ? i : UINT32_MAX - i;
  return i;
}

TEST(Index, OrdersOfArrival) {
  for (const std::string order : {"ascending", "descending", "all equal", "from both ends"}) {
    for (const uint32_t leaf_keys : {4u, 0u}) {
      for (const uint32_t batch : {1u, 100u}) {
        SCOPED_TRACE(order + ", leaves of " + std::to_string(leaf_keys) + ", batches of " +
                     std::to_string(batch));
        Index index(options_of({{TypeId::kUInt32}}, leaf_keys, leaf_keys));
        std::multimap<uint32_t, uint32_t> model;
        const uint32_t count = test_size(300, 3000);
        std::vector<uint32_t> all(count);
        for (uint32_t i = 0; i < count; ++i) all[i] = key_by(order, i, count);
        for (uint32_t first = 0; first < count; first += batch) {
          const std::vector<uint32_t> keys(all.begin() + first, all.begin() + first + batch);
          std::vector<uint32_t> values(batch);
          for (uint32_t i = 0; i < batch; ++i) {
            values[i] = first + i;
            model.emplace(keys[i], values[i]);
          }
          index.insert(keys, values);
        }
        index.verify();
        const IndexEntries entries = index.at(0, count);
        ASSERT_EQ(entries.count, count);
        size_t at = 0;
        for (const auto& [key, value] : model) {
          ASSERT_EQ(entries.key[0]->values.as<uint32_t>()[at], key);
          ASSERT_EQ(entries.values.as<uint32_t>()[at++], value);
        }
        EXPECT_EQ(index.erase(all), count);
        index.verify();
      }
    }
  }
}

/// 10^8 of them if tests may take long.
TEST(Index, ManyKeys) {
  const auto count = test_size<uint32_t>(10'000, 1'000'000, 100'000'000);
  std::vector<uint32_t> keys(count), values(count), got;
  for (uint32_t i = 0; i < count; ++i) keys[i] = 42 * i, values[i] = ~i;
  Index index(options_of({{TypeId::kUInt32}}));
  index.load(keys, values);
  index.verify();
  std::vector<uint64_t> found;
  EXPECT_EQ(index.find(keys, got, found), count);
  EXPECT_TRUE(got == values);
  for (uint32_t& key : keys) ++key;
  EXPECT_EQ(index.find(keys, nullptr, nullptr), 0u);
}

TEST(Index, RandomInsertsLeaveLittleRoom) {
  Index index(options_of({{TypeId::kUInt32}}));
  std::mt19937 random(8);
  const size_t count = test_size(30000, 300000);
  for (size_t i = 0; i < count; ++i) {
    index.insert(std::vector<uint32_t>{static_cast<uint32_t>(random())}, std::vector<uint32_t>{1});
  }
  index.verify();
  EXPECT_LT(index.stats().used_bytes, count * 8 * 18 / 10);
}

}  // namespace
}  // namespace lanewise
