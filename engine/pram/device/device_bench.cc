// Programs on a GPU, with and without each optimisation: from the launch of the first kernel to the end of
// the last, all data on the device. `compile`: from a program to loaded kernels, nothing cached.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "pram/device/machine.h"
#include "pram/device/run.h"
#include "pram/library.h"
#include "pram/testing/bench_inputs.h"

namespace {

using namespace lanewise::pram;

struct Work {
  const char* program;
  int64_t size;
};
constexpr Work kWork[] = {
    {"reduction", 1'000},      {"reduction", 8'388'608},      {"scan", 1'000},
    {"scan", 8'388'608},       {"exclusive_scan", 8'388'608}, {"sort", 1'000'000},
    {"merge", 2'000'000},      {"odd_even_sort", 1'000},      {"maximum", 4'000},
    {"components", 1'000'000}, {"spanning_forest", 300'000},  {"breadth_first_search", 300'000},
    {"matrix_product", 512},
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_program(benchmark::State& state, const Work& work, const Options& options, Backend& backend) {
  const DeviceProgram program(library_program(work.program), options);
  const Arrays inputs = inputs_of(program.program, work.size);
  const std::unique_ptr<Code> code = backend.build(source_of(backend.dialect(), program.emitted.text));
  const DeviceTools tools(backend);
  uint64_t launches = 0;
  for (auto _ : state) {
    DeviceMachine machine(program.program, program.meta, program.emitted, *code, tools, inputs, options);
    backend.finish();
    const auto start = std::chrono::steady_clock::now();
    machine.run();
    backend.finish();
    state.SetIterationTime(seconds_since(start));
    launches = 0;
    for (const KernelCost& cost : machine.costs()) launches += cost.launches;
  }
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

const bool kAdded = [] {
  Backend* backend = nullptr;
  try {
    backend = &cuda_backend();
  } catch (const lanewise::UserError&) {
    return false;  // no GPU: nothing to measure
  }
  Options options;
  add("cuda", options, *backend);
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
