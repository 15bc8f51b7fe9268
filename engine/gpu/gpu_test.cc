// Behaviour that only a GPU can show. Without one these tests are skipped.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "gpu/error.h"
#include "gpu/graph.h"
#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "gpu/testing/failing_cuda.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kKernels[] = R"(
using u32 = unsigned;
using u64 = unsigned long long;

extern "C" __global__ void add(u32* values, u64 count, u32 what) {
  for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < count; i += u64(gridDim.x) * blockDim.x) values[i] += what;
}

/// The sum of the block, by way of dynamic shared memory.
extern "C" __global__ void block_sums(const u32* values, u64 count, u32* sums) {
  extern __shared__ u32 shared[];
  const u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x;
  shared[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

/// Every block adds to `meet`, waits for all others, and records what it then sees.
extern "C" __global__ void meet_all(u32* meet, u32* seen) {
  if (threadIdx.x) return;
  atomicAdd(meet, 1u);
  while (*(volatile u32*)meet < gridDim.x) {
  }
  seen[blockIdx.x] = *(volatile u32*)meet;
}

extern "C" __global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

extern "C" __global__ void write_nowhere(u32* values) { values[1ull << 45] = 1; }
)";

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = &Driver::system().device(0);
    } catch (const DeviceError& none) {
      GTEST_SKIP() << none.what();
    }
    if (!find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  }

  Kernel kernel(const char* name) {
    static Module module = build(*device_, {.name = "gpu_test", .text = kKernels}, none_).module;
    return module.kernel(name);
  }

  template <class T>
  std::vector<T> download(Staging& staging, const DeviceBuffer& buffer, Stream& stream) {
    std::vector<T> values(buffer.size() / sizeof(T));
    staging.download(values.data(), buffer.address(), buffer.size(), stream);
    return values;
  }

  Device* device_ = nullptr;
  KernelCache none_{std::filesystem::path()};
};

TEST_F(GpuTest, PropertiesAreThoseOfAGpu) {
  const Properties& properties = device_->properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.major, 7);
  EXPECT_GE(properties.multiprocessors, 1);
  EXPECT_GE(properties.shared_per_block, 48u << 10);
  EXPECT_LE(device_->free_memory(), properties.memory);
  EXPECT_GT(properties.bandwidth, 1e10);
}

