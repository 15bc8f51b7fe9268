// The gate of the lane concepts on a GPU: kernels.cu, the algorithm of engine/lanes on warps, compiled at run
// time.
//   gate_gpu ENGINE_FOLDER KERNELS_FILE [MILLION_ROWS = 64] [REPEATS = 7]
// Prints GB/s of text by lengths, block size and refill threshold. Every answer is checked: counts against
// bitmaps, bitmaps against the emulated group on a sample. Exit code 0: all equal; 1: a difference; 3: no GPU
// here.

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "lanes/gate/gate_data.h"
#include "lanes/rows.h"
#include "lanes/tables-inl.h"

namespace lanewise::lanes::gate {
namespace {

struct NoGpu : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A shared library that is looked for at run time.
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names) handle_ = handle_ ? handle_ : dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!handle_) throw NoGpu(dlerror());
  }
  /// Calls `function`, which returns 0 unless it fails.
  template <class... Args>
  void call(const char* function, Args... args) const {
    const auto f = reinterpret_cast<int (*)(Args...)>(dlsym(handle_, function));
    if (!f) throw NoGpu(std::string(function) + " is missing");
    const int code = f(args...);
    if (code) throw std::runtime_error(std::string(function) + " failed: " + std::to_string(code));
  }

 private:
  void* handle_ = nullptr;
};

using Address = unsigned long long;

/// The device's memory and kernels, as little as this program needs.
class Gpu {
 public:
  Gpu() {
    cuda_.call("cuInit", 0u);
    cuda_.call("cuDeviceGet", &device_, 0);
    void* context = nullptr;
    cuda_.call("cuDevicePrimaryCtxRetain", &context, device_);
    cuda_.call("cuCtxSetCurrent", context);
    char name[256];
    cuda_.call("cuDeviceGetName", name, 256, device_);
    std::printf("%s, %d multiprocessors\n", name, processors());
    for (void*& event : events_) cuda_.call("cuEventCreate", &event, 0u);
  }
  int attribute(int which) const {
    int value = 0;
    cuda_.call("cuDeviceGetAttribute", &value, which, device_);
    return value;
  }
  int processors() const { return attribute(16); }

  void compile(const std::string& source, const std::string& include) {
    const Library compiler{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    void* program = nullptr;
    compiler.call("nvrtcCreateProgram", &program, source.c_str(), "kernels.cu", 0, (void*)nullptr,
                  (void*)nullptr);
    const std::string arch = "--gpu-architecture=sm_" + std::to_string(attribute(75) * 10 + attribute(76));
    const std::string path = "-I" + include;
    const char* options[] = {arch.c_str(), path.c_str(), "--std=c++20"};
    try {
      compiler.call("nvrtcCompileProgram", program, 3, &options[0]);
    } catch (const std::runtime_error&) {
      size_t size = 0;
      compiler.call("nvrtcGetProgramLogSize", program, &size);
      std::string log(size, ' ');
      compiler.call("nvrtcGetProgramLog", program, log.data());
      throw std::runtime_error(log);
    }
    size_t size = 0;
    compiler.call("nvrtcGetCUBINSize", program, &size);
    std::string image(size, ' ');
    compiler.call("nvrtcGetCUBIN", program, image.data());
    cuda_.call("cuModuleLoadData", &module_, (const void*)image.data());
  }
  void* kernel(const char* name) const {
    void* function = nullptr;
    cuda_.call("cuModuleGetFunction", &function, module_, name);
    return function;
  }
  int blocks_per_processor(void* kernel, int threads, size_t shared) const {
    int blocks = 0;
    cuda_.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, kernel, threads, shared);
    return blocks;
  }
  void launch(void* kernel, u64 blocks, u32 threads, u32 shared, void* arguments[]) const {
    void *none = nullptr, *more = nullptr;
    cuda_.call("cuLaunchKernel", kernel, u32(blocks), 1u, 1u, threads, 1u, 1u, shared, none, arguments, more);
    cuda_.call("cuCtxSynchronize");
  }
  /// Milliseconds of one launch.
  float time(void* kernel, u64 blocks, u32 threads, u32 shared, void* arguments[]) const {
    void* stream = nullptr;
    cuda_.call("cuEventRecord", events_[0], stream);
    launch(kernel, blocks, threads, shared, arguments);
    cuda_.call("cuEventRecord", events_[1], stream);
    cuda_.call("cuEventSynchronize", events_[1]);
    float milliseconds = 0;
    cuda_.call("cuEventElapsedTime", &milliseconds, events_[0], events_[1]);
    return milliseconds;
  }

