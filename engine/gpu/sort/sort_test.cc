#include "gpu/sort/sort.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "base/int128.h"
#include "base/testing/test_size.h"
#include "gpu/error.h"
#include "gpu/staging.h"
#include "gpu/testing/sort_plugin.h"

namespace lanewise::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string reason(const char* library) {
  try {
    Sorter sorter{std::string(library)};
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(Sorter, WhatIsMissingIsSaid) {
  EXPECT_THAT(reason("nowhere/lanewise_sort.so"),
              AllOf(HasSubstr("the plug-in that sorts on GPUs was not found"),
                    HasSubstr("nowhere/lanewise_sort.so")));
  EXPECT_THAT(reason("libc.so.6"), HasSubstr("has no lanewise_sort_version"));
}

TEST(Sorter, ThePluginIsOfThisVersion) {
  if (!std::filesystem::exists(LANEWISE_SORTER_FILE)) GTEST_SKIP() << "nvcc was not there to build it";
  EXPECT_EQ(reason(LANEWISE_SORTER_FILE), "");
}

class SortOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = &Driver::system().device(0);
    } catch (const DeviceError& none) {
      GTEST_SKIP() << none.what();
    }
    ASSERT_TRUE(find_sorter(LANEWISE_SORTER_FILE));
  }

  /// Sorts random keys, of which many are equal in few bits, from either place; expects what the host's
  /// stable sort gives.
  template <class Key, class Value = uint32_t>
  void expect_sorted(size_t count, unsigned bits, int place) {
    std::mt19937_64 random(count * 100 + bits);
    std::vector<Key> keys(count);
    std::vector<Value> values(count);
    for (size_t i = 0; i < count; ++i) {
      keys[i] = static_cast<Key>(random());
      values[i] = static_cast<Value>(random()) << (sizeof(Value) - sizeof(uint32_t)) * 8 | i;
    }
    Stream stream(*device_);
    DevicePool pool(*device_);
    Staging staging(*device_, {.threads = 1});
    std::vector<DeviceBuffer> buffers;
    for (const size_t each : {sizeof(Key), sizeof(Key), sizeof(Value), sizeof(Value)})
      buffers.push_back(pool.allocate(count * each, stream, "test"));
    SortPairs pairs{{buffers[0].address(), buffers[1].address()},
                    {buffers[2].address(), buffers[3].address()},
                    count,
                    sizeof(Key),
                    place,
                    sizeof(Value)};
    staging.upload(pairs.keys[place], keys.data(), count * sizeof(Key), stream);
    staging.upload(pairs.values[place], values.data(), count * sizeof(Value), stream);
    Sorter::system().sort(pairs, bits, pool, stream);

    const Key counted = bits == sizeof(Key) * 8 ? ~Key{0} : (Key{1} << bits) - 1;
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return (keys[a] & counted) < (keys[b] & counted); });
    std::vector<Key> got_keys(count), expected_keys;
    std::vector<Value> got_values(count), expected_values;
    for (const size_t i : order) {
      expected_keys.push_back(keys[i]);
      expected_values.push_back(values[i]);
    }
    staging.download(got_keys.data(), pairs.keys[pairs.place], count * sizeof(Key), stream);
    staging.download(got_values.data(), pairs.values[pairs.place], count * sizeof(Value), stream);
    EXPECT_TRUE(got_keys == expected_keys) << count << " keys, " << bits << " bits";
    EXPECT_TRUE(got_values == expected_values) << count << " keys, " << bits << " bits";
  }

  Device* device_ = nullptr;
};

TEST_F(SortOnGpu, AsTheHostDoes) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{33}, size_t{63}, size_t{64},
                             size_t{65}, size_t{5000}, test_size<size_t>(100'000, 3'000'001, 30'000'001)}) {
    for (const int place : {0, 1}) {
      for (const unsigned bits : {0u, 1u, 7u, 20u, 32u}) expect_sorted<uint32_t>(count, bits, place);
      for (const unsigned bits : {1u, 33u, 64u}) expect_sorted<uint64_t>(count, bits, place);
      for (const unsigned bits : {1u, 16u}) {
        expect_sorted<uint32_t, uint64_t>(count, bits, place);
        expect_sorted<uint32_t, uint128_t>(count, bits, place);
      }
    }
  }
}

TEST_F(SortOnGpu, TooLittleMemoryIsSaid) {
  Stream stream(*device_);
  DevicePool pool(*device_, size_t{20} << 20);
  const size_t count = size_t{1} << 20;
  const DeviceBuffer buffer = pool.allocate(count * 16, stream, "test");
  const DeviceBuffer rest = pool.allocate((size_t{4} << 20) - 4096, stream, "test");
  SortPairs pairs{{buffer.address(), buffer.address() + count * 4},
                  {buffer.address() + count * 8, buffer.address() + count * 12},
                  count,
                  4};
  EXPECT_THROW(Sorter::system().sort(pairs, 32, pool, stream), MemoryError);
  EXPECT_FALSE(device_->lost());
}

}  // namespace
}  // namespace lanewise::gpu
