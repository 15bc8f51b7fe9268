#include "data/arrow/arrow_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/testing/message_of.h"
#include "base/testing/test_size.h"
#include "data/arrow/arrow_device_column.h"
#include "data/gpu/device_rows.h"
#include "data/testing/imported_arrays.h"
#include "gpu/error.h"
#include "gpu/testing/failing_cuda.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/gpu.h"

namespace lanewise {
namespace {

using testing::HasSubstr;
using namespace testing_arrow;  // NOLINT: the tests' helpers

/// Arrays made on the device, real or emulated.
class ArrowDeviceOnGpu : public gpu::GpuTest {
 protected:
  ArrowDeviceOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}
  void SetUp() override {
    GpuTest::SetUp();
    if (gpu_ != nullptr) staging_.emplace(*gpu_);
  }
  DeviceUpload upload() { return {*pool_, *staging_, *stream_, nullptr}; }

  Buffer fetched(const gpu::DeviceBuffer& from) {
    Buffer buffer = Buffer::allocate(from.size() + 64, nullptr, "a test");
    if (from.size() != 0) staging_->download(buffer.mutable_data(), from.address(), from.size(), *stream_);
    return buffer;
  }
  Column host_of(const DeviceColumn& from) {
    Column column;
    column.type = from.type;
    column.rows = from.rows;
    if (from.validity) column.validity = fetched(from.validity);
    column.values = fetched(from.values);
    if (from.offsets) column.offsets = fetched(from.offsets);
    column.wide_offsets = from.wide_offsets;
    return column;
  }
  /// Rows [first, first + rows) of the source have the values of rows [at, at + rows) of the table.
  void expect_columns(const Source& source, int64_t first, int64_t rows, int64_t at) {
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      const DeviceRows& there = *source.device_rows();
      ASSERT_EQ(there.has(i), kTypes[i].id != TypeId::kInterval);
      if (!there.has(i)) continue;
      const DeviceColumn made = there.column(i, first, rows, upload());
      const Column column = host_of(made);
      ASSERT_EQ(column.rows, rows);
      uint64_t longest = 0;
      for (int64_t row = 0; row < rows; ++row) {
        ASSERT_EQ(column.value(row).to_string(), text_of(kTypes[i], at + row))
            << kTypes[i].name() << " row " << row << " of " << rows << " from " << first;
        if (column.type.is_string()) longest = std::max(longest, column.offset(row + 1) - column.offset(row));
      }
      ASSERT_EQ(made.longest, longest);
      if (column.type.is_string()) {
        ASSERT_EQ(column.offset(0), 0);
      }
    }
  }

  std::optional<gpu::Staging> staging_;
};

TEST_F(ArrowDeviceOnGpu, AllTypesOfAllSizes) {
  for (const int64_t rows : {1, 31, 32, 33, 63, 64, 65, 5000}) {
    DeviceArrays whole(table_of(0, rows, rows), *gpu_), parts(table_of(0, rows, 37), *gpu_);
    expect_columns(*import(whole, *gpu_), 0, rows, 0);
    const auto source = import(parts, *gpu_);
    expect_columns(*source, 0, rows, 0);
    if (rows > 64) expect_columns(*source, 64, rows - 64, 64);
    expect_columns(*source, 0, 0, 0);
  }
}

TEST_F(ArrowDeviceOnGpu, NullsInLaterArraysAlone) {
  DeviceArrays arrays(table_of(4, 60, 6), *gpu_);
  ASSERT_EQ(arrays.arrays[0].array.children[3]->buffers[0], nullptr);
  expect_columns(*import(arrays, *gpu_), 0, 60, 4);
}

TEST_F(ArrowDeviceOnGpu, Slices) {
  for (const int64_t by_columns : {0, 1, 29, 32, 64}) {
    DeviceArrays arrays(table_of(0, 500, 400), *gpu_), only(table_of(0, 500, 500), *gpu_);
    arrays.slice(3, by_columns, 10);
    only.slice(0, by_columns, 10);
    const auto source = import(arrays, *gpu_);
    expect_columns(*source, 0, 387 - by_columns, 3 + by_columns);
    expect_columns(*source, 387 - by_columns, 100, 400);
    expect_columns(*import(only, *gpu_), 0, 490 - by_columns, by_columns);
  }
}

