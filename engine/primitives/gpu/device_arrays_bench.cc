// Reduction and scan in the memory of a GPU, by the division of their kernels: threads per block, values per
// thread, values in total. Int32 sums, timed on the host from the launch to the end.
#include <benchmark/benchmark.h>

#include <chrono>

#include "gpu/error.h"
#include "primitives/gpu/device_arrays.h"

namespace {

using namespace lanewise;

template <class Work>
void measure(benchmark::State& state, Work work) {
  try {
    gpu::Device& gpu = gpu::Driver::system().device(0);
    gpu::Stream stream(gpu);
    gpu::DevicePool pool(gpu);
    DeviceArrays arrays(pool, {static_cast<unsigned>(state.range(0)), static_cast<unsigned>(state.range(1))});
    const auto count = static_cast<uint64_t>(state.range(2));
    const gpu::DeviceBuffer from = pool.allocate(count * 4, stream, "a benchmark");
    const gpu::DeviceBuffer to = pool.allocate(count * 4, stream, "a benchmark");
    stream.fill(from.address(), 1, count * 4);
    const auto once = [&] {
      const auto start = std::chrono::steady_clock::now();
      work(arrays, from.address(), count, to.address(), stream);
      stream.synchronize();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    once();
    for (auto _ : state) state.SetIterationTime(once());
  } catch (const gpu::DeviceError& error) {
    state.SkipWithError(error.what());
  }
}

void cuda_reduction(benchmark::State& state) {
  measure(state, [](DeviceArrays& arrays, auto from, auto count, auto to, auto& stream) {
    arrays.reduce(Combine::kSum, Element::kInt32, from, count, to, stream);
  });
}
void cuda_scan(benchmark::State& state) {
  measure(state, [](DeviceArrays& arrays, auto from, auto count, auto to, auto& stream) {
    arrays.scan(Combine::kSum, Element::kInt32, true, from, count, to, stream);
  });
}

void cuts(benchmark::internal::Benchmark* all) {
  all->ArgNames({"m", "c", "n"})
      ->ArgsProduct({{64, 128, 256}, {4, 8, 16}, {1 << 16, 1 << 20, 1 << 24, 1 << 28}})
      ->Args({0, 0, 1 << 16})
      ->Args({0, 0, 1 << 20})
      ->Args({0, 0, 1 << 24})
      ->Args({0, 0, 1 << 28})
      ->Iterations(10)
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime();
}
BENCHMARK(cuda_reduction)->Apply(cuts);
BENCHMARK(cuda_scan)->Apply(cuts);

}  // namespace
