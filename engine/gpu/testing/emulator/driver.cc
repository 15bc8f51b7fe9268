// With testing/fake_cuda.cc a libcuda.so.1 that runs kernels: what nvrtc.cc made of them is loaded as a
// library of the host; a launch runs its blocks on the machine's cores and has ended when it returns. Device
// memory ends before a page that is not accessible, and begins with meaningless bytes.
//
// Environment: EMULATED_GPU_BLOCKS (4) run at a time in a cooperative launch; EMULATED_GPU_NOISE (165), each
// of those bytes.

#include "gpu/testing/emulator/driver.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/testing/emulator/block.h"
#include "gpu/testing/emulator/image.h"
#include "gpu/testing/fake_cuda.h"

using lanewise::emulator::Extent;
using lanewise::emulator::Launch;
using lanewise::emulator::Processor;
using lanewise::emulator::Services;

extern "C" FakeCuda* fake_cuda();

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 16;  // CUDA promises 256: less finds more accesses after the end
constexpr int kMultiprocessors = 4;

size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct Module {
  void* library;
};

struct Function {
  void (*start)(void**);
  const unsigned* sizes;  // of the parameters; ends with 0
};

/// What a stream recorded, in order.
struct Graph {
  std::vector<std::function<void()>> work;
};

std::mutex idle_mutex;
std::vector<std::unique_ptr<Processor>> idle;
Graph* recorded = nullptr;

/// A processor, temporarily.
class Loan {
 public:
  Loan() {
    const std::lock_guard lock(idle_mutex);
    if (!idle.empty()) {
      processor_ = std::move(idle.back());
      idle.pop_back();
    } else {
      processor_ = std::make_unique<Processor>();
    }
  }
  ~Loan() {
    const std::lock_guard lock(idle_mutex);
    idle.push_back(std::move(processor_));
  }
  Processor& operator*() { return *processor_; }

 private:
  std::unique_ptr<Processor> processor_;
};

/// Runs all blocks on `threads` threads, including the calling one.
void run_launch(const Launch& launch, unsigned threads) {
  const unsigned blocks = launch.blocks.x * launch.blocks.y * launch.blocks.z;
  std::atomic<unsigned> next = 0;
  const auto work = [&] {
    Loan processor;
    for (unsigned block; (block = next++) < blocks;) (*processor).run(launch, block);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads && i < blocks; i++) others.emplace_back(work);
  work();
}

/// A launch that outlives its arguments.
class Kept {
 public:
  Kept(const Function& function, const Launch& launch, bool together) : launch_(launch), together_(together) {
    for (int i = 0; function.sizes[i]; i++) {
      const auto* from = static_cast<const unsigned char*>(launch.arguments[i]);
      values_.emplace_back(from, from + function.sizes[i]);
    }
  }
  void operator()() {
    std::vector<void*> arguments;
    for (auto& value : values_) arguments.push_back(value.data());
    Launch launch = launch_;
    launch.arguments = arguments.data();
    start(launch, together_);
  }
  static void start(const Launch& launch, bool together) {
    const unsigned blocks = launch.blocks.x * launch.blocks.y * launch.blocks.z;
    run_launch(launch, together ? blocks : std::max(1u, std::thread::hardware_concurrency()));
  }

 private:
  Launch launch_;
  bool together_;
  std::vector<std::vector<unsigned char>> values_;
};

int number_or(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}
int cooperative_blocks() { return number_or("EMULATED_GPU_BLOCKS", kMultiprocessors); }

int launch(const Function* function, const Launch& launch, bool together) {
  if (const int result = fake_failure()) return result;
  const unsigned threads = launch.threads.x * launch.threads.y * launch.threads.z;
  const unsigned blocks = launch.blocks.x * launch.blocks.y * launch.blocks.z;
  if (threads == 0 || threads > 1024 || blocks == 0 || launch.shared_bytes > (227u << 10)) return 1;
  if (together && blocks > static_cast<unsigned>(cooperative_blocks())) return 720;  // too large
  if (fake_cuda()->recording) {
    recorded->work.emplace_back(Kept(*function, launch, together));
  } else {
    Kept::start(launch, together);
  }
  return 0;
}

}  // namespace

