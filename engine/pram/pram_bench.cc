// Programs on the interpreter and on the executor, with and without each optimisation; the time from text to
// a checked program, and to a compiled one; steps back.
#include <benchmark/benchmark.h>

#include <chrono>

#include "pram/interpreter/interpreter.h"
#include "pram/library.h"
#include "pram/meta/meta.h"
#include "pram/run.h"
#include "pram/testing/bench_inputs.h"

namespace {

using namespace lanewise::pram;

/// Runs `program` repeatedly; counts the interpreter's processor-steps per second.
void run_program(benchmark::State& state, const Program& program, const Arrays& inputs,
                 const Options& options) {
  const uint64_t work = run(program, inputs).cost.work;
  for (auto _ : state) {
    benchmark::DoNotOptimize(run(program, inputs, options).outputs.size());
  }
  state.counters["processor_steps"] =
      benchmark::Counter(static_cast<double>(work), benchmark::Counter::kIsIterationInvariantRate);
}

struct Work {
  const char* program;
  int64_t size;
};
constexpr Work kWork[] = {
    {"reduction", 1'000},
    {"reduction", 1'000'000},
    {"scan", 1'000},
    {"scan", 1'000'000},
    {"exclusive_scan", 1'000'000},
    {"doubling_scan", 1'000'000},
    {"sort", 200'000},
    {"merge", 1'000'000},
    {"odd_even_sort", 4'000},
    {"maximum", 1'000},
    {"components", 100'000},
    {"spanning_forest", 100'000},
    {"breadth_first_search", 100'000},
    {"matrix_product", 128},
};

/// Registers a benchmark for each program, under `name`.
void add(const std::string& name, const Options& options) {
  for (const Work& work : kWork) {
    const std::string title = name + "/" + work.program + "/" + std::to_string(work.size);
    benchmark::RegisterBenchmark(title.c_str(),
                                 [=](benchmark::State& state) {
                                   const Program program = library_program(work.program);
                                   run_program(state, program, inputs_of(program, work.size), options);
                                 })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

const bool kAdded = [] {
  add("interpreter", {});
  Options cpu;
  cpu.executor = Executor::kCpu;
  add("cpu", cpu);
  cpu.threads = 1;
  add("one_thread", cpu);
  for (const PassInfo& info : passes()) {
    Options options = cpu;
    options.passes = without(all_passes(), info.name);
    add("without_" + std::string(info.name), options);
  }
  Options plain = cpu;
  plain.passes = {};
  add("without_all", plain);
  cpu.active = ActiveForm::kBitset;
  add("bitset", cpu);
  cpu.active = ActiveForm::kList;
  add("list", cpu);
  return true;
}();

void parse_and_check(benchmark::State& state) {
  const std::string text = hundred_lines();
  for (auto _ : state) {
    benchmark::DoNotOptimize(Program::parse(text).tree().body.size());
  }
}
BENCHMARK(parse_and_check)->Unit(benchmark::kMicrosecond);

void compile_passes(benchmark::State& state) {
  const Program program = Program::parse(hundred_lines());
  for (auto _ : state) {
    benchmark::DoNotOptimize(compile(program.tree()).body.size());
  }
}
BENCHMARK(compile_passes)->Unit(benchmark::kMicrosecond);

/// Only the step back, after a step on a million processors that changes this many cells.
void step_back(benchmark::State& state) {
  const Program program = Program::parse(
      "mode EREW input changed : int inout A[n] : int processors n if p < changed { A[p] = A[p] + 1 }");
  Interpreter interpreter(program, {{"changed", scalar(state.range(0))}, {"A", numbers(1'000'000, 9)}});
  interpreter.keep_history();
  interpreter.run();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    interpreter.back();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    interpreter.step();
  }
}
BENCHMARK(step_back)->Arg(1)->Arg(1'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond)->UseManualTime();

}  // namespace
