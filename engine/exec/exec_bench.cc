#include <benchmark/benchmark.h>

#include <map>
#include <random>

#include "exec/execute.h"
#include "expr/functions/build.h"
#include "primitives/kernels.h"

/// sum(x) where x < limit over int32 in memory: what a pipeline costs compared with reading the bytes.
/// LANEWISE_BENCH_ROWS sets the rows (2^28 when it is not set).
namespace lanewise::exec {
namespace {

constexpr int32_t kRange = 1'000'000;

int64_t rows() {
  const char* text = std::getenv("LANEWISE_BENCH_ROWS");
  return text == nullptr ? int64_t{1} << 28 : std::stoll(text);
}

/// Chunks of 2^20 rows, as the column store holds them, uniform in [0, kRange).
const std::shared_ptr<const Table>& numbers() {
  static const std::shared_ptr<const Table> table = [] {
    auto made = std::make_shared<Table>();
    made->schema = {{"x", TypeId::kInt32}};
    uint64_t state = 1;
    for (int64_t first = 0; first < rows(); first += int64_t{1} << 20) {
      auto column = std::make_shared<Column>();
      column->type = TypeId::kInt32;
      column->rows = std::min(int64_t{1} << 20, rows() - first);
      column->values = Buffer::allocate(static_cast<size_t>(column->rows) * 4, nullptr, "bench");
      for (int64_t i = 0; i < column->rows; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        column->values.mutable_as<int32_t>()[i] = static_cast<int32_t>((state >> 33) % kRange);
      }
      made->batches.push_back({column->rows, {column}});
    }
    return made;
  }();
  return table;
}

/// Rates for `rows` rows per iteration.
void set_rates(benchmark::State& state, int64_t rows) {
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * rows), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(state.iterations() * rows * 4);
}

/// The upper bound: the bytes read once and summed as 64-bit words; each thread reads its share.
void read_all(benchmark::State& state) {
  const auto& table = numbers();
  int64_t read = 0;
  for (auto _ : state) {
    uint64_t sums[8] = {};
    read = 0;
    for (auto b = static_cast<size_t>(state.thread_index()); b < table->batches.size();
         b += static_cast<size_t>(state.threads())) {
      const Batch& batch = table->batches[b];
      read += batch.rows;
      const auto* words = batch.columns[0]->values.as<uint64_t>();
      for (int64_t i = 0; i + 8 <= batch.rows / 2; i += 8) {
        for (int k = 0; k < 8; ++k) sums[k] += words[i + k];
      }
    }
    for (uint64_t sum : sums) benchmark::DoNotOptimize(sum);
  }
  set_rates(state, read);
}
BENCHMARK(read_all)->ThreadRange(1, 2)->Unit(benchmark::kMillisecond)->UseRealTime();

plan::NodePtr filter_sum(double share) {
  const auto limit = literal(Value::int32(static_cast<int32_t>(kRange * share)));
  auto few = plan::filter(plan::values(numbers()), call("<", {column(0, TypeId::kInt32), limit}));
  plan::AggregateCall sum;
  sum.function = "sum";
  sum.args = {column(0, TypeId::kInt32)};
  sum.type = TypeId::kInt128;
  return plan::aggregate(few, {}, {sum}, {"sum"});
}

/// Arguments: selectivity in tenths of a percent, rows of a vector (0: the default), threads.
void filter_and_sum(benchmark::State& state) {
  const double share = static_cast<double>(state.range(0)) / 1000;
  const auto plan = filter_sum(share);
  ops::Options options;
  options.target = lanes::simd();
  options.vector_rows = static_cast<uint32_t>(state.range(1));
  options.threads = static_cast<int>(state.range(2));
  int128_t expected = 0;
  for (const Batch& batch : numbers()->batches) {
    const auto* values = batch.columns[0]->values.as<int32_t>();
    for (int64_t i = 0; i < batch.rows; ++i)
      expected += values[i] < static_cast<int32_t>(kRange * share) ? values[i] : 0;
  }
  for (auto _ : state) {
    const Result result = execute(plan, options);
    if (result.table.value(0, 0).integer() != expected) state.SkipWithError("wrong sum");
  }
  set_rates(state, rows());
}
BENCHMARK(filter_and_sum)
    ->ArgNames({"per_mille", "vector", "threads"})
    ->ArgsProduct({{1, 100, 500, 900}, {0}, {1, 2}})
    ->ArgsProduct({{100}, {1024, 2048, 4096, 8192, 16384, 32768, 65536}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace lanewise::exec
