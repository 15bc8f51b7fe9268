// Copies, allocations and launches on GPU 0, in wall time, as the caller sees it. Without a GPU nothing is
// measured.

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <vector>

#include "gpu/error.h"
#include "gpu/graph.h"
#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"

namespace lanewise::gpu {
namespace {

constexpr size_t kBytes = size_t{1} << 30;

constexpr char kKernels[] = R"(
extern "C" __global__ void nothing(unsigned long long) {}
extern "C" __global__ void read(const uint4* values, unsigned long long count, unsigned* sum) {
  unsigned mine = 0;
  for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < count;
       i += (unsigned long long)gridDim.x * blockDim.x) {
    const uint4 v = values[i];
    mine += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (mine == 12345) *sum = mine;
})";

/// What the benchmarks share.
struct Gpu {
  Device& device = Driver::system().device(0);
  Stream stream{device};
  DevicePool pool{device};
  Module module = build(device, {.name = "device_bench", .text = kKernels}).module;
  DeviceBuffer memory = pool.allocate(kBytes, stream, "bench");
  std::vector<uint8_t> host = std::vector<uint8_t>(kBytes, 7);

  /// Null: there is no GPU, and `state` says so.
  static Gpu* get(benchmark::State& state) {
    try {
      static Gpu& gpu = *new Gpu();
      return &gpu;
    } catch (const DeviceError& none) {
      state.SkipWithError(none.what());
      return nullptr;
    }
  }
};

void set_bytes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

/// Arguments: MiB of a chunk, threads.
void upload_staged(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  Staging staging(gpu->device, {.chunk = static_cast<size_t>(state.range(0)) << 20,
                                .threads = static_cast<int>(state.range(1))});
  for (auto _ : state) {
    staging.upload(gpu->memory.address(), gpu->host.data(), kBytes, gpu->stream);
    gpu->stream.synchronize();
  }
  set_bytes(state, kBytes);
}

/// Argument: KiB. The copy is waited for: the cost of one chunk of a column.
void upload_sized(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  Staging staging(gpu->device);
  const size_t bytes = static_cast<size_t>(state.range(0)) << 10;
  for (auto _ : state) {
    staging.upload(gpu->memory.address(), gpu->host.data(), bytes, gpu->stream);
    gpu->stream.synchronize();
  }
  set_bytes(state, bytes);
}

void download_staged(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  Staging staging(gpu->device, {.chunk = static_cast<size_t>(state.range(0)) << 20,
                                .threads = static_cast<int>(state.range(1))});
  for (auto _ : state) staging.download(gpu->host.data(), gpu->memory.address(), kBytes, gpu->stream);
  set_bytes(state, kBytes);
}

/// The driver's own copy of pageable memory.
void upload_pageable(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  for (auto _ : state) {
    gpu->stream.copy_to_device(gpu->memory.address(), gpu->host.data(), kBytes);
    gpu->stream.synchronize();
  }
  set_bytes(state, kBytes);
}

void download_pageable(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  for (auto _ : state) {
    gpu->stream.copy_to_host(gpu->host.data(), gpu->memory.address(), kBytes);
    gpu->stream.synchronize();
  }
  set_bytes(state, kBytes);
}

void upload_pinned(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const PinnedBuffer pinned(gpu->device, kBytes, nullptr, "bench");
  std::memset(pinned.data(), 7, kBytes);
  for (auto _ : state) {
    gpu->stream.copy_to_device(gpu->memory.address(), pinned.data(), kBytes);
    gpu->stream.synchronize();
  }
  set_bytes(state, kBytes);
}

void download_pinned(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const PinnedBuffer pinned(gpu->device, kBytes, nullptr, "bench");
  for (auto _ : state) {
    gpu->stream.copy_to_host(pinned.data(), gpu->memory.address(), kBytes);
    gpu->stream.synchronize();
  }
  set_bytes(state, kBytes);
}

/// Batches of 64 MiB through two buffers of the device, each read by a kernel while the next one is copied.
/// Argument: 0: from pageable memory, staged; 1: from pinned memory.
void stream_batches(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  constexpr size_t kBatch = size_t{64} << 20;
  const bool pinned = state.range(0) != 0;
  const PinnedBuffer source(gpu->device, pinned ? kBytes : 1, nullptr, "bench");
  if (pinned) std::memset(source.data(), 7, kBytes);
  Staging staging(gpu->device);
  Stream streams[] = {Stream(gpu->device), Stream(gpu->device)};
  const DeviceBuffer buffers[] = {gpu->pool.allocate(kBatch, streams[0], "bench"),
                                  gpu->pool.allocate(kBatch, streams[1], "bench")};
  const DeviceBuffer sum = gpu->pool.allocate(4, gpu->stream, "bench");
  gpu->stream.synchronize();
  const Kernel read = gpu->module.kernel("read");
  const auto blocks = static_cast<uint64_t>(gpu->device.properties().multiprocessors * 4);
  for (auto _ : state) {
    for (size_t at = 0; at < kBytes; at += kBatch) {
      Stream& stream = streams[at / kBatch % 2];
      const cuda::Address to = buffers[at / kBatch % 2].address();
      if (pinned) {
        stream.copy_to_device(to, source.data() + at, kBatch);
      } else {
        staging.upload(to, gpu->host.data() + at, kBatch, stream);
      }
      read.launch(stream, {.blocks = blocks, .threads = 512}, to, uint64_t{kBatch / 16}, sum.address());
    }
    for (Stream& stream : streams) stream.synchronize();
  }
  set_bytes(state, kBytes);
}

/// Argument: KiB. The cost of copying a result back.
void download_sized(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  Staging staging(gpu->device);
  const size_t bytes = static_cast<size_t>(state.range(0)) << 10;
  for (auto _ : state) staging.download(gpu->host.data(), gpu->memory.address(), bytes, gpu->stream);
  set_bytes(state, bytes);
}

void read_device(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const size_t bytes = size_t{8} << 30;
  const DeviceBuffer memory = gpu->pool.allocate(bytes, gpu->stream, "bench");
  const DeviceBuffer sum = gpu->pool.allocate(4, gpu->stream, "bench");
  gpu->stream.fill(memory.address(), 7, bytes);
  const Kernel read = gpu->module.kernel("read");
  const auto blocks = static_cast<uint64_t>(gpu->device.properties().multiprocessors * 16);
  for (auto _ : state) {
    read.launch(gpu->stream, {.blocks = blocks, .threads = 512}, memory.address(), uint64_t{bytes / 16},
                sum.address());
    gpu->stream.synchronize();
  }
  set_bytes(state, bytes);
}

/// One launch and the wait for it.
void launch_and_wait(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const Kernel nothing = gpu->module.kernel("nothing");
  for (auto _ : state) {
    nothing.launch(gpu->stream, {.threads = 32}, 1ull);
    gpu->stream.synchronize();
  }
}

/// 100 launches and one wait.
void launch_many(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const Kernel nothing = gpu->module.kernel("nothing");
  for (auto _ : state) {
    for (int i = 0; i < 100; i++) nothing.launch(gpu->stream, {.threads = 32}, 1ull);
    gpu->stream.synchronize();
  }
  state.SetItemsProcessed(100 * state.iterations());
}

/// The same 100 launches as a graph.
void launch_graph(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const Kernel nothing = gpu->module.kernel("nothing");
  Graph graph(gpu->stream, [&] {
    for (int i = 0; i < 100; i++) nothing.launch(gpu->stream, {.threads = 32}, 1ull);
  });
  for (auto _ : state) {
    graph.launch(gpu->stream);
    gpu->stream.synchronize();
  }
  state.SetItemsProcessed(100 * state.iterations());
}

/// Argument: MiB. Allocated from the pool and returned to it.
void allocate(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const size_t bytes = static_cast<size_t>(state.range(0)) << 20;
  for (auto _ : state) gpu->pool.allocate(bytes, gpu->stream, "bench");
  gpu->stream.synchronize();
}

/// Allocated from the device and returned to it.
void allocate_fresh(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  const size_t bytes = static_cast<size_t>(state.range(0)) << 20;
  for (auto _ : state) {
    gpu->pool.allocate(bytes, gpu->stream, "bench");
    gpu->pool.trim();
  }
}

/// A module of two kernels. Argument: 1: from the cache on disk; 0: compiled.
void build_module(benchmark::State& state) {
  Gpu* gpu = Gpu::get(state);
  if (!gpu) return;
  KernelCache none{std::filesystem::path()};
  for (auto _ : state) {
    build(gpu->device, {.name = "device_bench", .text = kKernels},
          state.range(0) ? KernelCache::system() : none);
  }
}

const std::vector<std::vector<int64_t>> kStagings = {{1, 2, 4, 8}, {1, 2, 4, 6, 8, 12}};
BENCHMARK(upload_pinned)->UseRealTime();
BENCHMARK(upload_pageable)->UseRealTime();
BENCHMARK(upload_staged)->ArgsProduct(kStagings)->UseRealTime();
BENCHMARK(download_pinned)->UseRealTime();
BENCHMARK(download_pageable)->UseRealTime();
BENCHMARK(download_staged)->ArgsProduct(kStagings)->UseRealTime();
BENCHMARK(stream_batches)->Arg(0)->Arg(1)->UseRealTime();
BENCHMARK(upload_sized)->Arg(1)->Arg(64)->Arg(1 << 10)->Arg(8 << 10)->Arg(64 << 10)->UseRealTime();
BENCHMARK(download_sized)->Arg(1)->Arg(64)->Arg(1 << 10)->Arg(8 << 10)->Arg(64 << 10)->UseRealTime();
BENCHMARK(read_device)->UseRealTime();
BENCHMARK(launch_and_wait)->UseRealTime();
BENCHMARK(launch_many)->UseRealTime();
BENCHMARK(launch_graph)->UseRealTime();
BENCHMARK(allocate)->Arg(1)->Arg(256)->UseRealTime();
BENCHMARK(allocate_fresh)->Arg(1)->Arg(256)->UseRealTime();
BENCHMARK(build_module)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lanewise::gpu
