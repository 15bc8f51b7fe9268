#include "gpu/memory.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "gpu/error.h"
#include "gpu/graph.h"
#include "gpu/modules/module.h"
#include "gpu/staging.h"
#include "gpu/testing/fake_driver.h"

namespace lanewise::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MemoryTest : public FakeDriverTest {
 protected:
  Driver driver_{library_};
  Device& device_ = driver_.device(0);
  Stream stream_{device_};
  const long before_ = fake_.live;
};

std::vector<uint8_t> pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint32_t random = 1;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST_F(MemoryTest, BuffersGoBack) {
  {
    DevicePool pool(device_, 1 << 20);
    DeviceBuffer a = pool.allocate(1000, stream_, "test");
    EXPECT_EQ(a.size(), 1000u);
    EXPECT_EQ(pool.budget().used(), 1536u) << "with its padding, in pieces of 512";
    DeviceBuffer b = std::move(a);
    EXPECT_FALSE(a);
    a = pool.allocate(0, stream_, "test");
    EXPECT_TRUE(a) << "an empty buffer has an address";
    a = std::move(b);
    EXPECT_EQ(pool.budget().used(), 1536u);
    a.reset();
    EXPECT_EQ(pool.budget().used(), 0u);
    EXPECT_EQ(pool.budget().peak(), 2048u);
  }
  EXPECT_EQ(fake_.live, before_);
}

TEST_F(MemoryTest, ABufferOutlivesTheNameOfItsStream) {
  DevicePool pool(device_);
  DeviceBuffer buffer;
  {
    Stream other(device_);
    buffer = pool.allocate(8, other, "test");
  }
  buffer.reset();
  EXPECT_EQ(fake_.used, 0u);
}

TEST_F(MemoryTest, OverTheBudgetIsAnErrorWithSizes) {
  DevicePool pool(device_, 1 << 20);
  const DeviceBuffer held = pool.allocate(512 << 10, stream_, "test");
  try {
    pool.allocate(768 << 10, stream_, "group by");
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("group by needs 768.5 KiB"), HasSubstr("limit of 1 MiB"),
                                    HasSubstr("GPU's memory")));
  }
  EXPECT_EQ(pool.budget().used(), (512u << 10) + 512);
}

TEST_F(MemoryTest, TheDefaultLimitLeavesSomeToTheDriver) {
  DevicePool pool(device_);
  EXPECT_EQ(pool.budget().limit(), (size_t{1} << 30) / 16 * 15);
}

TEST_F(MemoryTest, AFullDeviceIsAnErrorWithSizes) {
  DevicePool pool(device_, 1 << 30);
  fake_.memory = 1 << 20;
  const DeviceBuffer held = pool.allocate(512 << 10, stream_, "test");
  try {
    pool.allocate(768 << 10, stream_, "sort");
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("sort needs 768.5 KiB on GPU 0"), HasSubstr("511.5 KiB of 1 GiB free"),
                      HasSubstr("512.5 KiB are in use here")));
  }
  EXPECT_EQ(pool.budget().used(), (512u << 10) + 512) << "what was not given is not charged";
}

TEST_F(MemoryTest, CachesGiveWhatTheyHoldBeforeADeviceIsFull) {
  DevicePool pool(device_, 1 << 30);
  fake_.memory = 1 << 20;
  DeviceBuffer cached = pool.allocate(512 << 10, stream_, "cache");
  const Reclaimer reclaimer = pool.budget().add_reclaimer([&](size_t) {
    const size_t bytes = cached.size();
    cached.reset();
    return bytes;
  });
  EXPECT_TRUE(pool.allocate(768 << 10, stream_, "sort"));
  EXPECT_FALSE(cached);
}

TEST_F(MemoryTest, PinnedMemoryIsCharged) {
  MemoryBudget budget(1 << 20);
  {
    PinnedBuffer buffer(device_, 1000, &budget, "test");
    EXPECT_EQ(budget.used(), 1000u);
    PinnedBuffer other = std::move(buffer);
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(other.size(), 1000u);
    EXPECT_THROW(PinnedBuffer(device_, 1 << 20, &budget, "test"), MemoryError);
  }
  EXPECT_EQ(budget.used(), 0u);
  fake_.fail_in = 1;
  fake_.fail_with = 2;
  EXPECT_THROW(PinnedBuffer(device_, 1000, &budget, "test"), MemoryError);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(fake_.live, before_);
}

TEST_F(MemoryTest, StagingCopiesAnySize) {
  constexpr size_t kChunk = 1000;
  for (const int threads : {1, 2, 3}) {
    Staging staging(device_, {.chunk = kChunk, .threads = threads});
    DevicePool pool(device_);
    for (const size_t size : {size_t{0}, size_t{1}, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk,
                              2 * kChunk + 1, 7 * kChunk + 3, 64 * kChunk}) {
      const std::vector<uint8_t> sent = pattern(size);
      const DeviceBuffer buffer = pool.allocate(size, stream_, "test");
      fake_.copies = 0;
      staging.upload(buffer.address(), sent.data(), size, stream_);
      EXPECT_EQ(fake_.copies, static_cast<long>((size + kChunk - 1) / kChunk));
      std::vector<uint8_t> received(size, 0xff);
      staging.download(received.data(), buffer.address(), size, stream_);
      EXPECT_EQ(received, sent) << size << " bytes, " << threads << " threads";
    }
  }
  EXPECT_EQ(fake_.live, before_);
}

