#pragma once

#include <cstddef>

#include "gpu/library.h"

/// The part of the CUDA driver's C interface that we use, declared here: its handles, constants and
/// functions, which are looked up by name when the driver is opened. The names in comments are CUDA's.
namespace lanewise::gpu::cuda {

using Result = int;                  // CUresult
using DeviceHandle = int;            // CUdevice
using Address = unsigned long long;  // CUdeviceptr
using Context = struct ContextObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Graph = struct GraphObject*;
using GraphExec = struct GraphExecObject*;
using MemoryPool = struct MemoryPoolObject*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotReady = 600;

/// CU_DEVICE_ATTRIBUTE_*
enum Attribute : int {
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kMajor = 75,
  kMinor = 76,
  kSharedPerMultiprocessor = 81,
  kCooperativeLaunch = 95,
  kSharedPerBlock = 97,  // with opt-in
  kMemoryPools = 115,
};

/// CU_FUNC_ATTRIBUTE_*
enum FunctionAttribute : int { kStaticShared = 1, kLocalBytes = 3, kRegisters = 4, kDynamicSharedLimit = 8 };

/// CU_POINTER_ATTRIBUTE_*
enum PointerAttribute : int {
  kMemoryType = 2,
  kPointerDevice = 9,
  kRangeBegin = 11,
  kRangeBytes = 12,
  kMapped = 13
};

/// CU_MEMORYTYPE_*; 0: the address is not CUDA's
enum MemoryType : unsigned { kHostMemory = 1, kDeviceMemory = 2 };

/// CU_MEMPOOL_ATTR_*
enum PoolAttribute : int { kReleaseThreshold = 4, kReservedBytes = 5 };

inline constexpr unsigned kNonBlockingStream = 1;  // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kUntimedEvent = 2;       // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned kPortable = 1;           // CU_MEMHOSTALLOC_PORTABLE
inline constexpr int kCaptureThisThread = 1;       // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

/// CUmemPoolProps. Later versions name some of its last 64 bytes; zero keeps the earlier meaning.
struct PoolProperties {
  int allocation = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handles = 0;     // CU_MEM_HANDLE_TYPE_NONE
  struct {
    int type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;    // the device's ordinal
  } location;
  void* security = nullptr;
  unsigned char reserved[64] = {};
};
static_assert(sizeof(PoolProperties) == 88);

inline constexpr int kFetchGranularity = 5;  ///< CUlimit: bytes fetched by one read from memory

/// A function of the driver: its symbol in the library, and its address.
template <class... Parameters>
struct Call {
  Call(const Library& library, const char* name)
      : symbol(name), function(library.find<Result(Parameters...)>(name)) {}
  const char* symbol;
  Result (*function)(Parameters...);
};

/// To add a call: one line, with the symbol that cuda.h's macros give it (`_v2` if there is one).
struct Calls {
  /// Throws DeviceError that names the function missing in `from`.
  explicit Calls(const Library& from) : library(from) {}
  const Library& library;

  Call<Result, const char**> get_error_name{library, "cuGetErrorName"};
  Call<int*> device_get_count{library, "cuDeviceGetCount"};
  Call<DeviceHandle*, int> device_get{library, "cuDeviceGet"};
  Call<char*, int, DeviceHandle> device_get_name{library, "cuDeviceGetName"};
  Call<size_t*, DeviceHandle> device_total_memory{library, "cuDeviceTotalMem_v2"};
  Call<int*, int, DeviceHandle> device_get_attribute{library, "cuDeviceGetAttribute"};

  Call<Context*, DeviceHandle> primary_context_retain{library, "cuDevicePrimaryCtxRetain"};
  Call<DeviceHandle> primary_context_release{library, "cuDevicePrimaryCtxRelease_v2"};
  Call<Context*> context_get_current{library, "cuCtxGetCurrent"};
  Call<Context> context_push{library, "cuCtxPushCurrent_v2"};
  Call<Context*> context_pop{library, "cuCtxPopCurrent_v2"};
  Call<> context_synchronize{library, "cuCtxSynchronize"};
  Call<size_t*, int> context_get_limit{library, "cuCtxGetLimit"};
  Call<int, size_t> context_set_limit{library, "cuCtxSetLimit"};

