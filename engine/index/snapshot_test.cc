// Readers concurrent with one writer.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "base/testing/test_size.h"
#include "index/index.h"

namespace lanewise {
namespace {

IndexOptions small_nodes(Type type) {
  IndexOptions options;
  options.key = {{type}};
  options.value_bytes = 4;
  options.leaf_keys = 8;
  options.inner_keys = 7;
  return options;
}

std::vector<uint32_t> values_of(const IndexReader& reader) {
  const IndexEntries all = reader.at(0, reader.size());
  const uint32_t* values = all.values.as<uint32_t>();
  return {values, values + all.count};
}

TEST(Snapshot, StaysAsItWas) {
  Index index(small_nodes(TypeId::kVarchar));
  std::mt19937 random(1);
  const auto change = [&] {
    std::vector<std::string> texts(50);
    std::vector<uint32_t> values(50);
    for (std::string& text : texts) text = std::string(random() % 30, 'y') + std::to_string(random() % 300);
    for (uint32_t& value : values) value = static_cast<uint32_t>(random());
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    if (random() % 2 == 0) {
      index.insert(keys, values);
    } else {
      index.erase(keys);
    }
  };
  struct Kept {
    IndexSnapshot snapshot;
    std::vector<uint32_t> values;
  };
  std::vector<Kept> kept;
  for (int round = 0; round < test_size(60, 300); ++round) {
    change();
    if (round % 3 == 0) kept.push_back({index.snapshot(), values_of(index)});
    if (kept.size() > 10) kept.erase(kept.begin() + static_cast<ptrdiff_t>(random() % kept.size()));
    for (const Kept& one : kept) {
      ASSERT_EQ(values_of(one.snapshot), one.values);
      one.snapshot.verify();
    }
    index.verify();
  }
  kept.clear();
  change();
  index.verify();  // and no slot is lost
}

TEST(Snapshot, MayOutliveTheIndex) {
  const IndexSnapshot snapshot = [] {
    Index index(small_nodes(TypeId::kUInt32));
    index.insert(std::vector<uint32_t>{1, 2, 3}, std::vector<uint32_t>{4, 5, 6});
    return index.snapshot();
  }();
  EXPECT_EQ(values_of(snapshot), (std::vector<uint32_t>{4, 5, 6}));
}

/// Each of the writer's batches keeps the sum of all values at 0 (mod 2^32) and the size a multiple of 10.
TEST(Snapshot, ReadersSeeWholeBatches) {
  Index index(small_nodes(TypeId::kUInt32));
  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  const auto read = [&] {
    do {
      const IndexSnapshot snapshot = index.snapshot();
      for (int again = 0; again < 2; ++again) {
        uint32_t sum = 0;
        for (const uint32_t value : values_of(snapshot)) sum += value;
        ASSERT_EQ(sum, 0u);
        ASSERT_EQ(snapshot.size() % 10, 0u);
        ASSERT_LE(snapshot.find(std::vector<uint32_t>{1, 2, 3}, nullptr, nullptr), 3u);
      }
      ++looks;
    } while (!done);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back(read);
  std::mt19937 random(2);
  std::vector<std::vector<uint32_t>> there;
  const int rounds = test_size(60, 400);
  for (int round = 0; round < rounds || looks < 20; ++round) {
    if (there.size() < 40 || random() % 2 == 0) {
      std::vector<uint32_t> keys(10), values(10);
      uint32_t sum = 0;
      for (int i = 0; i < 10; ++i) {
        keys[i] = static_cast<uint32_t>(random());
        values[i] = i == 9 ? 0 - sum : static_cast<uint32_t>(random());
        sum += values[i];
      }
      index.insert(keys, values);
      there.push_back(keys);
    } else {
      const size_t which = random() % there.size();
      ASSERT_EQ(index.erase(there[which]), 10u);
      there.erase(there.begin() + static_cast<ptrdiff_t>(which));
    }
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  index.verify();
}

}  // namespace
}  // namespace lanewise
