// Keys that are strings or have several words, on emulated lanes and, if there is one, on a GPU.

#include <gmock/gmock.h>

#include <random>

#include "base/testing/test_size.h"
#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/device_index.h"
#include "index/testing/device_comparison.h"
#include "index/testing/device_places.h"

namespace lanewise {
namespace {

using namespace on_devices;  // NOLINT: the tests' helpers

template <class Place>
class DeviceIndexTextsTest : public DeviceIndexTest<Place> {};
TYPED_TEST_SUITE(DeviceIndexTextsTest, Places);

TYPED_TEST(DeviceIndexTextsTest, Texts) {
  const size_t few = test_size(33, 65);
  for (const auto& [leaf_keys, inner_keys] : {std::pair{4u, 3u}, {128u, 127u}}) {
    for (const size_t size : {size_t{0}, size_t{1}, few, test_size<size_t>(33, 2000, 20'000)}) {
      SCOPED_TRACE(testing::Message() << size << " entries, leaves of " << leaf_keys);
      Random random(size + leaf_keys);
      const auto texts = [&](size_t count) {
        std::vector<std::string> made(count);
        for (std::string& text : made) text = random_text(random);
        return made;
      };
      const auto views = [](const std::vector<std::string>& of) {
        return std::vector<std::string_view>(of.begin(), of.end());
      };
      const std::vector<std::string> keys = texts(size);
      Index index(options({{TypeId::kVarchar}}, leaf_keys, inner_keys));
      std::vector<uint32_t> values(size);
      for (uint32_t& value : values) value = static_cast<uint32_t>(random());
      index.load(views(keys), values);
      const DeviceIndex copy = this->upload(index);
      DeviceIndex device = this->upload(index);
      std::vector<std::string> asked = texts(few), highs = texts(2 * few);
      for (size_t i = 0; i < few; ++i) asked.push_back(size == 0 ? "" : keys[random() % size]);
      compare_all(device, index, views(asked), views(highs), !TypeParam::kEmulated);
      if (testing::Test::HasFailure()) return;
      index.insert(views(asked), std::vector<uint32_t>(asked.size(), 5));
      index.erase(views(highs));
      device.refresh();
      compare_all(device, index, views(highs), views(asked), true);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Several 64-bit words, the first of which are often equal; NULLs.
TYPED_TEST(DeviceIndexTextsTest, KeysOfSeveralWords) {
  const int rows = test_size(70, 400);
  for (const auto& fields :
       {std::vector<KeyField>{{TypeId::kInt64}, {TypeId::kInt64}}, std::vector<KeyField>{{TypeId::kInt128}},
        std::vector<KeyField>{
            {TypeId::kInt16, true}, {TypeId::kInt64, true}, {TypeId::kInt32}, {TypeId::kInt128}},
        std::vector<KeyField>{{TypeId::kVarchar, true}, {TypeId::kInt32, true}, {TypeId::kVarchar}}}) {
    Random random(fields.size());
    const auto columns = [&] {
      std::vector<ColumnPtr> made;
      for (const KeyField& field : fields) {
        std::vector<Value> values;
        for (int i = 0; i < rows; ++i) {
          const auto number = static_cast<int>(random() % 6);
          values.push_back(field.nullable && number == 0       ? Value(field.type)
                           : field.type.id == TypeId::kVarchar ? Value::varchar(random_text(random))
                                                               : Value(field.type, int128_t{number - 3}));
        }
        made.push_back(make_column(field.type, values));
      }
      return made;
    };
    const std::vector<ColumnPtr> keys = columns(), lows = columns(), highs = columns();
    Index index(options(fields, 16, 15));
    index.load(Keys(keys), std::vector<uint32_t>(rows, 3));
    DeviceIndex device = this->upload(index);
    compare_all(device, index, Keys(lows), Keys(highs), !TypeParam::kEmulated);
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(DeviceIndexTextsTest, TextsInItsMemory) {
  Random random(12);
  const size_t count = 1000;
  std::vector<std::string> texts(count);
  for (std::string& text : texts) text = random_text(random);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const TemporaryFolder folder;
  {
    Index index(options({{TypeId::kVarchar}}, 0, 0));
    std::vector<uint32_t> values(count / 2);
    for (uint32_t& value : values) value = static_cast<uint32_t>(random());
    index.load(std::span(views).first(count / 2), values.data());
    index.save(folder.file("index"));
  }
  const Index index = Index::open(folder.file("index"));
  DeviceIndex device = this->upload(index);
  std::string bytes;
  std::vector<uint64_t> begins = {0};
  for (const std::string& text : texts) {
    bytes += text;
    begins.push_back(bytes.size());
  }
  bytes.resize(bytes.size() / 4 * 4 + 4);
  gpu::Stream& stream = device.stream();
  gpu::DevicePool pool(*this->device_);
  gpu::Staging staging(*this->device_, {.threads = 1});
  const auto there = [&](size_t size) { return pool.allocate(size, stream, "test"); };
  const gpu::DeviceBuffer bytes_there = there(bytes.size()), begins_there = there(begins.size() * 8),
                          values = there(count * 4), found = there(bits::words(count) * 8);
  staging.upload(bytes_there.address(), bytes.data(), bytes.size(), stream);
  staging.upload(begins_there.address(), begins.data(), begins.size() * 8, stream);
  stream.fill(values.address(), 0, count * 4);
  device.find({bytes_there.address(), begins_there.address()}, count, values.address(), found.address());
  std::vector<uint32_t> got_values(count), wanted_values(count);
  std::vector<uint64_t> got(bits::words(count)), wanted(bits::words(count));
  staging.download(got_values.data(), values.address(), count * 4, stream);
  staging.download(got.data(), found.address(), got.size() * 8, stream);
  EXPECT_GE(index.find(views, wanted_values.data(), wanted.data()), count / 2);
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(got_values, wanted_values);
  EXPECT_THROW(device.find(bytes_there.address(), count, values.address(), found.address()), UserError);
}

}  // namespace
}  // namespace lanewise