  Call<size_t*, size_t*> memory_info{library, "cuMemGetInfo_v2"};
  Call<unsigned, const int*, void**, Address> pointer_get_attributes{library, "cuPointerGetAttributes"};
  Call<MemoryPool*, const PoolProperties*> pool_create{library, "cuMemPoolCreate"};
  Call<MemoryPool> pool_destroy{library, "cuMemPoolDestroy"};
  Call<MemoryPool, int, void*> pool_set_attribute{library, "cuMemPoolSetAttribute"};
  Call<MemoryPool, int, void*> pool_get_attribute{library, "cuMemPoolGetAttribute"};
  Call<MemoryPool, size_t> pool_trim{library, "cuMemPoolTrimTo"};
  Call<Address*, size_t, MemoryPool, Stream> memory_allocate{library, "cuMemAllocFromPoolAsync"};
  Call<Address, Stream> memory_free{library, "cuMemFreeAsync"};
  Call<void**, size_t, unsigned> host_allocate{library, "cuMemHostAlloc"};
  Call<void*> host_free{library, "cuMemFreeHost"};
  Call<Address, const void*, size_t, Stream> copy_to_device{library, "cuMemcpyHtoDAsync_v2"};
  Call<void*, Address, size_t, Stream> copy_to_host{library, "cuMemcpyDtoHAsync_v2"};
  Call<Address, Address, size_t, Stream> copy_on_device{library, "cuMemcpyDtoDAsync_v2"};
  Call<Address, unsigned char, size_t, Stream> fill{library, "cuMemsetD8Async"};

  Call<Stream*, unsigned> stream_create{library, "cuStreamCreate"};
  Call<Stream> stream_destroy{library, "cuStreamDestroy_v2"};
  Call<Stream> stream_synchronize{library, "cuStreamSynchronize"};
  Call<Stream> stream_query{library, "cuStreamQuery"};
  Call<Stream, Event, unsigned> stream_wait_event{library, "cuStreamWaitEvent"};
  Call<Event*, unsigned> event_create{library, "cuEventCreate"};
  Call<Event> event_destroy{library, "cuEventDestroy_v2"};
  Call<Event, Stream> event_record{library, "cuEventRecord"};
  Call<Event> event_synchronize{library, "cuEventSynchronize"};
  Call<float*, Event, Event> event_elapsed_time{library, "cuEventElapsedTime"};

  Call<Module*, const void*> module_load{library, "cuModuleLoadData"};
  Call<Module> module_unload{library, "cuModuleUnload"};
  Call<Function*, Module, const char*> module_get_function{library, "cuModuleGetFunction"};
  Call<int*, int, Function> function_get_attribute{library, "cuFuncGetAttribute"};
  Call<Function, int, int> function_set_attribute{library, "cuFuncSetAttribute"};
  Call<int*, Function, int, size_t> occupancy{library, "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  Call<Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**>
      launch{library, "cuLaunchKernel"};
  Call<Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**>
      launch_cooperative{library, "cuLaunchCooperativeKernel"};

  Call<Stream, int> capture_begin{library, "cuStreamBeginCapture_v2"};
  Call<Stream, Graph*> capture_end{library, "cuStreamEndCapture"};
  Call<GraphExec*, Graph, unsigned long long> graph_instantiate{library, "cuGraphInstantiateWithFlags"};
  Call<Graph> graph_destroy{library, "cuGraphDestroy"};
  Call<GraphExec, Stream> graph_launch{library, "cuGraphLaunch"};
  Call<GraphExec> graph_exec_destroy{library, "cuGraphExecDestroy"};
};

}  // namespace lanewise::gpu::cuda
