// Changes on a device against the same changes on the host: on emulated lanes and, if there is
// one, on a GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>
#include <utility>

#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "gpu/memory.h"
#include "gpu/staging.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"
#include "index/testing/device_places.h"

namespace lanewise {
namespace {

using namespace on_devices;  // NOLINT: the tests' helpers

template <class Where>
class DeviceUpdateTest : public DeviceIndexTest<Where> {};
TYPED_TEST_SUITE(DeviceUpdateTest, Places);

void expect_same(const Index& got, const Index& want) {
  got.verify();
  ASSERT_EQ(got.size(), want.size());
  const IndexEntries have = got.at(0, got.size()), wanted = want.at(0, want.size());
  const auto bytes = [](const Buffer& buffer) { return std::string_view(buffer.as<char>(), buffer.size()); };
  ASSERT_TRUE(bytes(have.values) == bytes(wanted.values)) << "values differ";
  for (size_t f = 0; f < wanted.key.size(); ++f) {
    ASSERT_TRUE(bytes(have.key[f]->values) == bytes(wanted.key[f]->values)) << "keys differ";
  }
}

/// The same index twice: one is changed on the host, the other on the device.
template <class Where>
struct Twins {
  Index host, other;
  DeviceIndex device;

  Twins(const IndexOptions& options, const Keys& keys, const void* values, gpu::Device& on)
      : host(filled(options, keys, values)),
        other(filled(options, keys, values)),
        device(other, on, Where::runner(on)) {}
  static Index filled(const IndexOptions& options, const Keys& keys, const void* values) {
    Index index(options);
    if (options.unique) {
      index.insert(keys, values);  // drops duplicates
    } else {
      index.load(keys, values);
    }
    return index;
  }

  /// One change of six kinds, to both.
  void change(size_t kind, const auto& keys, const std::vector<uint8_t>& values, Random& random) {
    switch (kind) {
      case 0:
      case 3:
        EXPECT_EQ(device.insert(keys, values.data()), host.insert(keys, values.data()));
        break;
      case 1:
        EXPECT_EQ(device.upsert(keys, values.data()), host.upsert(keys, values.data()));
        break;
      case 2:
        EXPECT_EQ(device.erase(keys), host.erase(keys));
        break;
      case 4: {
        std::vector<Index::Change> changes(keys.size());
        for (auto& change : changes) change = static_cast<Index::Change>(random() % 3);
        const uint64_t before = host.size();
        host.apply(changes, keys, values.data());
        EXPECT_EQ(device.apply(changes, keys, values.data()), static_cast<int64_t>(host.size() - before));
        break;
      }
      case 5: {
        std::vector<uint8_t> these(values.size());  // Many of them are there.
        host.find(keys, these.data(), nullptr);
        EXPECT_EQ(device.erase(keys, these.data()), host.erase(keys, these.data()));
        break;
      }
    }
  }

