// Reduction, scans, merging and products of matrices on cores, each compared with the standard library, or
// with three loops, on one thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>

#include "primitives/matrix_product.h"
#include "primitives/scan.h"
#include "primitives/testing/matrices.h"
#include "primitives/testing/merge.h"

namespace {

using namespace lanewise;

constexpr size_t kCount = 1 << 25;

const std::vector<int64_t>& numbers() {
  static const std::vector<int64_t> values = [] {
    std::vector<int64_t> some(kCount);
    for (size_t i = 0; i < kCount; ++i) some[i] = static_cast<int64_t>(i * 2654435761 % 1000);
    return some;
  }();
  return values;
}
std::vector<int64_t>& results() {
  static std::vector<int64_t> values(kCount);
  return values;
}
const std::vector<int64_t>& in_order() {
  static const std::vector<int64_t> values = [] {
    std::vector<int64_t> some = numbers();
    const auto middle = some.begin() + kCount / 2;
    std::sort(some.begin(), middle);
    std::sort(middle, some.end());
    return some;
  }();
  return values;
}
bool begins(size_t i) { return i % 100 == 7; }

template <class F>
void measure(benchmark::State& state, F work) {
  for (auto _ : state) {
    work();
    benchmark::ClobberMemory();
  }
}

void reduction(benchmark::State& state) {
  measure(state, [] { benchmark::DoNotOptimize(reduce(std::span(numbers()), int64_t{0}, std::plus<>())); });
}
void reduction_standard(benchmark::State& state) {
  measure(state,
          [] { benchmark::DoNotOptimize(std::accumulate(numbers().begin(), numbers().end(), int64_t{0})); });
}
void inclusive_scan(benchmark::State& state) {
  measure(state, [] { scan(std::span(numbers()), results().data(), true, int64_t{0}, std::plus<>()); });
}
void inclusive_scan_standard(benchmark::State& state) {
  measure(state, [] { std::inclusive_scan(numbers().begin(), numbers().end(), results().begin()); });
}
void segments(benchmark::State& state) {
  measure(state, [] {
    segmented_scan(std::span(numbers()), begins, results().data(), true, int64_t{0}, std::plus<>());
  });
}
void segments_standard(benchmark::State& state) {
  measure(state, [] {
    int64_t sum = 0;
    for (size_t i = 0; i < kCount; ++i) results()[i] = sum = begins(i) ? numbers()[i] : sum + numbers()[i];
  });
}
void merging(benchmark::State& state) {
  const std::span<const int64_t> all(in_order());
  measure(state,
          [&] { merge(all.first(kCount / 2), all.subspan(kCount / 2), results().data(), std::less<>()); });
}
void merging_standard(benchmark::State& state) {
  const auto middle = in_order().begin() + kCount / 2;
  measure(state,
          [&] { std::merge(in_order().begin(), middle, middle, in_order().end(), results().begin()); });
}
template <class T>
void product(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const std::vector<T> a = random_matrix<T>(n * n, 1), b = random_matrix<T>(n * n, 2);
  std::vector<T> to(n * n);
  measure(state, [&] { matrix_product(std::span(a), std::span(b), std::span(to), n, n, n); });
}
template <class T>
void product_standard(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const std::vector<T> a = random_matrix<T>(n * n, 1), b = random_matrix<T>(n * n, 2);
  measure(state, [&] { benchmark::DoNotOptimize(product_by_loops(a, b, n, n, n)); });
}

BENCHMARK(reduction)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(reduction_standard)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(inclusive_scan)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(inclusive_scan_standard)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(segments)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(segments_standard)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(merging)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(merging_standard)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product<double>)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product_standard<double>)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product<int64_t>)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product_standard<int64_t>)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