TEST_F(GpuTest, KernelsSeeTheirArguments) {
  Stream stream(*device_);
  DevicePool pool(*device_);
  Staging staging(*device_, {.chunk = 4096, .threads = 3});
  std::vector<uint32_t> values(100'003);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<uint32_t>(i * i);
  const DeviceBuffer buffer = pool.allocate(values.size() * 4, stream, "test");
  staging.upload(buffer.address(), values.data(), buffer.size(), stream);
  kernel("add").launch(stream, {.blocks = 7}, buffer.address(), uint64_t{values.size()}, 5u);
  for (uint32_t& value : values) value += 5;
  EXPECT_EQ(download<uint32_t>(staging, buffer, stream), values);
}

TEST_F(GpuTest, StagingCopiesAnySize) {
  Stream stream(*device_);
  DevicePool pool(*device_);
  constexpr size_t kChunk = 64 << 10;
  for (const int threads : {1, 4}) {
    Staging staging(*device_, {.chunk = kChunk, .threads = threads});
    for (const size_t size : {size_t{1}, kChunk - 1, kChunk, kChunk + 1, 9 * kChunk + 7, 300 * kChunk}) {
      std::vector<uint8_t> sent(size);
      for (size_t i = 0; i < size; i++) sent[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
      const DeviceBuffer buffer = pool.allocate(size, stream, "test");
      stream.fill(buffer.address(), 0xee, size);  // the copy comes after it
      staging.upload(buffer.address(), sent.data(), size, stream);
      const DeviceBuffer copy = pool.allocate(size, stream, "test");
      stream.copy(copy.address(), buffer.address(), size);  // and this after the copy
      EXPECT_EQ(download<uint8_t>(staging, copy, stream), sent)
          << size << " bytes, " << threads << " threads";
    }
  }
}

TEST_F(GpuTest, BlocksCanHaveMuchSharedMemory) {
  Stream stream(*device_);
  DevicePool pool(*device_);
  Staging staging(*device_, {.threads = 1});
  const std::vector<uint32_t> values(1024, 3);
  const DeviceBuffer from = pool.allocate(values.size() * 4, stream, "test"),
                     to = pool.allocate(8, stream, "test");
  staging.upload(from.address(), values.data(), from.size(), stream);
  const Kernel sums = kernel("block_sums");
  const size_t shared = device_->properties().shared_per_block;
  EXPECT_EQ(sums.blocks_per_multiprocessor(512, shared), 1);
  sums.launch(stream, {.blocks = 2, .threads = 512, .shared = shared}, from.address(),
              uint64_t{values.size()}, to.address());
  EXPECT_THAT(download<uint32_t>(staging, to, stream), testing::ElementsAre(1536, 1536));
  EXPECT_GT(sums.registers(), 0);
  EXPECT_EQ(sums.local_bytes(), 0u);
}

TEST_F(GpuTest, BlocksOfACooperativeLaunchMeet) {
  if (!device_->properties().cooperative) GTEST_SKIP() << "not this GPU";
  Stream stream(*device_);
  DevicePool pool(*device_);
  Staging staging(*device_, {.threads = 1});
  const Kernel meet = kernel("meet_all");
  const auto blocks =
      static_cast<uint64_t>(device_->properties().multiprocessors * meet.blocks_per_multiprocessor(32, 0));
  const DeviceBuffer counter = pool.allocate(4, stream, "test"),
                     seen = pool.allocate(blocks * 4, stream, "test");
  stream.fill(counter.address(), 0, 4);
  meet.launch(stream, {.blocks = blocks, .threads = 32, .cooperative = true}, counter.address(),
              seen.address());
  EXPECT_THAT(download<uint32_t>(staging, seen, stream), testing::Each(blocks));
  EXPECT_THROW(meet.launch(stream, {.blocks = blocks + 1, .threads = 32, .cooperative = true},
                           counter.address(), seen.address()),
               InternalError);
}

TEST_F(GpuTest, StreamsGoOnIndependentlyAndEventsTellTimes) {
  Stream slow(*device_), fast(*device_);
  Event start(*device_, true), end(*device_, true);
  kernel("spin").launch(slow, {.threads = 1}, 1ll);  // loaded now
  slow.synchronize();
  start.record(slow);
  kernel("spin").launch(slow, {.threads = 1}, 200'000'000ll);
  end.record(slow);
  kernel("spin").launch(fast, {.threads = 1}, 1ll);
  fast.synchronize();
  EXPECT_FALSE(slow.done());
  fast.wait(end);
  kernel("spin").launch(fast, {.threads = 1}, 1ll);
  EXPECT_FALSE(fast.done());
  fast.synchronize();
  EXPECT_TRUE(slow.done());
  EXPECT_GT(end.seconds_since(start), 0.02);
}

TEST_F(GpuTest, WaitingCanBeCancelled) {
  Stream stream(*device_);
  DevicePool pool(*device_);
  Cancellation cancellation;
  const Kernel add = kernel("add"), spin = kernel("spin");  // loading may wait for running kernels
  spin.launch(stream, {.threads = 1}, 1'500'000'000ll);
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancellation.cancel();
  });
  const auto start = std::chrono::steady_clock::now();
  {
    const DeviceBuffer buffer = pool.allocate(1000, stream, "test");
    add.launch(stream, {}, buffer.address(), uint64_t{250}, 1u);
    EXPECT_THROW(stream.synchronize(cancellation), CancelledError);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
  }
  stream.synchronize();  // the kernels continued, in memory that belonged to them
}

TEST_F(GpuTest, GraphsDoTheirWorkEachTime) {
  Stream stream(*device_);
  DevicePool pool(*device_);
  Staging staging(*device_, {.threads = 1});
  const DeviceBuffer buffer = pool.allocate(400, stream, "test");
  stream.fill(buffer.address(), 0, buffer.size());
  const Kernel add = kernel("add");
  Graph graph(stream, [&] {
    for (int i = 0; i < 10; i++) add.launch(stream, {}, buffer.address(), uint64_t{100}, 1u);
  });
  for (int i = 0; i < 3; i++) graph.launch(stream);
  EXPECT_THAT(download<uint32_t>(staging, buffer, stream), testing::Each(30u));
  EXPECT_THROW(Graph(stream, [] { throw InternalError("no"); }), InternalError);
  graph.launch(stream);
  EXPECT_THAT(download<uint32_t>(staging, buffer, stream), testing::Each(40u));
}

TEST_F(GpuTest, ThePoolKeepsMemoryAndGivesItBack) {
  Stream stream(*device_);
  DevicePool pool(*device_, size_t{1} << 30);
  const size_t large = size_t{512} << 20;
  pool.allocate(large, stream, "test");
  stream.synchronize();
  EXPECT_GE(pool.held(), large);
  {
    const DeviceBuffer again = pool.allocate(large, stream, "test");
  }
  EXPECT_LT(pool.held(), 2 * large);
  pool.trim();
  EXPECT_LT(pool.held(), large);
  EXPECT_THROW(pool.allocate(size_t{1} << 30, stream, "test"), MemoryError);
}

TEST_F(GpuTest, AFullDeviceIsAnErrorAndGoesOn) {
  Stream stream(*device_);
  DevicePool pool(*device_, SIZE_MAX);
  const size_t memory = device_->properties().memory;
  const DeviceBuffer half = pool.allocate(memory / 2, stream, "test");
  try {
    pool.allocate(memory, stream, "sort");
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sort needs"), HasSubstr("free"), HasSubstr("in use here")));
  }
  EXPECT_FALSE(device_->lost());
  EXPECT_TRUE(pool.allocate(memory / 8, stream, "test"));
}

TEST_F(GpuTest, AnyThreadMayCall) {
  kernel("add");
  DevicePool pool(*device_);
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; t++) {
    threads.emplace_back([&] {
      Stream stream(*device_);
      Staging staging(*device_, {.chunk = 1000, .threads = 2});
      for (int round = 0; round < 20; round++) {
        const DeviceBuffer buffer = pool.allocate(40'000, stream, "test");
        stream.fill(buffer.address(), 0, buffer.size());
        kernel("add").launch(stream, {.blocks = 4}, buffer.address(), uint64_t{10'000}, 7u);
        const auto values = download<uint32_t>(staging, buffer, stream);
        right += std::count(values.begin(), values.end(), 7u) == 10'000;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 160);
}

/// One of each operation that a query performs on a device.
void use_everything(Device& device, const std::string& image) {
  DevicePool pool(device);
  Stream stream(device);
  Staging staging(device, {.chunk = 4096, .threads = 2});
  std::vector<uint32_t> values(5000, 1);
  const size_t bytes = values.size() * 4;
  const DeviceBuffer buffer = pool.allocate(bytes, stream, "test");
  staging.upload(buffer.address(), values.data(), bytes, stream);
  const Module module(device, image);
  const Kernel add = module.kernel("add");
  add.launch(stream, {}, buffer.address(), uint64_t{values.size()}, 1u);
  Graph graph(stream, [&] { add.launch(stream, {}, buffer.address(), uint64_t{values.size()}, 1u); });
  graph.launch(stream);
  staging.download(values.data(), buffer.address(), bytes, stream);
  stream.synchronize();
  ASSERT_EQ(values, std::vector<uint32_t>(5000, 3));
}

TEST_F(GpuTest, WhicheverCallFailsNothingLeaksAndTheNextQueryIsFine) {
  const std::string library = fake_library("failing");
  FailingCuda* control =
      Library({library}, "it").find<FailingCuda*(const char*)>("failing_cuda")("libcuda.so.1");
  ASSERT_NE(control, nullptr);
  Driver driver(library);
  Device& device = driver.device(0);
  const std::string image =
      Compiler::system().compile({.name = "gpu_test", .text = kKernels}, device.properties().architecture());
  use_everything(device, image);
  const size_t free = device.free_memory();
  control->calls = 0;
  use_everything(device, image);
  const long calls = control->calls;
  EXPECT_GT(calls, 40);
  int failures = 0;
  for (const int result : {1, 2, 801}) {
    for (long nth = 1; nth <= calls; nth++) {
      control->fail_with = result;
      control->fail_in = nth;
      try {
        use_everything(device, image);
      } catch (const UserError&) {
        failures++;
      } catch (const InternalError&) {
        failures++;
      }
      control->fail_in = 0;
      ASSERT_FALSE(device.lost()) << "call " << nth << " failed with " << result;
      ASSERT_NO_THROW(use_everything(device, image)) << "after call " << nth << " failed with " << result;
    }
  }
  EXPECT_GT(failures, calls * 2);
  device.synchronize();
  EXPECT_EQ(device.free_memory(), free);
}

/// Exits with 0 if a kernel's fault is reported correctly.
void fault_and_exit() {
  if (!find_nvrtc(LANEWISE_SOURCE_DIR)) std::_Exit(2);
  KernelCache none{std::filesystem::path()};
  Device& device = Driver::system().device(0);
  Stream stream(device);
  DevicePool pool(device);
  const DeviceBuffer buffer = pool.allocate(100, stream, "test");
  const Module module = build(device, {.name = "gpu_test", .text = kKernels}, none).module;
  module.kernel("write_nowhere").launch(stream, {.threads = 1}, buffer.address());
  bool faulted = false, refused = false;
  try {
    stream.synchronize();
  } catch (const InternalError& error) {
    faulted = std::string(error.what()).find("touched memory that is not its own") != std::string::npos;
  }
  try {
    pool.allocate(100, stream, "test");
  } catch (const DeviceError& error) {
    refused = std::string(error.what()).find("lost to this process") != std::string::npos;
  }
  std::_Exit(faulted && refused && device.lost() ? 0 : 1);
}

TEST_F(GpuTest, AKernelsFaultLosesTheDeviceNotTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a separate process: this one keeps its device
  EXPECT_EXIT(fault_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lanewise::gpu
