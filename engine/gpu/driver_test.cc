#include "gpu/driver.h"

#include <gmock/gmock.h>

#include "gpu/device.h"
#include "gpu/error.h"
#include "gpu/failure.h"
#include "gpu/modules/module.h"
#include "gpu/stream.h"
#include "gpu/testing/failing_cuda.h"
#include "gpu/testing/fake_driver.h"

namespace lanewise::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The message of the E that `work` throws; fails the test if it throws nothing or something else.
template <class E, class Work>
std::string message(Work&& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(DriverLibrary, MissingIsSaid) {
  EXPECT_THAT(message<DeviceError>([] { Driver driver("libno-such-driver.so.1"); }),
              AllOf(HasSubstr("the NVIDIA driver was not found"), HasSubstr("libno-such-driver.so.1"),
                    HasSubstr("; install it to use a GPU")));
}

TEST(DriverLibrary, WithoutAFunctionIsSaid) {
  EXPECT_THAT(message<DeviceError>([] { Driver driver(fake_library("incomplete")); }),
              AllOf(HasSubstr("has no cuMemPoolCreate"), HasSubstr("too old")));
}

TEST(DriverLibrary, AnotherLibraryIsNoDriver) {
  EXPECT_THAT(message<DeviceError>([] { Driver driver("libc.so.6"); }),
              HasSubstr("libc.so.6 has no cuDriverGetVersion"));
}

using DriverTest = FakeDriverTest;

TEST_F(DriverTest, TooOldIsSaid) {
  const Setting version("FAKE_CUDA_VERSION", "11080");
  EXPECT_THAT(message<DeviceError>([&] { Driver driver(library_); }),
              AllOf(HasSubstr("supports CUDA 11.8"), HasSubstr("needs 12.0"), HasSubstr("update")));
}

TEST_F(DriverTest, NoDeviceIsSaid) {
  const Setting devices("FAKE_CUDA_DEVICES", "0");
  EXPECT_THAT(message<DeviceError>([&] { Driver driver(library_); }), HasSubstr("the driver finds no GPU"));
}

TEST_F(DriverTest, NoMemoryForAContextIsSaid) {
  const Setting full("FAKE_CUDA_FULL", "1");
  Driver driver(library_);
  EXPECT_THAT(message<MemoryError>([&] { driver.device(0); }),
              AllOf(HasSubstr("GPU 0: out of memory"), HasSubstr("cuDevicePrimaryCtxRetain")));
}

TEST_F(DriverTest, Properties) {
  const Setting devices("FAKE_CUDA_DEVICES", "2");
  Driver driver(library_);
  EXPECT_EQ(driver.version(), 13000);
  EXPECT_EQ(version_text(driver.version()), "13.0");
  EXPECT_EQ(driver.device_count(), 2);
  const Properties properties = driver.properties(1);
  EXPECT_EQ(properties.name, "Fake");
  EXPECT_EQ(properties.architecture(), "sm_90");
  EXPECT_EQ(properties.memory, size_t{1} << 30);
  EXPECT_EQ(properties.multiprocessors, 4);
  EXPECT_EQ(properties.shared_per_block, 227u << 10);
  EXPECT_DOUBLE_EQ(properties.bandwidth, 256e9);
  EXPECT_TRUE(properties.cooperative);
  EXPECT_THAT(message<DeviceError>([&] { driver.device(2); }),
              HasSubstr("there is no GPU 2; this machine has 2"));
  EXPECT_THROW(driver.device(-1), DeviceError);
}

TEST_F(DriverTest, ADeviceIsMadeOnceAndReleased) {
  {
    Driver driver(library_);
    EXPECT_EQ(fake_.live, 0);
    Device& device = driver.device(0);
    EXPECT_EQ(&driver.device(0), &device);
    EXPECT_EQ(fake_.live, 1);
  }
  EXPECT_EQ(fake_.live, 0);
}

TEST_F(DriverTest, TheLastOneRestoresWhatTheContextFetched) {
  Driver driver(library_);
  Device& device = driver.device(0);
  {
    const Device::FetchSectors outer(device);
    EXPECT_EQ(fake_.fetched, 32);
    {
      const Device::FetchSectors inner(device);
    }
    EXPECT_EQ(fake_.fetched, 32);
  }
  EXPECT_EQ(fake_.fetched, 64);
}

TEST_F(DriverTest, AFailedContextCanBeTriedAgain) {
  Driver driver(library_);
  fake_.fail_in = 1;
  fake_.fail_with = 46;
  EXPECT_THAT(message<DeviceError>([&] { driver.device(0); }), HasSubstr("another process"));
  EXPECT_FALSE(driver.device(0).lost());
}

TEST_F(DriverTest, ErrorsHaveCallNameAndCause) {
  Driver driver(library_);
  Device& device = driver.device(0);
  Stream stream(device);
  const auto fail_with = [&](int result) {
    fake_.fail_in = 1;
    fake_.fail_with = result;
  };
  fail_with(1);
  EXPECT_THAT(message<InternalError>([&] { stream.synchronize(); }),
              AllOf(HasSubstr("GPU 0"), HasSubstr("cuStreamSynchronize"), HasSubstr("FAKE_ERROR_1")));
  fail_with(801);
  EXPECT_THAT(message<DeviceError>([&] { stream.synchronize(); }), HasSubstr("does not support"));
  fail_with(2);
  EXPECT_THAT(message<MemoryError>([&] { Stream another(device); }),
              AllOf(HasSubstr("out of memory"), HasSubstr("cuStreamCreate")));
  EXPECT_FALSE(device.lost());
  stream.synchronize();
}

TEST_F(DriverTest, AKernelsFaultLosesTheDevice) {
  Driver driver(library_);
  Device& device = driver.device(0);
  Stream stream(device);
  fake_.late_fault = 700;
  EXPECT_THAT(message<InternalError>([&] { stream.synchronize(); }),
              AllOf(HasSubstr("a kernel touched memory that is not its own"), HasSubstr("FAKE_ERROR_700"),
                    HasSubstr("lost")));
  EXPECT_TRUE(device.lost());
  const long calls = fake_.calls;
  for (int i = 0; i < 2; i++) {
    EXPECT_THAT(message<DeviceError>([&] { Stream another(device); }),
                AllOf(HasSubstr("GPU 0 is lost"), HasSubstr("started again"), HasSubstr("touched memory")));
  }
  EXPECT_EQ(fake_.calls, calls) << "a lost device is not called";
  EXPECT_THROW(driver.device(0).synchronize(), DeviceError) << "it stays lost for the process";
}

TEST_F(DriverTest, HardwareFailuresLoseTheDeviceToo) {
  Driver driver(library_);
  Device& device = driver.device(0);
  fake_.fail_in = 1;
  fake_.fail_with = 214;
  EXPECT_THAT(message<DeviceError>([&] { device.synchronize(); }),
              HasSubstr("memory could not be corrected"));
  EXPECT_TRUE(device.lost());
}

TEST_F(DriverTest, TheThreadsOwnContextComesBack) {
  Driver driver(library_);
  int other = 0;
  auto* const theirs = reinterpret_cast<cuda::Context>(&other);
  driver.calls().context_push.function(theirs);
  driver.device(0).synchronize();
  cuda::Context now = nullptr;
  driver.calls().context_get_current.function(&now);
  EXPECT_NE(now, reinterpret_cast<cuda::Context>(&fake_));
  driver.calls().context_pop.function(&now);
}

TEST_F(DriverTest, EventsHaveTimes) {
  Driver driver(library_);
  Device& device = driver.device(0);
  Stream stream(device);
  Event start(device, true), end(device, true);
  start.record(stream);
  end.record(stream);
  stream.wait(end);
  end.synchronize();
  EXPECT_TRUE(stream.done());
  EXPECT_GE(end.seconds_since(start), 0);
}

TEST_F(DriverTest, WaitingCanBeCancelled) {
  Driver driver(library_);
  Stream stream(driver.device(0));
  Cancellation cancellation;
  fake_.busy = 3;
  stream.synchronize(cancellation);
  EXPECT_EQ(fake_.busy, 0);
  cancellation.cancel();
  stream.synchronize(cancellation);  // everything is complete: nothing to cancel
  fake_.busy = 3;
  EXPECT_THROW(stream.synchronize(cancellation), CancelledError);
  cancellation.reset();
  fake_.late_fault = 719;
  EXPECT_THROW(stream.synchronize(cancellation), InternalError);
}

TEST_F(DriverTest, ALibraryBeforeTheDriverLetsACallFail) {
  const std::string library = fake_library("failing");
  FailingCuda& control =
      *Library({library}, "it").find<FailingCuda*(const char*)>("failing_cuda")(library_.c_str());
  Driver driver(library);
  Device& device = driver.device(0);
  control.calls = 0;
  Stream stream(device);
  EXPECT_EQ(control.calls, 1);
  const Module module(device, "kernels");
  unsigned char bytes[3] = {1, 2, 3};
  module.kernel("add_one").launch(stream, {}, &bytes[0], 3ull);  // arguments on the stack pass through
  EXPECT_THAT(bytes, testing::ElementsAre(2, 3, 4));
  control.fail_with = 801;
  control.fail_in = 2;
  stream.synchronize();
  EXPECT_THROW(stream.synchronize(), DeviceError);
  stream.synchronize();
}

TEST_F(DriverTest, ModulesAndLaunches) {
  Driver driver(library_);
  Device& device = driver.device(0);
  Stream stream(device);
  const Module module(device, "kernels");
  const Kernel kernel = module.kernel("add_one");
  unsigned char bytes[3] = {1, 2, 3};
  kernel.launch(stream, {.blocks = 1, .threads = 32}, &bytes[0], 3ull);
  kernel.launch(stream, {.blocks = 1, .threads = 32, .cooperative = true}, &bytes[0], 2ull);
  kernel.launch(stream, {.blocks = 0}, &bytes[0], 3ull);
  EXPECT_THAT(bytes, testing::ElementsAre(3, 4, 4));
  EXPECT_EQ(kernel.blocks_per_multiprocessor(256, 0), 8);
  EXPECT_THROW(kernel.launch(stream, {.blocks = 1ull << 31}, &bytes[0], 3ull), InternalError);
  EXPECT_THROW(kernel.launch(stream, {.shared = 228 << 10}, &bytes[0], 3ull), InternalError);
  EXPECT_THROW(module.kernel("other"), InternalError);
  EXPECT_THAT(message<DeviceError>([&] { Module broken(device, "!"); }), HasSubstr("update the driver"));
}

}  // namespace
}  // namespace lanewise::gpu
