#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "index/gpu/device_index.h"
#include "index/testing/device_places.h"

/// Answers of an index on a device against the host's.
namespace lanewise::on_devices {

inline void expect_equal(const IndexRanges& got, const IndexRanges& want) {
  ASSERT_EQ(got.offsets, want.offsets);
  EXPECT_EQ(got.cut, want.cut);
  ASSERT_EQ(got.entries.count, want.entries.count);
  const auto bytes = [](const Buffer& buffer) { return std::string_view(buffer.as<char>(), buffer.size()); };
  EXPECT_EQ(bytes(got.entries.values), bytes(want.entries.values));
  ASSERT_EQ(got.entries.key.size(), want.entries.key.size());
  for (size_t f = 0; f < want.entries.key.size(); ++f) {
    ASSERT_EQ(got.entries.key[f]->rows, want.entries.key[f]->rows);
    for (int64_t row = 0; row < want.entries.key[f]->rows; ++row) {
      ASSERT_EQ(got.entries.key[f]->value(row).to_string(), want.entries.key[f]->value(row).to_string());
    }
  }
}

/// The host's entries at these positions, as ranges of one entry.
inline IndexRanges at(const Index& host, const std::vector<uint64_t>& positions) {
  IndexRanges result;
  result.cut.assign(bits::words(positions.size()), 0);
  result.offsets.assign(1, 0);
  std::vector<ColumnBuilder> builders;
  for (const KeyField& field : host.key_fields()) builders.emplace_back(field.type);
  BufferBuilder<uint8_t> values(nullptr, "test");
  for (const uint64_t position : positions) {
    const IndexEntries entry = host.at(position);
    for (size_t f = 0; f < builders.size() && entry.count != 0; ++f)
      builders[f].append(entry.key[f]->value(0));
    values.append(entry.values.as<uint8_t>(), entry.values.size());
    result.offsets.push_back(result.offsets.back() + entry.count);
  }
  result.entries.count = result.offsets.back();
  for (ColumnBuilder& builder : builders) result.entries.key.push_back(builder.finish());
  result.entries.values = values.finish();
  return result;
}

/// Each query by each strategy, with these keys and, for ranges, upper bounds.
inline void compare(const DeviceIndex& device, const Index& host, const Keys& keys, const Keys& highs) {
  ASSERT_EQ(device.size(), host.size());
  std::vector<uint8_t> values(keys.size() * host.value_bytes(), 7), wanted_values = values;
  std::vector<uint64_t> found(bits::words(keys.size()), ~uint64_t{0}), wanted = found;
  const size_t hits = host.find(keys, wanted_values.data(), wanted.data());
  EXPECT_EQ(device.find(keys, values.data(), found.data()), hits);
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(values, wanted_values);
  EXPECT_EQ(device.find(keys, nullptr, nullptr), hits);
  EXPECT_EQ(device.lower_bound(keys), host.lower_bound(keys));
  EXPECT_EQ(device.upper_bound(keys), host.upper_bound(keys));
  EXPECT_EQ(device.count(keys), host.count(keys));
  EXPECT_EQ(device.count(keys, highs), host.count(keys, highs));
  expect_equal(device.equal(keys), host.equal(keys));
  expect_equal(device.range(keys, highs, 5), host.range(keys, highs, 5));

  std::vector<uint64_t> positions = host.lower_bound(keys);
  positions.insert(positions.end(), {0, host.size() - 1, host.size(), UINT64_MAX});
  expect_equal(device.at(positions), at(host, positions));
  expect_equal(device.successor(keys), at(host, host.upper_bound(keys)));
  std::vector<uint64_t> before = host.lower_bound(keys);
  for (uint64_t& position : before) --position;
  expect_equal(device.predecessor(keys), at(host, before));
  expect_equal(device.first(), at(host, {0}));
  expect_equal(device.last(), at(host, {host.size() - 1}));
}

/// By each strategy; with `few`, by one of each kind, as a GPU's kernels take long to compile.
inline void compare_all(DeviceIndex& device, const Index& host, const Keys& keys, const Keys& highs,
                        bool few) {
  using index::DeviceStrategy;
  for (const DeviceStrategy strategy : index::kDeviceStrategies) {
    const bool kept = strategy == DeviceStrategy::tile || strategy == DeviceStrategy::segments;
    if (few && !kept) continue;
    SCOPED_TRACE(index::name(strategy));
    device.use_strategy(index::name(strategy));
    compare(device, host, keys, highs);
    if (testing::Test::HasFailure()) return;
  }
}

/// Few letters, so that many keys share their first bytes; also empty strings, zeros, the greatest word, and
/// strings of several slots of the image.
inline std::string random_text(Random& random) {
  const std::string_view letters[] = {"ab", {"\0a", 2}, "\xff", "\xff\xfe", "abcdefghijklmnopqrstuvwxyz"};
  const std::string_view from = letters[random() % std::size(letters)];
  std::string text(random() % 100 == 0 ? 8180 + random() % 9000 : random() % 24, from[0]);
  for (size_t i = text.size() - text.size() % 16; i < text.size(); ++i)
    text[i] = from[random() % from.size()];
  return random() % 3 == 0 ? "the same " + text : text;
}

}  // namespace lanewise::on_devices
