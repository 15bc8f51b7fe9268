// Programs on a GPU, with and without each optimisation: from the launch of the first kernel to the end of
// the last, with all data on the device. Next to them their baselines: tuned algorithms for the same inputs.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "gpu/modules/kernels.h"
#include "pram/gpu/machine.h"
#include "pram/gpu/run.h"
#include "pram/library.h"
#include "pram/testing/twins.h"

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
    {"scan", 134'217'728},
    {"exclusive_scan", 8'388'608},
    {"exclusive_scan", 134'217'728},
    {"doubling_scan", 8'388'608},
    {"segmented_scan", 8'388'608},
    {"sort", 1'000'000},
    {"merge", 2'000'000},
    {"odd_even_sort", 1'000},
    {"maximum", 4'000},
    {"components", 1'000'000},
    {"spanning_forest", 300'000},
    {"breadth_first_search", 300'000},
    {"matrix_product", 512},
    {"list_ranking", 1'000'000},
    {"tree_depth", 1'000'000},
    {"all_pairs_distances", 1'000},
    {"matching", 1'000},
    {"sums", 1'000'000},
};

/// Sums of reals in a fixed order, 1,000 writers for each cell.
constexpr const char* kSums =
    "mode CRCW combining + input A[n] : real output S[n / 1000 + 1] : real processors n S[p / 1000] = A[p]";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_program(benchmark::State& state, const Work& work, const Options& options, Backend& backend) {
  const bool sums = work.program == std::string("sums");
  const Program parsed = sums ? Program::parse(kSums) : library_program(work.program);
  const Arrays inputs = inputs_of(parsed, work.size);
  const DeviceProgram program(parsed, options, "kernel_", &inputs);
  const std::unique_ptr<Code> code = build(program, backend);
  const DeviceTools tools(backend);
  uint64_t launches = 0;
  const auto work_once = [&] {
    DeviceMachine machine(program.program, program.meta, program.emitted, *code, tools, inputs, options);
    backend.finish();
    const auto start = std::chrono::steady_clock::now();
    machine.go();
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

void run_twin(benchmark::State& state, const Work& work) {
  const Twin twin = twin_of(library_program(work.program), work.program, work.size);
  twin();  // kernels are loaded when they are first launched
  for (auto _ : state) state.SetIterationTime(twin());
}

/// From the text of a program of 100 lines to the end of its first kernel; `cached`: its kernels were
/// compiled before.
void compile_program(benchmark::State& state, Backend& backend, bool cached) {
  const std::string text = hundred_lines();
  const Arrays inputs = inputs_of(Program::parse(text), 1'000);
  const DeviceTools tools(backend);
  int number = 0;
  const auto once = [&](const std::string& prefix) {
    const auto start = std::chrono::steady_clock::now();
    const DeviceProgram program(Program::parse(text), {}, prefix);
    const std::unique_ptr<Code> code = build(program, backend);
    DeviceMachine machine(program.program, program.meta, program.emitted, *code, tools, inputs,
                          program.options);
    machine.go();
    return seconds_since(start);
  };
  const std::string own =
      "p" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "_";
  if (cached) once(own);
  for (auto _ : state) state.SetIterationTime(once(cached ? own : own + std::to_string(number++) + "_"));
}

void add_twins() {
  for (const Work& work : kWork) {
    if (work.program == std::string("sums")) continue;
    const std::string title = std::string("cuda_twin/") + work.program + "/" + std::to_string(work.size);
    benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) { run_twin(state, work); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(20);
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
  for (const bool cached : {false, true}) {
    benchmark::RegisterBenchmark(cached ? "cuda_compile/cached" : "cuda_compile/cold",
                                 [=](benchmark::State& state) { compile_program(state, *backend, cached); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(cached ? 20 : 5);
  }
  for (const PassInfo& info : passes()) {
    options.passes = without(all_passes(), info.name);
    add("cuda_without_" + std::string(info.name), options, *backend);
  }
  options.passes = {};
  add("cuda_without_all", options, *backend);
  options.passes = all_passes();
  options.specialise = true;
  add("cuda_specialised", options, *backend);
  options.specialise = false;
  options.graphs = true;
  add("cuda_graphs", options, *backend);
  options.passes = without(all_passes(), "batch");
  add("cuda_graphs_without_batch", options, *backend);
  options.passes = all_passes();
  options.graphs = false;
  options.active = ActiveForm::kBitset;
  add("cuda_bitset", options, *backend);
  options.active = ActiveForm::kList;
  add("cuda_list", options, *backend);
  return true;
}();

}  // namespace
