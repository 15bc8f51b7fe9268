#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/memory.h"
#include "data/arrow.h"
#include "data/source.h"
#include "device/device.h"

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

/// Opens a GPU by its ordinal; called where arrays need one.
using OpenDevice = std::function<device::Device&(int64_t ordinal)>;

/// A source of the rows of struct arrays of one schema, one behind the other. Takes the schema and the arrays
/// (released in any case, on success when the source and all that reads it are gone), and waits for their
/// events. Arrays of the types CPU and CUDA_HOST are imported as import_array() does. Those of CUDA and
/// CUDA_MANAGED stay where they are: queries on that GPU read them there (DeviceRows), others a copy.
/// Throws UserError that names the field or the device: what import_array() refuses, arrays of another device
/// or of several, buffers that are not the device's or are too short; DeviceError.
std::shared_ptr<const Source> import_device_arrays(std::string name, ArrowSchema* schema,
                                                   std::span<ArrowDeviceArray> arrays, const OpenDevice& open,
                                                   MemoryBudget* budget = nullptr);

/// The same of a stream's arrays, which it reads to the end; the stream is released in any case.
std::shared_ptr<const Source> import_device_stream(std::string name, ArrowDeviceArrayStream* stream,
                                                   const OpenDevice& open, MemoryBudget* budget = nullptr);

/// Hands a copy of `table` in the device's memory to `out`, as a stream of struct arrays, one per batch, laid
/// out as by export_stream(), with kPadding zeros behind each buffer. All is copied before it returns, so
/// arrays have no event to wait for; their memory, a pool of its own, lives until the last of them is
/// released. `make_room` lets caches go of that many bytes. Throws MemoryError; UserError for values that
/// Arrow's types do not hold.
void export_device_stream(const Table& table, device::Device& device, ArrowDeviceArrayStream* out,
                          std::function<size_t(size_t bytes)> make_room = {}, MemoryBudget* budget = nullptr);

}  // namespace lanewise::arrow
