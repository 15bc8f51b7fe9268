// OpenCL: the message if it is missing; memory, kernels and their errors on whatever device is present.
#include "gpu/opencl/opencl_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/testing/message_of.h"
#include "base/testing/test_size.h"
#include "gpu/error.h"

namespace lanewise::gpu {
namespace {

using testing::HasSubstr;

TEST(OpenCl, SaysWhatIsMissing) {
  EXPECT_THAT(message_of<DeviceError>([] { OpenClDevice("libnothing.so.9"); }),
              HasSubstr("OpenCL was not found"));
  // A library, but not OpenCL.
  EXPECT_THAT(message_of<DeviceError>([] { OpenClDevice("libc.so.6"); }),
              HasSubstr("has no clGetPlatformIDs"));
}

class OpenClTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "the compilers of devices are not instrumented";
    try {
      device_ = &OpenClDevice::system();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  OpenClDevice* device_ = nullptr;
};

TEST_F(OpenClTest, MemoryComesAndGoes) {
  EXPECT_FALSE(device_->name().empty());
  for (const size_t size : {1u, 31u, 32u, 33u, 100'000u}) {
    std::vector<uint64_t> values(size);
    std::iota(values.begin(), values.end(), 7);
    const size_t bytes = size * sizeof(uint64_t);
    const auto memory = device_->allocate(bytes);
    device_->upload(memory.get(), values.data(), bytes);
    std::vector<uint64_t> found(size);
    device_->download(found.data(), memory.get(), bytes);
    EXPECT_EQ(found, values);
    device_->fill(memory.get(), 0xFF, bytes);
    device_->download(found.data(), memory.get(), bytes);
    EXPECT_EQ(found, std::vector<uint64_t>(size, ~uint64_t{0}));
  }
  EXPECT_THROW(device_->allocate(size_t{1} << 60), MemoryError);
}

TEST_F(OpenClTest, KernelsGetWordsAndMemory) {
  const auto program = device_->build(
      "__kernel void put(__global long* to, long value) { to[get_global_id(0)] = value + get_global_id(0); "
      "}");
  const auto memory = device_->allocate(512 * sizeof(int64_t));
  const uint64_t arguments[] = {reinterpret_cast<uint64_t>(memory.get()), 40};
  program->launch(program->kernel("put"), 2, 256, arguments);
  program->launch(program->kernel("put"), 0, 256, arguments);
  std::vector<int64_t> found(512);
  device_->download(found.data(), memory.get(), found.size() * sizeof(int64_t));
  EXPECT_EQ(found[0], 40);
  EXPECT_EQ(found[511], 551);
  EXPECT_THROW(program->kernel("get"), InternalError);
}

TEST_F(OpenClTest, TheCompilersLogIsTold) {
  try {
    device_->build("__kernel void put(__global long* to) { to[0] = missing; }");
    ADD_FAILURE();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("missing"));
  }
}

}  // namespace
}  // namespace lanewise::gpu