  Address allocate(size_t bytes) const {
    Address at = 0;
    cuda_.call("cuMemAlloc_v2", &at, bytes);
    return at;
  }
  template <class T>
  Address upload(const std::vector<T>& values) const {
    const Address at = allocate(values.size() * sizeof(T));
    cuda_.call("cuMemcpyHtoD_v2", at, (const void*)values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> download(Address at, size_t count) const {
    std::vector<T> values(count);
    cuda_.call("cuMemcpyDtoH_v2", (void*)values.data(), at, count * sizeof(T));
    return values;
  }
  void clear(Address at, size_t bytes) const { cuda_.call("cuMemsetD8_v2", at, (unsigned char)0, bytes); }
  void free(Address at) const { cuda_.call("cuMemFree_v2", at); }

 private:
  Library cuda_{"libcuda.so.1", "libcuda.so"};
  int device_ = 0;
  void* module_ = nullptr;
  void* events_[2];
};

/// Laid out as in kernels.cu.
struct Job {
  Address offsets, bytes, next;
  u32 table_bytes, refill_below;
  Verdicts verdicts;
  u64 rows;
  Address count, hits;
};

u64 count_bits(const std::vector<u64>& words) {
  u64 count = 0;
  for (u64 word : words) count += u64(__builtin_popcountll(word));
  return count;
}

/// Whether the first rows' bits are those that the emulated group finds.
bool sample_agrees(const Gpu& gpu, const AutomatonView& automaton, const std::vector<u64>& offsets,
                   Address text, const std::vector<u64>& hits) {
  const u64 rows = std::min<u64>(offsets.size() - 1, 1 << 20) / 64 * 64;
  auto bytes = gpu.download<u8>(text, offsets[rows]);
  bytes.resize(bytes.size() + 64);
  std::vector<u64> expected(rows / 64);
  const RowMatcher matcher(Target::emulated, Form::rows, automaton);
  matcher.match(Rows(bytes.data(), offsets.data(), rows), nullptr, expected.data());
  return std::equal(expected.begin(), expected.end(), hits.begin());
}

/// One column of `rows` rows: prints a line per block size and threshold, returns whether all answers agree.
bool run(const Gpu& gpu, Lengths lengths, u64 rows, int repeats) {
  std::vector<u64> offsets(rows + 1);
  for (u64 i = 0; i < rows; i++) offsets[i + 1] = offsets[i] + row_length(i, lengths);
  const u64 size = offsets[rows];
  const Search search(words({"google.d", "yahoo", "bing-"}));
  const AutomatonView a = search.view();
  std::vector<u8> next((a.states * 256 + 15) / 16 * 16);
  for (u32 s = 0; s < a.states; s++) {
    for (u32 b = 0; b < 256; b++) next[s * 256 + b] = u8(a.next[s * a.classes + a.class_of[b]]);
  }
  const u64 words = (rows + 63) / 64;
  Job job{gpu.upload(offsets),
          gpu.allocate(size + 64),
          gpu.upload(next),
          u32(next.size()),
          0,
          {a.start, a.end_accept, 0, a.match},
          rows,
          gpu.allocate(8),
          gpu.allocate(words * 8)};
  gpu.clear(job.bytes, size + 64);
  void* fill[] = {&job.bytes, &job.offsets, &job.rows};
  gpu.launch(gpu.kernel("fill"), (rows + 255) / 256, 256, 0, fill);
  std::printf("%s: %.2f GB, %u states x %u classes\n", kLengthNames[int(lengths)], double(size) / 1e9,
              a.states, a.classes);

  bool agree = true;
  for (const char* name : {"match_count", "match_bits"}) {
    void* kernel = gpu.kernel(name);
    const bool bits = name == std::string("match_bits");
    for (u32 threads : {256u, 512u}) {
      const u64 blocks = u64(gpu.processors()) * gpu.blocks_per_processor(kernel, int(threads), next.size());
      for (u32 below : {32u, 28u, 24u, 20u, 16u, 1u}) {
        job.refill_below = below;
        std::vector<float> times;
        for (int i = 0; i <= repeats; i++) {
          gpu.clear(job.count, 8);
          if (bits) gpu.clear(job.hits, words * 8);
          void* arguments[] = {&job};
          times.push_back(gpu.time(kernel, blocks, threads, job.table_bytes, arguments));
        }
        std::sort(times.begin() + 1, times.end());  // the first launch warms up
        const float time = times[1 + repeats / 2];
        u64 count = 0;
        if (bits) {
          const auto hits = gpu.download<u64>(job.hits, words);
          count = count_bits(hits);
          if (below == 32) agree &= sample_agrees(gpu, a, offsets, job.bytes, hits);
        } else {
          count = gpu.download<u64>(job.count, 1)[0];
        }
        static u64 first_count;
        if (!bits && threads == 256 && below == 32) first_count = count;
        agree &= count == first_count;
        std::printf("  %-11s threads %3u below %2u  %8.3f ms %7.1f GB/s  %llu rows\n", name, threads, below,
                    time, double(size) / 1e6 / time, (unsigned long long)count);
      }
    }
  }
  for (Address at : {job.offsets, job.bytes, job.next, job.count, job.hits}) gpu.free(at);
  return agree;
}

int run_all(const char* engine, const char* kernels, u64 rows, int repeats) {
  Gpu gpu;
  std::ostringstream source;
  source << std::ifstream(kernels).rdbuf();
  gpu.compile(source.str(), engine);
  bool agree = true;
  for (Lengths lengths : {Lengths::constant, Lengths::uniform, Lengths::skewed}) {
    agree &= run(gpu, lengths, rows, repeats);
  }
  std::printf("%s\n", agree ? "all answers agree" : "DIFFERENT ANSWERS");
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace lanewise::lanes::gate

int main(int count, char** arguments) {
  using namespace lanewise::lanes::gate;
  if (count < 3) {
    std::fprintf(stderr, "usage: gate_gpu ENGINE_FOLDER KERNELS_FILE [MILLION_ROWS] [REPEATS]\n");
    return 2;
  }
  const double millions = count > 3 ? std::atof(arguments[3]) : 64;
  try {
    const auto rows = lanewise::lanes::u64(millions * (1 << 20));
    return run_all(arguments[1], arguments[2], rows, count > 4 ? std::atoi(arguments[4]) : 7);
  } catch (const NoGpu& none) {
    std::printf("no GPU: %s\n", none.what());
    return 3;
  }
}