TEST_F(ArrowDeviceOnGpu, NothingDependsOnWhatIsNoRowsValue) {
  for (const int byte : {0x00, 0x5a, 0xff}) {
    for (const int64_t rows : {1, 33, 500}) {
      DeviceArrays whole(table_of(0, rows, rows), *gpu_), parts(table_of(0, rows, 37), *gpu_);
      whole.spoil(static_cast<unsigned char>(byte), *gpu_);
      parts.spoil(static_cast<unsigned char>(byte), *gpu_);
      expect_columns(*import(whole, *gpu_), 0, rows, 0);
      expect_columns(*import(parts, *gpu_), 0, rows, 0);
    }
    for (const int64_t by_columns : {0, 1, 32}) {
      DeviceArrays slice(table_of(0, 500, 500), *gpu_);
      slice.slice(32, by_columns, 10);
      slice.spoil(static_cast<unsigned char>(byte), *gpu_);
      expect_columns(*import(slice, *gpu_), 0, 458 - by_columns, 32 + by_columns);
    }
  }
}

TEST_F(ArrowDeviceOnGpu, WhatGoesOutHasZerosBehindIt) {
  DeviceArrays arrays(table_of(0, 33, 33), *gpu_);
  const auto behind = [&](size_t column, int buffer, size_t bytes) {
    std::vector<uint8_t> found(kPadding, 1);
    const auto address =
        reinterpret_cast<gpu::cuda::Address>(arrays.arrays[0].array.children[column]->buffers[buffer]);
    stream_->copy_to_host(found.data(), address + bytes, kPadding);
    stream_->synchronize();
    return found;
  };
  const std::vector<uint8_t> zeros(kPadding);
  EXPECT_EQ(behind(3, 0, 5), zeros);
  EXPECT_EQ(behind(3, 1, 33 * sizeof(int32_t)), zeros);
  EXPECT_EQ(behind(16, 1, 34 * sizeof(uint32_t)), zeros);
}

TEST_F(ArrowDeviceOnGpu, ReadsWhereItIsWhatIsLaidOutAsOurs) {
  DeviceArrays arrays(table_of(0, 1000, 1000), *gpu_);
  const auto address = [&](size_t column, int buffer) {
    return reinterpret_cast<gpu::cuda::Address>(arrays.arrays[0].array.children[column]->buffers[buffer]);
  };
  std::vector<gpu::cuda::Address> validity, values, offsets;
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    validity.push_back(address(i, 0));
    values.push_back(address(i, kTypes[i].is_string() ? 2 : 1));
    offsets.push_back(address(i, 1));
  }
  auto source = import(arrays, *gpu_);
  {
    std::vector<DeviceColumn> kept;
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      if (!source->device_rows()->has(i)) continue;
      const DeviceColumn& column = kept.emplace_back(source->device_rows()->column(i, 0, 1000, upload()));
      const bool converted = kTypes[i].id == TypeId::kBool || kTypes[i] == Type::decimal(9, 2);
      EXPECT_EQ(column.validity.address(), validity[i]);
      EXPECT_EQ(column.values.address() == values[i], !converted) << kTypes[i].name();
      if (kTypes[i].is_string()) {
        EXPECT_EQ(column.offsets.address(), offsets[i]);
      }
      EXPECT_EQ(column.own_bytes() == 0, !converted);
      EXPECT_NE(column.bytes(), 0);
      EXPECT_EQ(source->device_rows()->converted_bytes(i) == 0, !converted);
    }
    source.reset();
    EXPECT_EQ(arrays.released(), 0) << "columns read them";
  }
  EXPECT_EQ(arrays.released(), 1);
}

