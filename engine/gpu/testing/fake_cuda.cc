// A substitute for libcuda.so.1: devices whose memory is host memory, whose work is done as soon as it is
// requested, and which fail when a test requests it. Its only kernel is `add_one(unsigned char* bytes,
// unsigned long long count)`.
//
// With FAKE_WITH_EMULATOR it runs any kernel: emulator/driver.cc.
//
// Environment: FAKE_CUDA_VERSION (13000), FAKE_CUDA_DEVICES (1), FAKE_CUDA_FULL (contexts find no memory),
// FAKE_CUDA_COUNTS (a file that lists at the end what was counted), FAKE_CUDA_SOURCES (ends the program where
// what is copied to a device changes before the host waited: a real driver may read it until then).

#include "gpu/testing/fake_cuda.h"

#ifdef FAKE_WITH_EMULATOR
#include "gpu/testing/emulator/driver.h"
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

FakeCuda control;
std::mutex mutex;
// What a lost device leaves stays reachable here until the process ends, so that it is not reported as a
// leak.
std::map<unsigned long long, size_t>& allocations = *new std::map<unsigned long long, size_t>();
std::set<void*>& objects = *new std::set<void*>();
thread_local void* current = nullptr;

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

/// What copies to a device read, as far as it is kept.
struct Source {
  const char* at;
  std::string bytes;
};
std::vector<Source>& sources = *new std::vector<Source>();
const bool keeps_sources = std::getenv("FAKE_CUDA_SOURCES") != nullptr;

void keep_source(const void* from, size_t bytes) {
  constexpr size_t kMost = size_t{64} << 10;
  const auto* const at = static_cast<const char*>(from);
  const std::lock_guard lock(mutex);
  if (keeps_sources) sources.push_back({at, {at, std::min(bytes, kMost)}});
}

/// Called with the lock held when the host waits.
void check_sources() {
  for (const Source& source : sources) {
    if (std::memcmp(source.at, source.bytes.data(), source.bytes.size()) == 0) continue;
    std::fputs("what is copied to a device changed before somebody waited for it\n", stderr);
    std::abort();
  }
  sources.clear();
}

/// Does a call fail now? Its result, or 0.
int failure(bool waits = false) {
  const std::lock_guard lock(mutex);
  control.calls++;
  control.waits += waits;
  if (waits) check_sources();
  if (control.stuck) return control.stuck;
  int result = 0;
  if (control.fail_in > 0 && --control.fail_in == 0) result = control.fail_with;
  if (waits && control.late_fault) result = control.late_fault;
  if (result >= 700 && result < 720) control.stuck = result;
  return result;
}

void add(void* object) {
  const std::lock_guard lock(mutex);
  objects.insert(object);
  control.live++;
}

void remove(void* object) {
  const std::lock_guard lock(mutex);
  objects.erase(object);
  control.live--;
}

template <class T>
int make(T** made) {
  if (const int result = failure()) return result;
  *made = new T();
  add(*made);
  return 0;
}

template <class T>
int end(T* made) {
  remove(made);
  delete made;
  return 0;
}

}  // namespace

#ifdef FAKE_WITH_EMULATOR
constexpr const char* kName = "Emulated GPU";
int fake_failure() { return failure(); }
#else
namespace {
constexpr const char* kName = "Fake";
void* fake_allocate(size_t bytes) { return std::malloc(bytes); }
void fake_release(void* memory, size_t /*bytes*/) { std::free(memory); }
bool fake_records(const std::function<void()>& /*work*/) { return false; }
}  // namespace
#endif

struct Object {
  int value = 0;
};
struct Moment {
  std::chrono::steady_clock::time_point at;
};

extern "C" {

FakeCuda* fake_cuda() { return &control; }

__attribute__((destructor)) static void tell_counts() {
  const char* path = std::getenv("FAKE_CUDA_COUNTS");
  std::FILE* file = path ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%ld calls, %ld waits, %ld copies, %zu bytes to the host\n", control.calls,
               control.waits, control.copies, control.to_host);
  std::fclose(file);
}

