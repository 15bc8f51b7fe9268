#include "data/arrow/arrow_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/testing/message_of.h"
#include "base/testing/test_size.h"
#include "data/arrow/arrow_device_column.h"
#include "data/gpu/device_rows.h"
#include "data/testing/imported_arrays.h"
#include "gpu/error.h"
#include "gpu/modules/compiler.h"
#include "gpu/testing/failing_cuda.h"
#include "gpu/testing/fake_driver.h"

namespace lanewise {
namespace {

using testing::HasSubstr;
using namespace testing_arrow;  // NOLINT: the tests' helpers

/// On the fake driver, whose device memory is host memory.
class ArrowDevice : public testing::Test {
 protected:
  ArrowDevice() { fake_ = FakeCuda(); }
  FakeCuda& fake_ = gpu::fake_cuda();
  gpu::Driver driver_{gpu::fake_library("fake")};
  gpu::Device& device_ = driver_.device(0);
};

TEST_F(ArrowDevice, AllTypesThereAndBack) {
  for (const int64_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 1000}) {
    for (const int64_t batch_rows : {1000, 40}) {
      DeviceArrays arrays(table_of(0, rows, batch_rows), device_);
      const auto count = static_cast<int>(arrays.arrays.size());
      auto source = import(arrays, device_);
      expect_rows(scanned(*source), 0, rows);
      EXPECT_EQ(arrays.released(), 0);
      source.reset();
      EXPECT_EQ(arrays.released(), count) << "each once";
    }
  }
}

TEST_F(ArrowDevice, Slices) {
  DeviceArrays arrays(table_of(0, 200, 150), device_);
  arrays.slice(3, 4, 20);
  const auto source = import(arrays, device_);
  const auto found = scanned(*source);
  ASSERT_EQ(found.size(), 173);
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    EXPECT_EQ(found[0][i], text_of(kTypes[i], 7));
    EXPECT_EQ(found[122][i], text_of(kTypes[i], 129));
    EXPECT_EQ(found[123][i], text_of(kTypes[i], 150));
  }
}

TEST_F(ArrowDevice, AnEmptyArray) {
  DeviceArrays arrays(table_of(0, 100, 60), device_);
  arrays.slice(5, 0, 55);
  const auto source = import(arrays, device_);
  EXPECT_EQ(source->device_rows()->rows(), 40);
  expect_rows(scanned(*source), 60, 40);
}

TEST_F(ArrowDevice, ArraysOfTheHostAreImportedAsUsual) {
  for (const ArrowDeviceType type : {ARROW_DEVICE_CPU, ARROW_DEVICE_CUDA_HOST}) {
    DeviceArrays arrays(table_of(0, 100, 64), device_);  // the fake driver's memory is host memory
    for (ArrowDeviceArray& array : arrays.arrays) array.device_type = type;
    auto source = import(arrays, device_);
    EXPECT_EQ(source->device_rows(), nullptr);
    expect_rows(scanned(*source), 0, 100);
    source.reset();
    EXPECT_EQ(arrays.released(), 2);
  }
}

TEST_F(ArrowDevice, AStreamIsReadToItsEnd) {
  ArrowDeviceArrayStream stream;
  arrow::export_device_stream(table_of(0, 100, 30), device_, &stream);
  EXPECT_EQ(stream.device_type, ARROW_DEVICE_CUDA);
  const auto source =
      arrow::import_device_stream("t", &stream, [&](int64_t) -> gpu::Device& { return device_; });
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(source->estimated_rows(), 100);
  EXPECT_EQ(source->device_rows()->device(), 0);
  expect_rows(scanned(*source), 0, 100);
}

TEST_F(ArrowDevice, WhatWentOutHoldsNothingOfTheHost) {
  ArrowDeviceArrayStream stream;
  std::weak_ptr<const Column> column;
  {
    const Table table = table_of(0, 100, 30);
    column = table.batches[2].columns[3];
    arrow::export_device_stream(table, device_, &stream);
  }
  EXPECT_TRUE(column.expired());
  stream.release(&stream);
}

TEST_F(ArrowDevice, ReadsWhereItIsWhatHasMemoryBehindIt) {
  gpu::Stream stream(device_);
  gpu::DevicePool pool(device_);
  gpu::Staging staging(device_);
  DeviceArrays arrays(table_of(4, 6, 6), device_);
  const auto source = import(arrays, device_);
  const auto values = reinterpret_cast<gpu::cuda::Address>(arrays.arrays[0].array.children[4]->buffers[1]);
  const auto column = [&] {
    return source->device_rows()->column(4, 0, 6, {pool, staging, stream, nullptr});
  };
  EXPECT_EQ(column().values.address(), values);
  fake_.unmapped = 512 - 6 * 8 - kPadding;
  EXPECT_EQ(column().values.address(), values);
  fake_.unmapped++;
  EXPECT_NE(column().values.address(), values) << "kernels would read behind it";
}