TEST_F(ArrowDeviceOnGpu, CopiesWhereNothingMayBeReadBehind) {
  const gpu::DeviceBuffer all = pool_->allocate(512 - kPadding, *stream_, "a test");  // takes 512
  if (gpu::find_allocation(*gpu_, all.address()).bytes != 512) GTEST_SKIP() << "the driver says otherwise";
  std::vector<int32_t> numbers(128);
  for (int32_t i = 0; i < 128; ++i) numbers[i] = i * 3;
  stream_->copy_to_device(all.address(), numbers.data(), 512);
  stream_->synchronize();
  DeviceArrays arrays(table_of(0, 128, 128), *gpu_);
  ArrowArray& array = *arrays.arrays[0].array.children[3];
  array.buffers[1] = reinterpret_cast<const void*>(all.address());
  array.null_count = 0;
  const auto source = import(arrays, *gpu_);
  const DeviceColumn column = source->device_rows()->column(3, 0, 128, upload());
  EXPECT_NE(column.values.address(), all.address());
  EXPECT_FALSE(column.validity) << "there is no NULL, as its array says";
  EXPECT_EQ(host_of(column).value(127).to_string(), "381");
  const DeviceColumn begin = source->device_rows()->column(3, 0, 96, upload());
  EXPECT_EQ(begin.values.address(), all.address());
}

/// A column of one array: `format`, with these values consecutive in its second buffer.
template <class T>
DeviceColumn column_of(const char* format, const std::vector<T>& values, const gpu::DeviceBuffer& buffer,
                       const gpu::DeviceBuffer& bytes, int64_t rows, gpu::Device& gpu,
                       const DeviceUpload& upload) {
  upload.stream.copy_to_device(buffer.address(), values.data(), values.size() * sizeof(T));
  upload.stream.synchronize();
  ArrowSchema field{}, schema{};
  ArrowSchema* fields[] = {&field};
  field.format = format;
  field.name = "x";
  schema.format = "+s";
  schema.n_children = 1;
  schema.children = fields;
  const void* buffers[] = {nullptr, reinterpret_cast<const void*>(buffer.address()),
                           reinterpret_cast<const void*>(bytes.address())};
  const void* none[] = {nullptr};
  ArrowArray column{};
  ArrowArray* columns[] = {&column};
  column.length = rows;
  column.n_buffers = 3;
  column.buffers = buffers;
  ArrowDeviceArray array{};
  array.device_type = ARROW_DEVICE_CUDA_MANAGED;
  array.array.length = rows;
  array.array.n_buffers = 1;
  array.array.buffers = none;
  array.array.n_children = 1;
  array.array.children = columns;
  array.array.release = [](ArrowArray* released) { released->release = nullptr; };
  const auto source =
      arrow::import_device_arrays("t", &schema, {&array, 1}, [&](int64_t) -> gpu::Device& { return gpu; });
  return source->device_rows()->column(0, 0, rows, upload);
}

TEST_F(ArrowDeviceOnGpu, DecimalsOfEachWidth) {
  const gpu::DeviceBuffer buffer = pool_->allocate(4096, *stream_, "a test");
  const auto made = [&](const char* format, auto values) {
    return host_of(
        column_of(format, values, buffer, {}, static_cast<int64_t>(values.size()), *gpu_, upload()));
  };
  const Column narrow = made("d:9,2,32", std::vector<int32_t>{-123, 45600});
  EXPECT_EQ(narrow.value(0).to_string(), "-1.23");
  EXPECT_EQ(narrow.value(1).to_string(), "456.00");
  EXPECT_EQ(made("d:15,2,64", std::vector<int64_t>{-123}).value(0).to_string(), "-1.23");
  EXPECT_EQ(made("d:30,2,64", std::vector<int64_t>{-123}).value(0).to_string(), "-1.23");
  EXPECT_EQ(made("d:15,2", std::vector<int128_t>{-123}).value(0).to_string(), "-1.23");
  EXPECT_EQ(made("d:30,2", std::vector<int128_t>{-123}).value(0).to_string(), "-1.23");
  EXPECT_THAT(message_of<std::exception>([&] { made("d:15,2", std::vector<int128_t>{int128_t{1} << 70}); }),
              HasSubstr("Arrow field 'x' (format 'd:15,2'): a value has more digits than its type"));
  EXPECT_THAT(message_of<std::exception>([&] { made("d:15,2", std::vector<int128_t>{int128_t{1} << 63}); }),
              HasSubstr("more digits"));
}

