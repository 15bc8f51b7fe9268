#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/library.h"

/// The part of OpenCL 1.2's C interface that we use, declared here. The names in comments are
/// OpenCL's.
namespace lanewise::gpu::opencl {

using Result = int32_t;  // cl_int
using Platform = struct PlatformObject*;
using DeviceId = struct DeviceIdObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kAllocationFailure = -4;  // CL_MEM_OBJECT_ALLOCATION_FAILURE
inline constexpr Result kOutOfResources = -5;
inline constexpr Result kOutOfHostMemory = -6;
inline constexpr Result kInvalidBufferSize = -61;

inline constexpr uint64_t kGpus = 1 << 2;            // CL_DEVICE_TYPE_GPU
inline constexpr uint64_t kAllDevices = 0xFFFFFFFF;  // CL_DEVICE_TYPE_ALL
inline constexpr uint64_t kReadWrite = 1;            // CL_MEM_READ_WRITE
inline constexpr uint32_t kBuildLog = 0x1183;        // CL_PROGRAM_BUILD_LOG
inline constexpr uint32_t kBlocking = 1;             // CL_TRUE

/// CL_DEVICE_*
enum DeviceInfo : uint32_t { kLargestBuffer = 0x1010, kName = 0x102B, kExtensions = 0x1030 };

/// A function of the library: its symbol, and its address.
template <class R, class... Parameters>
struct Call {
  Call(const Library& library, const char* name)
      : symbol(name), function(library.find<R(Parameters...)>(name)) {}
  const char* symbol;
  R (*function)(Parameters...);
};

struct Calls {
  /// Throws DeviceError that names the function missing in `from`.
  explicit Calls(const Library& from) : library(from) {}
  const Library& library;

  using Size = size_t;
  using Notify = void*;  // no call-backs

  Call<Result, uint32_t, Platform*, uint32_t*> platforms{library, "clGetPlatformIDs"};
  Call<Result, Platform, uint64_t, uint32_t, DeviceId*, uint32_t*> devices{library, "clGetDeviceIDs"};
  Call<Result, DeviceId, uint32_t, Size, void*, Size*> device_info{library, "clGetDeviceInfo"};
  Call<Context, const intptr_t*, uint32_t, const DeviceId*, Notify, void*, Result*> create_context{
      library, "clCreateContext"};
  Call<Queue, Context, DeviceId, uint64_t, Result*> create_queue{library, "clCreateCommandQueue"};
  Call<Memory, Context, uint64_t, Size, void*, Result*> create_buffer{library, "clCreateBuffer"};
  Call<Result, Memory> release_memory{library, "clReleaseMemObject"};
  Call<Program, Context, uint32_t, const char**, const Size*, Result*> create_program{
      library, "clCreateProgramWithSource"};
  Call<Result, Program, uint32_t, const DeviceId*, const char*, Notify, void*> build_program{
      library, "clBuildProgram"};
  Call<Result, Program, DeviceId, uint32_t, Size, void*, Size*> build_info{library, "clGetProgramBuildInfo"};
  Call<Result, Program> release_program{library, "clReleaseProgram"};
  Call<Kernel, Program, const char*, Result*> create_kernel{library, "clCreateKernel"};
  Call<Result, Kernel> release_kernel{library, "clReleaseKernel"};
  Call<Result, Kernel, uint32_t, Size, const void*> set_argument{library, "clSetKernelArg"};
  Call<Result, Queue, Kernel, uint32_t, const Size*, const Size*, const Size*, uint32_t, const void*, void*>
      launch{library, "clEnqueueNDRangeKernel"};
  Call<Result, Queue, Memory, uint32_t, Size, Size, void*, uint32_t, const void*, void*> read{
      library, "clEnqueueReadBuffer"};
  Call<Result, Queue, Memory, uint32_t, Size, Size, const void*, uint32_t, const void*, void*> write{
      library, "clEnqueueWriteBuffer"};
  Call<Result, Queue, Memory, const void*, Size, Size, Size, uint32_t, const void*, void*> fill{
      library, "clEnqueueFillBuffer"};
  Call<Result, Queue> finish{library, "clFinish"};
};

}  // namespace lanewise::gpu::opencl
