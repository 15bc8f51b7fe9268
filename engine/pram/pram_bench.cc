// Processor-steps a second of the interpreter, and the time from text to a checked program.
#include <benchmark/benchmark.h>

#include "pram/inputs/graph.h"
#include "pram/inputs/random.h"
#include "pram/library.h"
#include "pram/run.h"

namespace {

using namespace lanewise::pram;

Array numbers(int64_t n) {
  Random random(1);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<int64_t>(random.below(1000)));
  return ints(std::move(values));
}

void run_program(benchmark::State& state, const char* name, const Arrays& inputs) {
  const Program program = library_program(name);
  uint64_t work = 0;
  for (auto _ : state) {
    work += run(program, inputs).cost.work;
  }
  state.counters["processor_steps"] =
      benchmark::Counter(static_cast<double>(work), benchmark::Counter::kIsRate);
}

void interpreter_arrays(benchmark::State& state, const char* name) {
  run_program(state, name, {{"A", numbers(state.range(0))}});
}
BENCHMARK_CAPTURE(interpreter_arrays, reduction, "reduction")
    ->Arg(1'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpreter_arrays, scan, "scan")
    ->Arg(1'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpreter_arrays, sort, "sort")->Arg(1'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

void interpreter_components(benchmark::State& state) {
  Arrays inputs = graph_inputs(random_graph(state.range(0), 2 * state.range(0), 1));
  inputs.erase("weight");
  run_program(state, "components", inputs);
}
BENCHMARK(interpreter_components)->Arg(100'000)->Unit(benchmark::kMillisecond);

void parse_and_check(benchmark::State& state) {
  std::string text = "mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nprivate x = 0\n";
  for (int i = 0; i < 95; ++i) text += "if p % 2 == 0 { x = x + A[p] * 3 - min(x, p) }\n";
  text += "B[p] = x\n";
  for (auto _ : state) {
    benchmark::DoNotOptimize(Program::parse(text).tree().body.size());
  }
}
BENCHMARK(parse_and_check)->Unit(benchmark::kMicrosecond);

}  // namespace