void* fake_allocate(size_t bytes) {
  const size_t size = pages(bytes);
  void* const begin =
      mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  auto* const guard = static_cast<unsigned char*>(begin) + size;
  mprotect(guard, kPage, PROT_NONE);
  unsigned char* const memory = guard - (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::memset(memory, number_or("EMULATED_GPU_NOISE", 0xa5), bytes);
  return memory;
}

void fake_release(void* memory, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(memory) / kPage * kPage;
  munmap(reinterpret_cast<void*>(address), pages(bytes) + kPage);
}

bool fake_records(std::function<void()> work) {
  if (!fake_cuda()->recording) return false;
  recorded->work.push_back(std::move(work));
  return true;
}

extern "C" {

int cuModuleLoadData(Module** module, const char* image) {
  if (const int result = fake_failure()) return result;
  lanewise::emulator::ImageHead head;
  std::memcpy(&head, image, sizeof(head));
  if (std::memcmp(head.magic, lanewise::emulator::kImageMagic, sizeof(head.magic)) != 0) return 200;
  std::string path = std::string(P_tmpdir) + "/emulated-kernel-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return 999;
  const bool written = write(file, image + sizeof(head), head.bytes) == static_cast<ssize_t>(head.bytes);
  close(file);
  void* const library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) std::fprintf(stderr, "emulated GPU: %s\n", dlerror());
  unlink(path.c_str());
  if (library == nullptr) return 200;
  const auto connect = reinterpret_cast<void (*)(const Services*)>(dlsym(library, "lanewise_connect"));
  connect(&Processor::services());
  *module = new Module{library};
  fake_cuda()->live++;
  return 0;
}
int cuModuleUnload(Module* module) {
  dlclose(module->library);
  delete module;
  fake_cuda()->live--;
  return 0;
}
int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  if (const int result = fake_failure()) return result;
  static std::map<std::pair<void*, std::string>, Function> functions;
  const std::lock_guard lock(idle_mutex);
  void* const start = dlsym(module->library, ("lanewise_start_" + std::string(name)).c_str());
  if (start == nullptr) return 500;
  const auto sizes = reinterpret_cast<const unsigned* (*)()>(
      dlsym(module->library, ("lanewise_sizes_" + std::string(name)).c_str()));
  Function& found = functions[{module, name}];
  found = {reinterpret_cast<void (*)(void**)>(start), sizes()};
  *function = &found;
  return 0;
}
int cuFuncGetAttribute(int* value, int, void*) { return *value = 0, fake_failure(); }
int cuFuncSetAttribute(void*, int, int) { return fake_failure(); }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) {
  *blocks = std::max(1, cooperative_blocks() / kMultiprocessors);
  return fake_failure();
}
int cuLaunchKernel(Function* function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty,
                   unsigned tz, unsigned shared, void*, void** arguments, void**) {
  return launch(function, {function->start, arguments, {bx, by, bz}, {tx, ty, tz}, shared}, false);
}
int cuLaunchCooperativeKernel(Function* function, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                              unsigned ty, unsigned tz, unsigned shared, void*, void** arguments) {
  return launch(function, {function->start, arguments, {bx, by, bz}, {tx, ty, tz}, shared}, true);
}

int cuStreamBeginCapture_v2(void*, int) {
  if (const int result = fake_failure()) return result;
  recorded = new Graph();
  fake_cuda()->recording = true;
  return 0;
}
int cuStreamEndCapture(void*, Graph** graph) {
  if (!fake_cuda()->recording) return 401;
  if (const int result = fake_failure()) return result;
  fake_cuda()->recording = false;
  fake_cuda()->live++;
  *graph = recorded;
  return 0;
}
int cuGraphInstantiateWithFlags(Graph** made, Graph* graph, unsigned long long) {
  if (const int result = fake_failure()) return result;
  *made = new Graph(*graph);
  fake_cuda()->live++;
  return 0;
}
int cuGraphDestroy(Graph* graph) {
  delete graph;
  fake_cuda()->live--;
  return 0;
}
int cuGraphLaunch(Graph* graph, void*) {
  if (const int result = fake_failure()) return result;
  for (auto& work : graph->work) work();
  return 0;
}
int cuGraphExecDestroy(Graph* graph) { return cuGraphDestroy(graph); }

}  // extern "C"