TEST_F(MemoryTest, StagingCutsSmallTransfersIntoSmallPieces) {
  constexpr size_t kKiB = 1024;
  Staging staging(device_, {.chunk = 1024 * kKiB, .threads = 4});
  DevicePool pool(device_);
  for (const auto& [size, pieces] :
       {std::pair(100 * kKiB, 1), std::pair(256 * kKiB + 1, 2), std::pair(1024 * kKiB - 1, 4),
        std::pair(4096 * kKiB - 1, 8), std::pair(20'480 * kKiB + 3, 21)}) {
    const std::vector<uint8_t> sent = pattern(size);
    const DeviceBuffer buffer = pool.allocate(size, stream_, "test");
    fake_.copies = 0;
    staging.upload(buffer.address(), sent.data(), size, stream_);
    EXPECT_EQ(fake_.copies, pieces);
    std::vector<uint8_t> received(size, 0xff);
    staging.download(received.data(), buffer.address(), size, stream_);
    EXPECT_EQ(received, sent) << size;
  }
}

TEST_F(MemoryTest, StagingWaitsOnceForWhatIsSmall) {
  constexpr size_t kKiB = 1024;
  Staging staging(device_, {.threads = 2});
  DevicePool pool(device_);
  const std::vector<uint8_t> sent = pattern(600 * kKiB);
  const DeviceBuffer buffer = pool.allocate(sent.size(), stream_, "test");
  staging.upload(buffer.address(), sent.data(), sent.size(), stream_);
  for (const auto& [sizes, waits] :
       {std::pair(std::vector<size_t>{8, 0, 100 * kKiB, 1, 150 * kKiB}, 1),
        std::pair(std::vector<size_t>{0, 0}, 0), std::pair(std::vector<size_t>{256 * kKiB}, 1),
        std::pair(std::vector<size_t>{8, 256 * kKiB, 24}, 2)}) {
    std::vector<uint8_t> received(sent.size(), 0xff);
    std::vector<Download> all;
    size_t at = 0;
    for (const size_t size : sizes) {
      all.push_back({&received[at], buffer.address() + at, size});
      at += size;
    }
    fake_.waits = 0;
    staging.download(all, stream_);
    EXPECT_EQ(fake_.waits, 2 * waits) << sizes.size() << " pieces";  // before it, for a slot
    std::fill(received.begin() + static_cast<ptrdiff_t>(at), received.end(), 0);
    EXPECT_TRUE(std::equal(received.begin(), received.begin() + static_cast<ptrdiff_t>(at), sent.begin()));
  }
}

TEST_F(MemoryTest, AFailedTransferEndsWithItsErrorAndTheNextIsFine) {
  Staging staging(device_, {.chunk = 100, .threads = 3});
  DevicePool pool(device_);
  std::vector<uint8_t> bytes = pattern(10000);
  const DeviceBuffer buffer = pool.allocate(bytes.size(), stream_, "test");
  for (int nth = 1; nth < 40; nth += 3) {
    fake_.fail_in = nth;
    fake_.fail_with = 801;
    EXPECT_THROW(staging.upload(buffer.address(), bytes.data(), bytes.size(), stream_), DeviceError);
    fake_.fail_in = nth;
    EXPECT_THROW(staging.download(bytes.data(), buffer.address(), bytes.size(), stream_), DeviceError);
  }
  staging.upload(buffer.address(), bytes.data(), bytes.size(), stream_);
}

/// One of each operation that a query performs on a device.
void use_all_memory(Device& device) {
  DevicePool pool(device);
  Stream stream(device);
  Staging staging(device, {.chunk = 1000, .threads = 2});
  std::vector<uint8_t> bytes(10000, 1);
  const DeviceBuffer buffer = pool.allocate(bytes.size(), stream, "test");
  staging.upload(buffer.address(), bytes.data(), bytes.size(), stream);
  const Module module(device, "kernels");
  const Kernel kernel = module.kernel("add_one");
  kernel.launch(stream, {.blocks = 40}, buffer.address(), static_cast<unsigned long long>(bytes.size()));
  Graph graph(stream, [&] { stream.fill(buffer.address(), 2, bytes.size()); });
  graph.launch(stream);
  staging.download(bytes.data(), buffer.address(), bytes.size(), stream);
  stream.synchronize();
  ASSERT_EQ(bytes, std::vector<uint8_t>(10000, 2));
}

TEST_F(MemoryTest, WhicheverCallFailsNothingLeaks) {
  fake_.calls = 0;
  use_all_memory(device_);
  const long calls = fake_.calls - 1;  // the last call is a destructor's, which waits
  ASSERT_GT(calls, 40);
  for (const int result : {1, 2, 801}) {
    for (int nth = 1; nth <= calls; nth++) {
      fake_.fail_in = nth;
      fake_.fail_with = result;
      try {
        use_all_memory(device_);
        EXPECT_EQ(result, 2) << "only a lack of memory is mended, by trying again";
      } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("FAKE_ERROR"), HasSubstr("pin"))) << nth;
      }
      fake_.fail_in = 0;
      EXPECT_EQ(fake_.live, before_) << "call " << nth << " failed with " << result;
      EXPECT_FALSE(device_.lost());
    }
  }
  use_all_memory(device_);
}

TEST_F(MemoryTest, WhicheverCallFaultsTheProcessLives) {
  for (int nth = 1; nth < 60; nth += 7) {
    fake_ = FakeCuda();
    Driver driver(library_);
    Device& device = driver.device(0);
    fake_.fail_in = nth;
    fake_.fail_with = 719;
    try {
      use_all_memory(device);
      ADD_FAILURE() << nth;
    } catch (
        const std::exception& error) {  // of two threads, the other may report first that the GPU is lost
      EXPECT_THAT(error.what(), HasSubstr("FAKE_ERROR_719")) << nth;
    }
    EXPECT_TRUE(device.lost());
    EXPECT_THROW(use_all_memory(device), DeviceError) << nth;
  }
}

}  // namespace
}  // namespace lanewise::gpu