int cuDriverGetVersion(int* version) { return *version = number("FAKE_CUDA_VERSION", 13000), 0; }
int cuInit(unsigned) { return number("FAKE_CUDA_DEVICES", 1) == 0 ? 100 : 0; }
int cuGetErrorName(int error, const char** name) {
  static thread_local std::string text;
  text = "FAKE_ERROR_" + std::to_string(error);
  *name = text.c_str();
  return 0;
}
int cuGetExportTable(const void**, const void*) { return 801; }  // NVRTC looks it up
int cuDeviceGetCount(int* count) { return *count = number("FAKE_CUDA_DEVICES", 1), 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int size, int) {
  return std::strncpy(name, kName, static_cast<size_t>(size)), 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = control.memory, 0; }
int cuDeviceGetAttribute(int* value, int which, int) {
  static const std::map<int, int> values = {{16, 4},    {36, 1000000},   {37, 1024}, {38, 1 << 20},
                                            {39, 2048}, {75, 9},         {76, 0},    {81, 228 << 10},
                                            {95, 1},    {97, 227 << 10}, {115, 1}};
  const auto found = values.find(which);
  return *value = found == values.end() ? 0 : found->second, 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  if (std::getenv("FAKE_CUDA_FULL")) return 2;
  if (const int result = failure()) return result;
  *context = &control;
  add(&control);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return remove(&control), 0; }
int cuCtxGetCurrent(void** context) { return *context = current, 0; }
int cuCtxPushCurrent_v2(void* context) { return current = context, 0; }
int cuCtxPopCurrent_v2(void** context) { return *context = current, current = nullptr, 0; }
int cuCtxGetLimit(size_t* value, int) { return *value = control.fetched, 0; }
int cuCtxSetLimit(int, size_t value) { return control.fetched = value, 0; }
int cuCtxSynchronize() { return failure(true); }

int cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (const int result = failure()) return result;
  *total = control.memory;
  *free = control.memory - control.used;
  return 0;
}
#ifndef FAKE_WITHOUT_POOLS
int cuMemPoolCreate(Object** pool, const void*) { return make(pool); }
#endif
int cuMemPoolDestroy(Object* pool) { return end(pool); }
int cuMemPoolSetAttribute(Object*, int, void*) { return failure(); }
int cuMemPoolGetAttribute(Object*, int, void* value) {
  if (const int result = failure()) return result;
  return *static_cast<unsigned long long*>(value) = control.used, 0;
}
int cuMemPoolTrimTo(Object*, size_t) { return failure(); }
int cuMemAllocFromPoolAsync(unsigned long long* address, size_t bytes, void*, void*) {
  if (const int result = failure()) return result;
  const std::lock_guard lock(mutex);
  if (bytes > control.memory - control.used) return 2;
  *address = reinterpret_cast<unsigned long long>(fake_allocate(bytes));
  if (*address == 0) return 2;
  allocations[*address] = bytes;
  control.used += bytes;
  control.live++;
  return 0;
}
int cuMemFreeAsync(unsigned long long address, void*) {
  const std::lock_guard lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end()) return 1;
  if (control.recording) return 906;
  control.used -= found->second;
  control.live--;
  fake_release(reinterpret_cast<void*>(address), found->second);
  allocations.erase(found);
  return 0;
}
int cuPointerGetAttributes(unsigned count, const int* which, void** values, unsigned long long address) {
  if (const int result = failure()) return result;
  const std::lock_guard lock(mutex);
  auto found = allocations.upper_bound(address);
  const bool known = found != allocations.begin() && (--found, address < found->first + found->second);
  for (unsigned i = 0; i < count; i++) {
    switch (which[i]) {
      case 2:
        *static_cast<unsigned*>(values[i]) = known ? 2 : 0;
        break;
      case 9:
        *static_cast<int*>(values[i]) = known ? 0 : -2;
        break;
      case 11:
        *static_cast<unsigned long long*>(values[i]) = known ? found->first : 0;
        break;
      case 12:
        *static_cast<size_t*>(values[i]) = known ? found->second : 0;
        break;
      case 13:
        *static_cast<int*>(values[i]) = known && address < found->first + found->second - control.unmapped;
        break;
      default:
        return 1;
    }
  }
  return 0;
}
int cuMemHostAlloc(void** data, size_t bytes, unsigned) {
  if (const int result = failure()) return result;
  *data = std::malloc(bytes);
  add(*data);
  return 0;
}
int cuMemFreeHost(void* data) {
  remove(data);
  std::free(data);
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void*) {
  if (const int result = failure()) return result;
  const auto copy = [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); };
  if (!fake_records(copy)) {
    copy();
    keep_source(from, bytes);
  }
  const std::lock_guard lock(mutex);
  control.copies++;
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void*) {
  if (const int result = failure()) return result;
  const auto copy = [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); };
  if (!fake_records(copy)) copy();
  const std::lock_guard lock(mutex);
  control.copies++;
  control.to_host += bytes;
  return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void*) {
  if (const int result = failure()) return result;
  const auto copy = [=] {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  };
  if (!fake_records(copy)) copy();
  return 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char byte, size_t bytes, void*) {
  if (const int result = failure()) return result;
  const auto fill = [=] { std::memset(reinterpret_cast<void*>(to), byte, bytes); };
  if (!fake_records(fill)) fill();
  return 0;
}

