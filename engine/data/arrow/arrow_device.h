#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/memory.h"
#include "data/arrow/arrow.h"
#include "data/source.h"
#include "gpu/device.h"

// The structures of the Arrow C device data interface; their layout is fixed by
// https://arrow.apache.org/docs/format/CDeviceDataInterface.html.
#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE
typedef int32_t ArrowDeviceType;
#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16
extern "C" {
struct ArrowDeviceArray {
  ArrowArray array;
  int64_t device_id;
  ArrowDeviceType device_type;
  void* sync_event;
  int64_t reserved[3];
};
}
#endif
#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE
extern "C" {
struct ArrowDeviceArrayStream {
  ArrowDeviceType device_type;
  int (*get_schema)(ArrowDeviceArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowDeviceArrayStream*, ArrowDeviceArray* out);
  const char* (*get_last_error)(ArrowDeviceArrayStream*);
  void (*release)(ArrowDeviceArrayStream*);
  void* private_data;
};
}
#endif

namespace lanewise::arrow {

/// Opens a GPU by its ordinal; called if arrays need one.
using OpenDevice = std::function<gpu::Device&(int64_t ordinal)>;

/// A source of the rows of struct arrays of one schema, one array after the other. Takes the schema and the
/// arrays, and waits for their events. On failure they are released at once, otherwise with the last user of
/// the source. Arrays of the types CPU and CUDA_HOST are imported as import_array() does. Those of CUDA and
/// CUDA_MANAGED stay where they are: queries on that GPU read them there (DeviceRows), others a copy. Throws
/// UserError that names the field or the device: errors of import_array(), arrays of another device or of
/// several, buffers outside the device or too short. Throws DeviceError.
std::shared_ptr<const Source> import_device_arrays(std::string name, ArrowSchema* schema,
                                                   std::span<ArrowDeviceArray> arrays, const OpenDevice& open,
                                                   MemoryBudget* budget = nullptr);

/// The same for a stream's arrays, which it reads to the end; the stream is always released.
std::shared_ptr<const Source> import_device_stream(std::string name, ArrowDeviceArrayStream* stream,
                                                   const OpenDevice& open, MemoryBudget* budget = nullptr);

/// Exports a copy of the arrays of `rows`, which it takes, in device memory to `out`, with kPadding zeros
/// after each buffer. The copy is complete when it returns, so arrays have no event. Their memory is a pool
/// that lives until the last array is released. `make_room` frees that many bytes of caches. Throws
/// MemoryError, and UserError for an error of the stream or an unsupported type.
void export_device_stream(ArrowArrayStream* rows, gpu::Device& device, ArrowDeviceArrayStream* out,
                          std::function<size_t(size_t bytes)> make_room = {}, MemoryBudget* budget = nullptr);

/// The same for `table`: an array per batch, in the layout of export_stream().
void export_device_stream(const Table& table, gpu::Device& device, ArrowDeviceArrayStream* out,
                          std::function<size_t(size_t bytes)> make_room = {}, MemoryBudget* budget = nullptr);

}  // namespace lanewise::arrow