  /// After a change: the device answers correctly, and so does what it writes back.
  void compare(const Keys& asked) {
    ASSERT_EQ(device.size(), host.size());
    std::vector<uint8_t> values(asked.size() * host.value_bytes(), 7), wanted_values = values;
    std::vector<uint64_t> found(bits::words(asked.size())), wanted = found;
    EXPECT_EQ(device.find(asked, values.data(), found.data()),
              host.find(asked, wanted_values.data(), wanted.data()));
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(values, wanted_values);
    EXPECT_EQ(device.lower_bound(asked), host.lower_bound(asked));
    device.write_back();
    expect_same(other, host);
  }
};

std::vector<uint8_t> random_bytes(size_t count, Random& random) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

struct Contents {
  TypeId type;
  uint32_t value_bytes, fill;
  bool unique;
  uint32_t leaf_keys, inner_keys;
  size_t size;
};

/// Random changes of each kind to one index.
template <class Key, class Where>
void change_randomly(const Contents& contents, gpu::Device& device) {
  Random random(contents.size + contents.leaf_keys);
  IndexOptions made =
      options({{contents.type}}, contents.leaf_keys, contents.inner_keys, contents.value_bytes);
  made.fill_percent = contents.fill;
  made.unique = contents.unique;
  const size_t size = contents.size;
  const uint64_t distinct = contents.unique || size % 2 == 0 ? size + 9 : 9;  // many equal ones
  const std::vector<Key> first = random_keys<Key>(size, distinct, random);
  Twins<Where> twins(made, first, random_bytes(first.size() * contents.value_bytes + 1, random).data(),
                     device);
  for (int round = 0; round < test_size(3, 9); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const size_t count = round % 3 == 2 ? 1 + random() % 9 : 1 + random() % (2 * size + 40);
    const std::vector<Key> keys = random_keys<Key>(count, distinct, random);
    twins.change((round + size) % 6, keys, random_bytes(count * contents.value_bytes + 1, random), random);
    twins.compare(random_keys<Key>(65, distinct + 9, random));
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(DeviceUpdateTest, ChangesAreTheHosts) {
  const std::vector<size_t> sizes[] = {{33}, {0, 1, 33, 3000}, {0, 1, 31, 32, 33, 63, 64, 65, 20'000}};
  const auto play = [&]<class Key>(Key, TypeId type, uint32_t value_bytes, uint32_t fill, bool unique) {
    SCOPED_TRACE(testing::Message() << Type(type).name() << " values of " << value_bytes << " fill " << fill
                                    << (unique ? " unique" : ""));
    for (const auto& [leaf_keys, inner_keys] : {std::pair{4u, 3u}, {33u, 20u}, {256u, 255u}, {600u, 300u}}) {
      for (const size_t size : sizes[test_size(0, 1, 2)]) {
        SCOPED_TRACE(testing::Message() << size << " entries, leaves of " << leaf_keys);
        if (leaf_keys > 300 && size < 3000) continue;
        if (!TypeParam::kEmulated && (leaf_keys == 33 || value_bytes == 3)) continue;  // kernels of their own
        change_randomly<Key, TypeParam>({type, value_bytes, fill, unique, leaf_keys, inner_keys, size},
                                        *this->device_);
        if (testing::Test::HasFailure()) return;
      }
    }
  };
  play(uint32_t{}, TypeId::kUInt32, 4, 100, false);
  play(uint32_t{}, TypeId::kUInt32, 4, 70, true);
  play(int64_t{}, TypeId::kInt64, 8, 70, false);
  play(double{}, TypeId::kFloat64, 3, 50, true);
  play(float{}, TypeId::kFloat32, 0, 100, false);
  play(int32_t{}, TypeId::kInt32, 12, 85, true);
}

/// Almost all keys are erased and inserted again: leaves are merged, slots reused.
TYPED_TEST(DeviceUpdateTest, NearlyAllGoes) {
  for (const uint32_t leaf_keys : {8, 256}) {
    SCOPED_TRACE(leaf_keys);
    const uint32_t count = test_size(3'000, 40'000);
    std::vector<uint32_t> keys(count), values(count);
    std::iota(keys.begin(), keys.end(), 0);
    std::iota(values.begin(), values.end(), 7);
    Twins<TypeParam> twins(options({{TypeId::kUInt32}}, leaf_keys, leaf_keys - 1), keys, values.data(),
                           *this->device_);
    uint64_t most = 0;
    for (int round = 0; round < 4; ++round) {
      SCOPED_TRACE(round);
      std::vector<uint32_t> going;
      std::vector<uint32_t> their_values;
      for (uint32_t key = 0; key < count; ++key) {
        if (round == 1 || key % 97 != 0) going.push_back(key);  // All of them once.
      }
      their_values.assign(going.size(), static_cast<uint32_t>(round));
      EXPECT_EQ(twins.device.erase(going), twins.host.erase(going));
      twins.compare(std::vector<uint32_t>{0, 1, 97, count});
      EXPECT_EQ(twins.device.insert(going, their_values), twins.host.insert(going, their_values));
      twins.compare(std::vector<uint32_t>{0, 1, 97, count});
      if (testing::Test::HasFailure()) return;
      if (round == 1) most = twins.other.stats().image_bytes;
    }
    EXPECT_LE(twins.other.stats().image_bytes, most) << "slots are used again";
  }
}

/// A batch into an empty index is a bulk load; ascending keys go to the last leaf.
TYPED_TEST(DeviceUpdateTest, FromNothingAndAtTheEnd) {
  IndexOptions loose = options({{TypeId::kUInt64}}, 0, 0);
  loose.fill_percent = 70;
  Twins<TypeParam> twins(loose, std::vector<uint64_t>{}, nullptr, *this->device_);
  Random random(5);
  const size_t count = test_size(5'000, 60'000);
  const std::vector<uint64_t> keys = random_keys<uint64_t>(count, 1u << 30, random);
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(twins.device.insert(keys, values), count);
  twins.host.insert(keys, values);
  twins.compare(keys);
  const auto leaves = [&] { return twins.other.stats().leaves; };
  EXPECT_EQ(leaves(), (count + 88) / 89) << "filled to the factor of 70 % of 128";
  std::vector<uint64_t> more(count);
  std::iota(more.begin(), more.end(), UINT64_MAX - count + 1);
  twins.device.insert(more, values);
  twins.host.insert(more, values);
  twins.compare(more);
  EXPECT_LE(leaves(), 2 * ((count + 88) / 89) + 1);
}

TYPED_TEST(DeviceUpdateTest, OnTheHostAndOnTheDeviceInTurns) {
  Random random(9);
  Twins<TypeParam> twins(options({{TypeId::kUInt32}}, 16, 15), random_keys<uint32_t>(3000, 1 << 20, random),
                         std::vector<uint32_t>(3000, 1).data(), *this->device_);
  const TemporaryFolder folder;
  twins.other.save(folder.file("index"));
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    const std::vector<uint32_t> keys = random_keys<uint32_t>(500, 1 << 20, random),
                                values(500, static_cast<uint32_t>(round));
    twins.host.insert(keys, values);
    if (round % 2 == 0) {
      twins.device.refresh();
      twins.device.insert(keys, values);
    } else {
      twins.other.insert(keys, values);
      EXPECT_THROW(twins.device.insert(keys, values), UserError) << "the copy is older than the index";
      twins.device.refresh();
    }
    twins.compare(keys);
    twins.other.commit();
    std::filesystem::copy(folder.file("index"), folder.file("copy"),
                          std::filesystem::copy_options::overwrite_existing);
    expect_same(Index::open(folder.file("copy")), twins.host);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(twins.device.write_back(), 0u);
  twins.device.refresh();
  const std::vector<uint32_t> one = {1};
  twins.device.insert(one, one);
  {
    const IndexSnapshot snapshot = twins.other.snapshot();
    EXPECT_THROW(twins.device.write_back(), UserError) << "a snapshot would see the change";
  }
  EXPECT_EQ(twins.device.refresh(), 0u) << "nothing to bring over";
  twins.other.insert(one, one);
  EXPECT_THROW(twins.device.refresh(), UserError) << "both have changed";
  EXPECT_THROW(twins.device.write_back(), UserError);
}

TYPED_TEST(DeviceUpdateTest, KeysInItsMemory) {
  Random random(4);
  Twins<TypeParam> twins(options({{TypeId::kInt32}}, 0, 0), random_keys<int32_t>(10'000, 1 << 20, random),
                         std::vector<uint32_t>(10'000, 1).data(), *this->device_);
  gpu::Stream& stream = twins.device.stream();
  gpu::DevicePool pool(*this->device_);
  gpu::Staging staging(*this->device_, {.threads = 1});
  const size_t count = 5000;
  const std::vector<int32_t> keys = random_keys<int32_t>(count, 1 << 20, random);
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  const gpu::DeviceBuffer there = pool.allocate(count * 8, stream, "test");
  const uint64_t values_there = there.address() + count * 4;
  staging.upload(there.address(), keys.data(), count * 4, stream);
  staging.upload(values_there, values.data(), count * 4, stream);
  EXPECT_EQ(twins.device.insert(there.address(), count, values_there), count);
  twins.host.insert(keys, values);
  twins.compare(keys);
  EXPECT_EQ(twins.device.upsert(there.address(), count, values_there), 0u);
  twins.host.upsert(keys, values);
  twins.compare(keys);
  EXPECT_EQ(twins.device.erase(there.address(), count / 8, values_there),
            twins.host.erase(std::span(keys).first(count / 8), values.data()));
  twins.compare(keys);
  EXPECT_EQ(twins.device.erase(there.address(), count / 2),
            twins.host.erase(std::span(keys).first(count / 2)));
  twins.compare(keys);
}

/// More and more keys at one end, at both, or all equal: splits of the first and of the last leaf.
TYPED_TEST(DeviceUpdateTest, OrdersOfArrival) {
  const uint32_t count = test_size(600, 2000), batch = 100;
  for (const std::string order : {"ascending", "descending", "all equal", "from both ends"}) {
    SCOPED_TRACE(order);
    Twins<TypeParam> twins(options({{TypeId::kUInt32}}, 16, 15), std::vector<uint32_t>{}, nullptr,
                           *this->device_);
    std::vector<uint32_t> all;
    for (uint32_t first = 0; first < count; first += batch) {
      std::vector<uint32_t> keys(batch), values(batch);
      for (uint32_t i = 0; i < batch; ++i) {
        values[i] = first + i;
        keys[i] = order == "descending"                ? count - values[i]
                  : order == "all equal"               ? 7
                  : order == "ascending" || i % 2 == 0 ? values[i]
                                                       : UINT32_MAX - values[i];
      }
      EXPECT_EQ(twins.device.insert(keys, values), batch);
      twins.host.insert(keys, values);
      all.insert(all.end(), keys.begin(), keys.end());
    }
    twins.compare(all);
    EXPECT_EQ(twins.device.erase(all), twins.host.erase(all));
    twins.compare(all);
    if (testing::Test::HasFailure()) return;
  }
}

/// Strings are inserted and erased: their slots are reused, whatever their length; the host changes some in
/// between.
TYPED_TEST(DeviceUpdateTest, TextsComeAndGo) {
  Random random(3);
  const auto texts = [&](size_t count) {
    std::vector<std::string> made(count);
    for (std::string& text : made) {
      text = std::to_string(random() % (2 * count));
      text.resize(random() % 50 == 0 ? 9'000 + random() % 9'000 : text.size() + random() % 40, 'x');
    }
    return made;
  };
  const auto views = [](const std::vector<std::string>& of) {
    return std::vector<std::string_view>(of.begin(), of.end());
  };
  const size_t count = test_size(300, 3'000);
  const std::vector<uint32_t> values(count, 7);
  const std::vector<std::string> first = texts(count);
  IndexOptions made = options({{TypeId::kVarchar}}, 16, 15);
  made.fill_percent = 70;
  Twins<TypeParam> twins(made, views(first), values.data(), *this->device_);
  std::vector<std::string> there = first;
  uint64_t most = 0;
  for (int round = 0; round < test_size(6, 16); ++round) {
    SCOPED_TRACE(round);
    const std::vector<std::string> coming = texts(count);
    EXPECT_EQ(twins.device.erase(views(there)), twins.host.erase(views(there)));
    EXPECT_EQ(twins.device.insert(views(coming), values), twins.host.insert(views(coming), values));
    if (round % 3 == 0) twins.compare(views(coming));
    if (round % 6 == 3) {
      twins.other.erase(views(coming));
      twins.device.refresh();
      twins.host.erase(views(coming));
      twins.compare(views(coming));
    }
    if (testing::Test::HasFailure()) return;
    there = coming;
    if (round == 4) {
      twins.compare(views(coming));
      most = twins.other.stats().image_bytes;
    }
  }
  twins.compare(views(there));
  EXPECT_LE(twins.other.stats().image_bytes, most + most / 4) << "slots are used again";
}

TYPED_TEST(DeviceUpdateTest, TextsInItsMemory) {
  Random random(7);
  const size_t count = 2000;
  std::string bytes;
  std::vector<uint64_t> begins = {0};
  for (size_t i = 0; i < count; ++i) {
    bytes += "text " + std::to_string(random() % 1500);
    begins.push_back(bytes.size());
  }
  bytes.resize(bytes.size() / 4 * 4 + 4);
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < count; ++i) keys.emplace_back(bytes.data() + begins[i], begins[i + 1] - begins[i]);
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  const auto first = [&](size_t some) {
    return std::vector<std::string_view>(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(some));
  };
  Twins<TypeParam> twins(options({{TypeId::kVarchar}}, 0, 0), first(count / 2), values.data(),
                         *this->device_);
  gpu::Stream& stream = twins.device.stream();
  gpu::DevicePool pool(*this->device_);
  gpu::Staging staging(*this->device_, {.threads = 1});
  const auto there = [&](const auto& of) {
    gpu::DeviceBuffer buffer = pool.allocate(of.size() * sizeof(of[0]), stream, "test");
    staging.upload(buffer.address(), of.data(), buffer.size(), stream);
    return buffer;
  };
  const gpu::DeviceBuffer bytes_there = there(bytes), begins_there = there(begins),
                          values_there = there(values);
  const DeviceIndex::Texts texts{bytes_there.address(), begins_there.address()};
  EXPECT_EQ(twins.device.upsert(texts, count, values_there.address()), twins.host.upsert(keys, values));
  twins.compare(keys);
  EXPECT_EQ(twins.device.insert(texts, count, values_there.address()), count);
  twins.host.insert(keys, values);
  twins.compare(keys);
  EXPECT_EQ(twins.device.erase(texts, count / 4), twins.host.erase(first(count / 4)));
  twins.compare(keys);
  EXPECT_THROW(twins.device.erase(bytes_there.address(), count), UserError) << "they are texts";
}

/// With more and more memory: as long as it does not suffice nothing changes, and then the change succeeds.
TEST(DeviceUpdate, LackOfMemoryLosesNothing) {
  gpu::Device& device = *Emulated::find_device();
  FakeCuda& fake = gpu::fake_cuda();
  const auto play = [&](TypeId type, const auto& first, const auto& more) {
    std::vector<uint32_t> values(more.size(), 3);
    Twins<Emulated> twins(options({{type}}, 16, 15), first, values.data(), device);
    const auto until_it_succeeds = [&](const auto& change) {
      const size_t enough = fake.memory;
      int failures = 0;
      for (fake.memory = fake.used;; fake.memory += 16 << 10) {
        try {
          change();
          break;
        } catch (const MemoryError&) {
          ++failures;
          const size_t lacking = std::exchange(fake.memory, enough);
          EXPECT_EQ(twins.device.size(), twins.host.size());
          EXPECT_EQ(twins.device.lower_bound(first), twins.host.lower_bound(first));
          fake.memory = lacking;
        }
        ASSERT_LT(failures, 1000);
      }
      fake.memory = enough;
      EXPECT_GT(failures, 3);
    };
    until_it_succeeds([&] { twins.device.insert(more, values); });
    twins.host.insert(more, values);
    if (type == TypeId::kVarchar) {  // Keys of inner nodes need strings.
      until_it_succeeds([&] { twins.device.write_back(); });
    }
    twins.compare(more);
  };
  Random random(6);
  const std::vector<uint32_t> numbers = random_keys<uint32_t>(9000, 1 << 20, random);
  play(TypeId::kUInt32, std::vector<uint32_t>(numbers.begin(), numbers.begin() + 3000),
       std::vector<uint32_t>(numbers.begin() + 3000, numbers.end()));
  std::vector<std::string> texts;
  for (const uint32_t number : numbers) texts.push_back("text " + std::to_string(number));
  play(TypeId::kVarchar, std::vector<std::string_view>(texts.begin(), texts.begin() + 3000),
       std::vector<std::string_view>(texts.begin() + 3000, texts.end()));
}

TEST(DeviceUpdate, NvrtcTakesItsKernels) {
  // With the other tests' threads its library's thread-local memory crashes gcc 12's leak checker.
  if (kSanitized) GTEST_SKIP() << "NVRTC is not instrumented";
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  for (const index::UpdateKernels& kernels : {index::UpdateKernels{index::KeyForm::words, 4, 256, 255, 4},
                                              {index::KeyForm::reals, 8, 2047, 127, 12},
                                              {index::KeyForm::words, 8, 128, 127, 4, 3},
                                              {index::KeyForm::words, 8, 128, 127, 3, 2, true}}) {
    EXPECT_FALSE(gpu::Compiler::system().compile(kernels.source(), "sm_90").empty());
  }
}

}  // namespace
}  // namespace lanewise