int cuStreamCreate(Object** stream, unsigned) { return make(stream); }
int cuStreamDestroy_v2(Object* stream) { return end(stream); }
int cuStreamSynchronize(void*) { return failure(true); }
int cuStreamQuery(void*) {
  if (const int result = failure(true)) return result;
  const std::lock_guard lock(mutex);
  return control.busy > 0 && control.busy-- ? 600 : 0;
}
int cuStreamWaitEvent(void*, void*, unsigned) { return failure(); }
int cuEventCreate(Moment** event, unsigned) { return make(event); }
int cuEventDestroy_v2(Moment* event) { return end(event); }
int cuEventRecord(Moment* event, void*) {
  if (const int result = failure()) return result;
  event->at = std::chrono::steady_clock::now();
  return 0;
}
int cuEventSynchronize(void*) { return failure(true); }
int cuEventElapsedTime(float* milliseconds, Moment* start, Moment* end) {
  if (const int result = failure()) return result;
  if (start->at == Moment{}.at || end->at == Moment{}.at) return 400;  // not recorded
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return 0;
}

#ifndef FAKE_WITH_EMULATOR

int cuModuleLoadData(Object** module, const void* image) {
  return *static_cast<const char*>(image) == '!' ? 200 : make(module);
}
int cuModuleUnload(Object* module) { return end(module); }
int cuModuleGetFunction(void** function, void*, const char* name) {
  if (const int result = failure()) return result;
  if (std::strcmp(name, "add_one") != 0) return 500;
  *function = &control;
  return 0;
}
int cuFuncGetAttribute(int* value, int, void*) { return *value = 0, failure(); }
int cuFuncSetAttribute(void*, int, int) { return failure(); }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, size_t) {
  return *blocks = 2048 / threads, failure();
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                   void** arguments, void**) {
  if (const int result = failure()) return result;
  auto* bytes = *static_cast<unsigned char**>(arguments[0]);
  const auto size = *static_cast<unsigned long long*>(arguments[1]);
  for (unsigned long long i = 0; i < size; i++) bytes[i]++;
  return 0;
}
int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b,
                              unsigned c, unsigned shared, void* stream, void** arguments) {
  return cuLaunchKernel(function, x, y, z, a, b, c, shared, stream, arguments, nullptr);
}

int cuStreamBeginCapture_v2(void*, int) {
  if (const int result = failure()) return result;
  control.recording = true;
  return 0;
}
int cuStreamEndCapture(void*, Object** graph) {
  if (!control.recording) return 401;
  if (const int result = make(graph)) return result;
  control.recording = false;
  return 0;
}
int cuGraphInstantiateWithFlags(Object** graph, void*, unsigned long long) { return make(graph); }
int cuGraphDestroy(Object* graph) { return end(graph); }
int cuGraphLaunch(void*, void*) { return failure(); }
int cuGraphExecDestroy(Object* graph) { return end(graph); }

#endif

}  // extern "C"