TEST_F(ArrowDevice, NoBytesMayLieAnywhere) {
  static const char kHost = 0;
  DeviceArrays arrays(table_of(0, 1, 1), device_);
  arrays.arrays[0].array.children[16]->buffers[2] = &kHost;
  expect_rows(scanned(*import(arrays, device_)), 0, 1);
}

TEST_F(ArrowDevice, RefusesWhatItCannotRead) {
  const auto refused = [&](auto change) {
    DeviceArrays arrays(table_of(0, 100, 50), device_);
    change(arrays);
    const std::string message = message_of<std::exception>([&] { scanned(*import(arrays, device_)); });
    EXPECT_EQ(arrays.released(), 2) << message;
    return message;
  };
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[0].device_type = ARROW_DEVICE_ROCM; }),
              HasSubstr("memory of the type ROCm (10) is not supported"));
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[1].device_type = ARROW_DEVICE_CPU; }),
              HasSubstr("must be on one device, not on CUDA 0 and CPU 0"));
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[1].device_id = 1; }), HasSubstr("CUDA 0 and CUDA 1"));
  EXPECT_THAT(refused([](DeviceArrays& a) {
                for (auto& array : a.arrays) array.device_id = 7;
              }),
              HasSubstr("no such GPU"));
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[0].array.n_children--; }),
              HasSubstr("the array has another number of columns"));
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[0].array.children[3]->length = 10; }),
              HasSubstr("Arrow field 'c3' (format 'i'): the column is too short"));
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[0].array.children[3]->buffers[1] = nullptr; }),
              HasSubstr("Arrow field 'c3' (format 'i'): a buffer is null"));
  for (const int64_t size : {int64_t{-1}, INT64_MAX - 10, int64_t{1} << 61}) {
    EXPECT_THAT(refused([&](DeviceArrays& a) { a.arrays[0].array.children[4]->offset = size; }),
                HasSubstr("Arrow field 'c4' (format 'l'): its length or offset is not a number of rows"));
    EXPECT_THAT(refused([&](DeviceArrays& a) { a.arrays[0].array.offset = size; }),
                HasSubstr("not a number of rows"));
    EXPECT_THAT(refused([&](DeviceArrays& a) { a.arrays[1].array.length = size; }),
                HasSubstr("not a number of rows"));
  }
  static const int kHost = 0;
  EXPECT_THAT(refused([](DeviceArrays& a) { a.arrays[1].array.children[4]->buffers[1] = &kHost; }),
              HasSubstr("Arrow field 'c4' (format 'l'): buffer 1 is not in memory that CUDA knows"));
  EXPECT_THAT(
      refused([](DeviceArrays& a) { a.arrays[1].array.children[4]->offset = 1000; }),
      HasSubstr("Arrow field 'c4' (format 'l'): buffer 1 has 512 bytes up to the end of its allocation, "
                "8400 are needed"));
}

TEST_F(ArrowDevice, WaitsForTheProducer) {
  gpu::Event event(device_);
  gpu::cuda::Event handle = event.handle();
  DeviceArrays arrays(table_of(0, 10, 10), device_);
  arrays.arrays[0].sync_event = &handle;
  fake_.late_fault = 2;  // the producer's work failed: whoever waits for it gets the error
  EXPECT_THAT(message_of<std::exception>([&] { import(arrays, device_); }), HasSubstr("cuEventSynchronize"));
  fake_.late_fault = 0;
  EXPECT_EQ(arrays.released(), 1);
}

TEST_F(ArrowDevice, WhicheverCallFails) {
  const Table table = table_of(0, 100, 60);
  for (int call = 1;; ++call) {
    const long before = fake_.live;
    fake_.fail_in = call;
    fake_.fail_with = 2;  // out of memory
    std::string message = "none";
    try {
      ArrowDeviceArrayStream stream{};
      arrow::export_device_stream(table, device_, &stream);
      const auto source =
          arrow::import_device_stream("t", &stream, [&](int64_t) -> gpu::Device& { return device_; });
      expect_rows(scanned(*source), 0, 100);
    } catch (const UserError& error) {
      message = error.what();
    }
    ASSERT_EQ(fake_.live, before) << "call " << call << ": " << message;
    if (fake_.fail_in > 0) break;  // there are no further calls
    ASSERT_LT(call, 10'000);
  }
  fake_.fail_in = 0;
}

TEST(ArrowBorderKernels, CompileForEachGpu) {
  if (kSanitized || !gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  for (const char* architecture : {"sm_80", "sm_90"}) {
    const gpu::KernelSource source{.name = "arrow.cu", .text = std::string(arrow::border_kernels())};
    EXPECT_FALSE(gpu::Compiler::system().compile(source, architecture).empty());
  }
}

}  // namespace
}  // namespace lanewise
