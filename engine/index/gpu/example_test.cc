// The example of docs/use/ordered-index.md, except for where its kernels run.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/temporary_folder.h"
#include "index/testing/device_places.h"

namespace lanewise {
namespace {

using namespace on_devices;  // NOLINT: the tests' helpers

template <class Where>
class DeviceExampleTest : public DeviceIndexTest<Where> {};
TYPED_TEST_SUITE(DeviceExampleTest, Places);

TYPED_TEST(DeviceExampleTest, FromLoadingToReopening) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  const auto upload = [&](const Index& index) { return DeviceIndexTest<TypeParam>::upload(index); };

  // [example]
  IndexOptions options;
  options.key = {{TypeId::kUInt32}};  // customers
  options.value_bytes = 4;            // order numbers
  options.fill_percent = 70;          // room for changes
  Index index(options);
  index.save(path);
  {
    DeviceIndex there = upload(index);  // there(index, gpu::Driver::system().device(0))
    there.insert(std::vector<uint32_t>{30, 10, 20, 10}, std::vector<uint32_t>{1, 2, 3, 4});  // bulk load
    there.upsert(std::vector<uint32_t>{20, 40}, std::vector<uint32_t>{5, 6});  // 20 has order 5 now
    there.erase(std::vector<uint32_t>{30});

    std::vector<uint32_t> orders;
    std::vector<uint64_t> found;
    const std::vector<uint32_t> asked = {10, 30, 40};
    EXPECT_EQ(there.find(asked, orders, found), 2u);
    EXPECT_EQ(found[0], 0b101u);
    EXPECT_EQ(orders[0], 2u) << "the first of customer 10";

    const std::vector<uint32_t> low = {10}, high = {40};
    const IndexRanges range = there.range(low, high);
    const std::vector<uint32_t> in_range(range.entries.values.as<uint32_t>(),
                                         range.entries.values.as<uint32_t>() + range.entries.count);
    EXPECT_EQ(in_range, (std::vector<uint32_t>{2, 4, 5}));

    there.write_back();  // the host's index is equal again
    index.commit();      // and so is its file
  }
  {
    const Index closed = std::move(index);
  }
  const Index again = Index::open(path);
  // [example]
  EXPECT_EQ(again.size(), 4u);
  EXPECT_TRUE(again.contains(std::vector<uint32_t>{40}));
}

}  // namespace
}  // namespace lanewise
