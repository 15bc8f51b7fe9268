// Programs on a GPU, with and without each optimisation: from the launch of the first kernel to the end of
// the last, all data on the device. Beside them their twins: tuned algorithms for the same inputs.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "device/kernels.h"
#include "graph/device/device_graph.h"
#include "pram/device/machine.h"
#include "pram/device/run.h"
#include "pram/library.h"
#include "pram/testing/bench_inputs.h"
#include "primitives/device/device_arrays.h"

namespace {

using namespace lanewise::pram;

struct Work {
  const char* program;
  int64_t size;
};
constexpr Work kWork[] = {
    {"reduction", 1'000},
    {"reduction", 8'388'608},
    {"reduction", 134'217'728},
    {"scan", 1'000},
    {"scan", 100'000},
    {"scan", 8'388'608},
    {"exclusive_scan", 8'388'608},
    {"sort", 1'000'000},
    {"merge", 2'000'000},
    {"odd_even_sort", 1'000},
    {"maximum", 4'000},
    {"components", 1'000'000},
    {"spanning_forest", 300'000},
    {"breadth_first_search", 300'000},
    {"matrix_product", 512},
    {"sums", 1'000'000},
};

/// Sums of reals, 1,000 writers for each cell: in a fixed order.
constexpr const char* kSums =
    "mode CRCW combining + input A[n] : real output S[n / 1000 + 1] : real processors n S[p / 1000] = A[p]";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_program(benchmark::State& state, const Work& work, const Options& options, Backend& backend) {
  const bool sums = work.program == std::string("sums");
  const DeviceProgram program(sums ? Program::parse(kSums) : library_program(work.program), options);
  const Arrays inputs = inputs_of(program.program, work.size);
  const std::unique_ptr<Code> code = backend.build(source_of(backend.dialect(), program.emitted.text));
  const DeviceTools tools(backend);
  uint64_t launches = 0;
  const auto work_once = [&] {
    DeviceMachine machine(program.program, program.meta, program.emitted, *code, tools, inputs, options);
    backend.finish();
    const auto start = std::chrono::steady_clock::now();
    machine.run();
    backend.finish();
    const double seconds = seconds_since(start);
    launches = 0;
    for (const KernelCost& cost : machine.costs()) launches += cost.launches;
    return seconds;
  };
  work_once();  // kernels are loaded when they are first launched
  for (auto _ : state) state.SetIterationTime(work_once());
  state.counters["kernels"] = static_cast<double>(launches);
}

void add(const std::string& name, const Options& options, Backend& backend) {
  for (const Work& work : kWork) {
    const std::string title = name + "/" + work.program + "/" + std::to_string(work.size);
    benchmark::RegisterBenchmark(
        title.c_str(), [=, &backend](benchmark::State& state) { run_program(state, work, options, backend); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(work.size <= 4'000 ? 30 : 5);
  }
}

/// The tuned reduction or scan of `n` numbers of 64 bits.
void array_twin(benchmark::State& state, const std::string& program, int64_t n) {
  using namespace lanewise;
  device::Device& gpu = device::Driver::system().device(0);
  device::Stream stream(gpu);
  device::DevicePool pool(gpu);
  DeviceArrays arrays(pool);
  const auto bytes = static_cast<size_t>(n) * sizeof(int64_t);
  const Array numbers_given = numbers(n, 1000);
  const device::DeviceBuffer from = pool.allocate(bytes, stream, "a benchmark");
  const device::DeviceBuffer to = pool.allocate(bytes, stream, "a benchmark");
  stream.copy_to_device(from.address(), numbers_given.words.data(), bytes);
  const auto work = [&] {
    const auto count = static_cast<uint64_t>(n);
    if (program == "reduction") {
      arrays.reduce(Combine::kSum, Element::kInt64, from.address(), count, to.address(), stream);
    } else {
      arrays.scan(Combine::kSum, Element::kInt64, program == "scan", from.address(), count, to.address(),
                  stream);
    }
    stream.synchronize();
  };
  work();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    work();
    state.SetIterationTime(seconds_since(start));
  }
}

void components_twin(benchmark::State& state, int64_t n) {
  using namespace lanewise;
  const graph::Graph given = graph::random_graph(n, 2 * n, 1);
  graph::DeviceGraph there(given, device::Driver::system().device(0));
  there.components();
  for (auto _ : state) {
    there.components();
    state.SetIterationTime(there.seconds());
  }
}

void add_twins() {
  const auto add_one = [](const Work& work, auto run) {
    const std::string title = std::string("cuda_twin/") + work.program + "/" + std::to_string(work.size);
    benchmark::RegisterBenchmark(title.c_str(), run)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(20);
  };
  for (const Work& work : kWork) {
    const std::string program = work.program;
    if (program == "reduction" || program == "scan" || program == "exclusive_scan") {
      add_one(work, [=](benchmark::State& state) { array_twin(state, program, work.size); });
    } else if (program == "components") {
      add_one(work, [=](benchmark::State& state) { components_twin(state, work.size); });
    }
  }
}

const bool kAdded = [] {
  Backend* backend = nullptr;
  try {
    backend = &cuda_backend();
  } catch (const lanewise::UserError&) {
    return false;  // no GPU: nothing to measure
  }
  Options options;
  add("cuda", options, *backend);
  add_twins();
  for (const PassInfo& info : passes()) {
    options.passes = without(all_passes(), info.name);
    add("cuda_without_" + std::string(info.name), options, *backend);
  }
  options.passes = {};
  add("cuda_without_all", options, *backend);
  options.passes = all_passes();
  options.active = ActiveForm::kBitset;
  add("cuda_bitset", options, *backend);
  options.active = ActiveForm::kList;
  add("cuda_list", options, *backend);
  return true;
}();

}  // namespace