TEST_F(ArrowDeviceOnGpu, TimesOfEachUnit) {
  const gpu::DeviceBuffer buffer = pool_->allocate(4096, *stream_, "a test");
  const auto made = [&](const char* format, auto values) {
    return host_of(
        column_of(format, values, buffer, {}, static_cast<int64_t>(values.size()), *gpu_, upload()));
  };
  EXPECT_EQ(made("tts", std::vector<int32_t>{0, 3661}).value(1).to_string(), "01:01:01");
  EXPECT_EQ(made("ttm", std::vector<int32_t>{3661500}).value(0).to_string(), "01:01:01.5");
  EXPECT_EQ(made("tss:UTC", std::vector<int64_t>{-1}).value(0).to_string(), "1969-12-31 23:59:59+00");
  EXPECT_EQ(made("tsu:UTC", std::vector<int64_t>{-1}).value(0).to_string(), "1969-12-31 23:59:59.999999+00");
  EXPECT_THAT(message_of<std::exception>([&] { made("tss:UTC", std::vector<int64_t>{INT64_MAX / 1000}); }),
              HasSubstr("Arrow field 'x' (format 'tss:UTC'): a value does not fit"));
}

TEST_F(ArrowDeviceOnGpu, TextsOfBothWidths) {
  const gpu::DeviceBuffer buffer = pool_->allocate(4096, *stream_, "a test"),
                          bytes = pool_->allocate(4096, *stream_, "a test");
  stream_->copy_to_device(bytes.address(), "abcdef", 6);
  const auto made = [&](const char* format, auto offsets) {
    const auto rows = static_cast<int64_t>(offsets.size()) - 1;
    return host_of(column_of(format, offsets, buffer, bytes, rows, *gpu_, upload()));
  };
  for (const char* format : {"u", "z"}) {
    EXPECT_EQ(made(format, std::vector<uint32_t>{0, 2, 2, 6}).value(2).text(), "cdef");
    EXPECT_EQ(made(format, std::vector<uint32_t>{1, 2, 4}).value(1).text(), "cd");
  }
  for (const char* format : {"U", "Z"}) {
    EXPECT_EQ(made(format, std::vector<uint64_t>{0, 2, 2, 6}).value(2).text(), "cdef");
    EXPECT_EQ(made(format, std::vector<uint64_t>{1, 2, 4}).value(1).text(), "cd");
  }
  EXPECT_THAT(message_of<std::exception>([&] { made("u", std::vector<uint32_t>{0, 5, 2, 6}); }),
              HasSubstr("Arrow field 'x' (format 'u'): string offsets must not fall"));
  EXPECT_THAT(message_of<std::exception>([&] { made("u", std::vector<uint32_t>{4, 3}); }),
              HasSubstr("must not fall"));
  EXPECT_THAT(message_of<std::exception>([&] { made("U", std::vector<uint64_t>{0, 1 << 30}); }),
              HasSubstr("up to the end of its allocation, 1073741824 are needed"));
}

TEST_F(ArrowDeviceOnGpu, WhicheverCallFailsAllIsReleased) {
  const std::string failing = gpu::fake_library("failing");
  gpu::Library library({failing}, "it");
  FailingCuda* const control = library.find<FailingCuda*(const char*)>("failing_cuda")("libcuda.so.1");
  ASSERT_NE(control, nullptr);
  gpu::Driver driver(failing);
  gpu::Device& gpu = driver.device(0);
  gpu::Stream stream(gpu);
  gpu::DevicePool pool(gpu);
  gpu::Staging staging(gpu, {.chunk = 4096, .threads = 1});
  const Table table = table_of(0, 100, 60);
  for (int call = 1;; call += 4) {
    DeviceArrays arrays(table, gpu);
    std::string message = "none";
    control->fail_in = call;
    control->fail_with = 2;  // out of memory
    try {
      const auto source = import(arrays, gpu);
      for (size_t i = 0; i < std::size(kTypes); ++i) {
        if (source->device_rows()->has(i))
          source->device_rows()->column(i, 0, 100, {pool, staging, stream, nullptr});
      }
      expect_rows(scanned(*source), 0, 100);
    } catch (const std::exception& error) {
      message = error.what();
    }
    ASSERT_EQ(arrays.released(), 2) << "call " << call << ": " << message;
    ASSERT_EQ(pool.budget().used(), 0) << "call " << call << ": " << message;
    if (control->fail_in > 0) {
      EXPECT_EQ(message, "none");
      break;
    }
    ASSERT_LT(call, 10'000);
  }
  control->fail_in = 0;
}

}  // namespace
}  // namespace lanewise
