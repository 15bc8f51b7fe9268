// Indexes on a device against the same indexes on the host: on emulated lanes and, if there is one, on
// a GPU.

#include "index/gpu/device_index.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <random>

#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "gpu/memory.h"
#include "gpu/staging.h"
#include "gpu/testing/nvrtc.h"
#include "index/testing/device_comparison.h"
#include "index/testing/device_places.h"

namespace lanewise {
namespace {

using namespace on_devices;  // NOLINT: the tests' helpers

TYPED_TEST_SUITE(DeviceIndexTest, Places);

TYPED_TEST(DeviceIndexTest, AnswersAreTheHosts) {
  const std::vector<size_t> sizes[] = {{33}, {0, 1, 31, 32, 33, 63, 64, 65, 3000}, {20'000}};
  const auto play = [&]<class T>(T, TypeId type) {
    SCOPED_TRACE(Type(type).name());
    const bool on_gpus =
        type == TypeId::kUInt32 || type == TypeId::kFloat64;  // the others differ only in their form
    if (!TypeParam::kEmulated && !on_gpus) return;
    for (const auto& [leaf_keys, inner_keys] : {std::pair{4u, 3u}, {33u, 20u}, {256u, 255u}, {2047u, 300u}}) {
      for (const size_t size : sizes[test_size(0, 1, 2)]) {
        SCOPED_TRACE(testing::Message() << size << " entries, leaves of " << leaf_keys);
        if (leaf_keys > 300 && size < 3000) continue;
        if (!TypeParam::kEmulated && leaf_keys != 4 && leaf_keys != 256)
          continue;  // each compiles separate kernels
        Random random(size + leaf_keys);
        Index index(options({{type}}, leaf_keys, inner_keys));
        std::vector<uint32_t> values(size);
        for (uint32_t& value : values) value = static_cast<uint32_t>(random());
        const uint64_t distinct = size % 2 == 0 ? size / 2 + 9 : 9;  // many equal keys
        index.load(random_keys<T>(size, distinct, random), values);
        DeviceIndex device = this->upload(index);
        const size_t queries = size % 2 == 0 ? 100 : test_size(33, 65);
        const std::vector<T> keys = random_keys<T>(queries, distinct + 9, random),
                             highs = random_keys<T>(queries, distinct + 9, random);
        // A GPU's kernels are for one height and one type each: about a hundred for all strategies.
        const bool few = !TypeParam::kEmulated && (size < 3000 || type != TypeId::kUInt32);
        compare_all(device, index, keys, highs, few);
        if (testing::Test::HasFailure()) return;
      }
    }
  };
  play(uint32_t{}, TypeId::kUInt32);
  play(int32_t{}, TypeId::kInt32);
  play(float{}, TypeId::kFloat32);
  play(uint64_t{}, TypeId::kUInt64);
  play(int64_t{}, TypeId::kInt64);
  play(double{}, TypeId::kFloat64);
}

TYPED_TEST(DeviceIndexTest, NoQueriesNoEntries) {
  const Index index(options({{TypeId::kUInt32}}, 0, 0));
  DeviceIndex device = this->upload(index);
  const std::vector<uint32_t> none, one = {1};
  compare_all(device, index, none, none, !TypeParam::kEmulated);
  compare_all(device, index, one, one, !TypeParam::kEmulated);
}

TYPED_TEST(DeviceIndexTest, ValuesOfAnySize) {
  for (const uint32_t bytes : {0, 1, 3, 8, 12, 24, 100}) {
    SCOPED_TRACE(bytes);
    Random random(bytes);
    Index index(options({{TypeId::kUInt64}}, 16, 15, bytes));
    const std::vector<uint64_t> keys = random_keys<uint64_t>(test_size(70, 300), 200, random);
    std::vector<uint8_t> values(keys.size() * bytes + 1);
    for (uint8_t& byte : values) byte = static_cast<uint8_t>(random());
    index.load(keys, values.data());
    DeviceIndex device = this->upload(index);
    compare_all(device, index, keys, random_keys<uint64_t>(test_size(70, 300), 200, random),
                !TypeParam::kEmulated);
  }
}

/// Keys that the host packs into one word.
TYPED_TEST(DeviceIndexTest, SeveralFieldsAndNulls) {
  const int rows = test_size(70, 400);
  Random random(5);
  const auto column = [&](Type type, bool nulls) {
    std::vector<Value> values;
    for (int i = 0; i < rows; ++i) {
      const auto number = static_cast<int16_t>(random() % 40);
      values.push_back(nulls && number == 0        ? Value(type)
                       : type.id == TypeId::kInt32 ? Value::int32(number - 20)
                                                   : Value(type, static_cast<int128_t>(number - 20)));
    }
    return make_column(type, values);
  };
  for (const auto& fields : {std::vector<KeyField>{{TypeId::kInt16}, {TypeId::kInt16}},
                             std::vector<KeyField>{{TypeId::kInt32, true}},
                             std::vector<KeyField>{{TypeId::kInt16, true}, {TypeId::kInt32, true}}}) {
    std::vector<ColumnPtr> keys, lows, highs;
    for (const KeyField& field : fields) {
      for (auto* to : {&keys, &lows, &highs}) to->push_back(column(field.type, field.nullable));
    }
    Index index(options(fields, 16, 15));
    index.load(Keys(keys), std::vector<uint32_t>(rows, 3));
    DeviceIndex device = this->upload(index);
    compare_all(device, index, Keys(lows), Keys(highs), !TypeParam::kEmulated);
  }
}

TYPED_TEST(DeviceIndexTest, ChangesAreBroughtOver) {
  Random random(11);
  Index index(options({{TypeId::kUInt32}}, 16, 15));
  index.load(random_keys<uint32_t>(test_size(100'000, 300'000), 1 << 30, random),
             std::vector<uint32_t>(test_size(100'000, 300'000), 1));
  DeviceIndex device = this->upload(index);
  const uint64_t all = index.stats().image_bytes;
  EXPECT_EQ(device.refresh(), 0u);
  const TemporaryFolder folder;
  for (int round = 0; round < test_size(6, 12); ++round) {
    SCOPED_TRACE(round);
    const size_t count = round % 4 == 3 ? 20'000 : 3;
    const std::vector<uint32_t> keys = random_keys<uint32_t>(count, 1 << 30, random);
    index.insert(keys, std::vector<uint32_t>(count, static_cast<uint32_t>(round)));
    if (round == 5) index.save(folder.file("index"));
    if (round == 8) index.commit();
    if (round % 2 == 1) index.erase(random_keys<uint32_t>(count, 1 << 30, random));
    const uint64_t moved = device.refresh();
    EXPECT_GT(moved, 0u);
    if (count == 3 && round != 5 && round != 8) {
      EXPECT_LT(moved, 100 * 4096) << "pages, of " << all << " bytes";
    }
    const std::vector<uint32_t> asked(keys.begin(),
                                      keys.begin() + std::min<ptrdiff_t>(keys.end() - keys.begin(), 40));
    compare_all(device, index, asked, random_keys<uint32_t>(asked.size(), 1 << 30, random),
                !TypeParam::kEmulated);
    if (testing::Test::HasFailure()) return;
  }
}

/// Leaves that erasing has left empty or without their greatest keys.
TYPED_TEST(DeviceIndexTest, AfterErasing) {
  Random random(3);
  Index index(options({{TypeId::kInt64}}, 8, 5));
  index.load(random_keys<int64_t>(5000, 300, random), std::vector<uint32_t>(5000, 1));
  DeviceIndex device = this->upload(index);
  for (int round = 0; round < test_size(2, 6); ++round) {
    index.erase(random_keys<int64_t>(60, 300, random));
    device.refresh();
    compare_all(device, index, random_keys<int64_t>(100, 300, random), random_keys<int64_t>(100, 300, random),
                !TypeParam::kEmulated);
  }
}

TYPED_TEST(DeviceIndexTest, KeysInItsMemory) {
  Random random(8);
  Index index(options({{TypeId::kFloat64}}, 0, 0));
  const std::vector<double> keys = random_keys<double>(10'000, 5000, random);
  index.load(keys, std::vector<uint32_t>(keys.size(), 9));
  DeviceIndex device = this->upload(index);
  gpu::Stream& stream = device.stream();
  gpu::DevicePool pool(*this->device_);
  gpu::Staging staging(*this->device_, {.threads = 1});
  const std::vector<double> lows = random_keys<double>(1000, 6000, random);
  constexpr uint64_t kLimit = 7;
  const auto there = [&](size_t bytes) { return pool.allocate(bytes, stream, "test"); };
  const gpu::DeviceBuffer asked = there(8000), values = there(4000), found = there(128),
                          positions = there(8000), range_keys = there(8000 * kLimit),
                          range_values = there(4000 * kLimit), counts = there(4000), cut = there(128);
  staging.upload(asked.address(), lows.data(), 8000, stream);
  const auto back = [&]<class T>(T, const gpu::DeviceBuffer& buffer) {
    std::vector<T> all(buffer.size() / sizeof(T));
    staging.download(all.data(), buffer.address(), buffer.size(), stream);
    return all;
  };
  std::vector<uint32_t> wanted_values;
  std::vector<uint64_t> wanted;
  index.find(lows, wanted_values, wanted);
  const std::vector<double> highs = random_keys<double>(1000, 6000, random);
  const gpu::DeviceBuffer bounds = there(8000);
  staging.upload(bounds.address(), highs.data(), 8000, stream);
  const IndexRanges ranges = index.range(lows, highs, kLimit);
  for (const char* strategy : {"tile", "thread", "sorted", "blocks", "segments"}) {
    SCOPED_TRACE(strategy);
    device.use_strategy(strategy);
    device.find(asked.address(), 1000, values.address(), found.address());
    EXPECT_EQ(back(uint64_t{}, found), wanted);
    device.lower_bound(asked.address(), 1000, positions.address());
    EXPECT_EQ(back(uint64_t{}, positions), index.lower_bound(lows));
    device.range(asked.address(), bounds.address(), 1000, kLimit, range_keys.address(),
                 range_values.address(), counts.address(), cut.address());
    EXPECT_EQ(back(uint64_t{}, cut), ranges.cut);
    const auto got_keys = back(double{}, range_keys);
    const auto got_values = back(uint32_t{}, range_values), got_counts = back(uint32_t{}, counts);
    for (size_t q = 0; q < 1000; ++q) {
      ASSERT_EQ(got_counts[q], ranges.offsets[q + 1] - ranges.offsets[q]);
      for (size_t i = 0; i < got_counts[q]; ++i) {
        const size_t entry = ranges.offsets[q] + i;
        EXPECT_THAT(got_keys[q * kLimit + i],
                    testing::NanSensitiveDoubleEq(ranges.entries.key[0]->values.as<double>()[entry]));
        EXPECT_EQ(got_values[q * kLimit + i], ranges.entries.values.as<uint32_t>()[entry]);
      }
    }
  }
}

TEST(DeviceIndex, KeysInItsMemoryAreOfOneForm) {
  gpu::Device& device = *Emulated::find_device();
  const DeviceIndex packed(Index(options({{TypeId::kInt16}}, 0, 0)), device, Emulated::runner(device));
  EXPECT_THROW(packed.lower_bound(0, 1, 0), UserError);
  EXPECT_THROW(packed.find(DeviceIndex::Texts{0, 0}, 1, 0, 0), UserError);
}

TEST(DeviceIndex, StrategiesHaveNames) {
  gpu::Device& device = *Emulated::find_device();
  DeviceIndex index(Index(options({{TypeId::kUInt32}}, 0, 0)), device, Emulated::runner(device));
  EXPECT_THROW(index.use_strategy("quantum"), UserError);
  for (const auto strategy : index::kDeviceStrategies) {
    EXPECT_EQ(index::parse_device_strategy(index::name(strategy)), strategy);
  }
  const std::vector<uint32_t> keys = {1, 2, 3};
  const auto launches = [&](const char* strategy) {
    index.use_strategy(strategy);
    const int before = index::EmulatedRunner::launches;
    index.find(keys, nullptr, nullptr);
    return index::EmulatedRunner::launches - before;
  };
  EXPECT_EQ(launches("tile"), 1);
  EXPECT_EQ(launches("segments"), 2) << "one for the leaf, one for the answers";
}

/// A copy is the image, byte for byte.
/// Byte for byte that of the file, after changes in several places and the commits that write them.
TEST(DeviceIndex, TheImageIsTheHosts) {
  const auto play = []<class T>(TypeId type, const std::vector<T>& keys) {
    Index index(options({{type}}, 16, 15));
    index.load(keys, std::vector<uint32_t>(keys.size(), 1));
    DeviceIndex copy(index, *Emulated::find_device(), Emulated::runner(*Emulated::find_device()));
    const TemporaryFolder folder;
    Random random(2);
    for (int round = 0; round < 6; ++round) {
      SCOPED_TRACE(round);
      std::vector<T> some(round % 2 == 0 ? 3 : 3000);
      for (T& key : some) key = keys[random() % keys.size()];
      if (round % 3 != 2) index.insert(some, std::vector<uint32_t>(some.size(), 2));
      if (round % 3 == 2) index.erase(some);
      round == 0 ? index.save(folder.file("index")) : index.commit();
      copy.refresh();
      copy.find(std::vector<T>{keys[0]}, nullptr, nullptr);
      std::ifstream file(folder.file("index"), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      EXPECT_EQ(bytes.size(), index.stats().image_bytes);
      const char* there = reinterpret_cast<const char*>(index::EmulatedRunner::last_tree.data);
      ASSERT_TRUE(bytes == std::string_view(there, bytes.size()));
    }
  };
  Random random(2);
  play(TypeId::kUInt32, random_keys<uint32_t>(30'000, 1 << 30, random));
  std::vector<std::string> texts(test_size(500, 5'000));
  for (std::string& text : texts) text = random_text(random);
  play(TypeId::kVarchar, std::vector<std::string_view>(texts.begin(), texts.end()));
}

TEST(DeviceIndex, DamageIsFoundBeforeItIsCopied) {
  const TemporaryFolder folder;
  {
    Index index(options({{TypeId::kUInt32}}, 16, 15));
    Random random(2);
    index.load(random_keys<uint32_t>(30'000, 1 << 30, random), std::vector<uint32_t>(30'000, 1));
    index.save(folder.file("index"));
  }
  {
    std::fstream file(folder.file("index"), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(150'000);
    file.put('x').put('y');
  }
  gpu::Device& device = *Emulated::find_device();
  const Index index = Index::open(folder.file("index"));
  EXPECT_THROW(DeviceIndex(index, device, Emulated::runner(device)), UserError);
}

TEST(DeviceIndex, NvrtcTakesItsKernels) {
  // With the other tests' threads its library's thread-local memory crashes gcc 12's leak checker.
  if (kSanitized) GTEST_SKIP() << "NVRTC is not instrumented";
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  using index::DeviceStrategy;
  using index::KeyForm;
  using index::Operation;
  const auto compile = [](Operation operation, DeviceStrategy strategy, KeyForm form, uint32_t word,
                          uint32_t height) {
    const index::SearchKernel kernel{operation,   strategy,        form, word,
                                     1024 / word, 1024 / word - 1, 4,    height};
    EXPECT_FALSE(gpu::Compiler::system().compile(kernel.source(), "sm_90").empty());
  };
  for (const DeviceStrategy strategy : {DeviceStrategy::tile, DeviceStrategy::thread, DeviceStrategy::blocks,
                                        DeviceStrategy::keys, DeviceStrategy::segments}) {
    for (const Operation operation : {Operation::kFind, Operation::kBound, Operation::kRange}) {
      compile(operation, strategy, KeyForm::words, 4, 3);
    }
  }
  compile(Operation::kNode, DeviceStrategy::keys, KeyForm::words, 4, 3);
  compile(Operation::kNode, DeviceStrategy::segments, KeyForm::reals, 8, 0);
  compile(Operation::kRange, DeviceStrategy::tile, KeyForm::integers, 8, 1);
  for (const bool text : {false, true}) {
    for (const auto& [operation, strategy] : {std::pair{Operation::kFind, DeviceStrategy::tile},
                                              {Operation::kBound, DeviceStrategy::blocks},
                                              {Operation::kNode, DeviceStrategy::segments},
                                              {Operation::kText, DeviceStrategy::tile}}) {
      const index::SearchKernel kernel{operation, strategy, KeyForm::words, 8,   128, 127,
                                       4,         2,        text ? 2u : 3u, text};
      EXPECT_FALSE(gpu::Compiler::system().compile(kernel.source(), "sm_90").empty());
    }
  }
}

}  // namespace
}  // namespace lanewise
