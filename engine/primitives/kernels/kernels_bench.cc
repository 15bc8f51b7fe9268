#include <benchmark/benchmark.h>

#include <random>

#include "base/bits.h"
#include "primitives/kernels.h"

namespace lanewise::kernels {
namespace {

constexpr size_t kSlice = 8192;

/// select sum(v) where v < limit, over 2^28 int32 values of 0 to 999 in slices.
void filter_and_sum(benchmark::State& state, lanes::Target target, int32_t limit) {
  static const std::vector<int32_t> values = [] {
    std::vector<int32_t> result(size_t{1} << 28);
    std::mt19937 random(1);
    for (int32_t& v : result) v = int32_t(random() % 1000);
    return result;
  }();
  const auto& kernels = of<int32_t>(target);
  uint64_t bitmap[kSlice / 64];
  for (auto _ : state) {
    int128_t sum = 0;
    for (size_t row = 0; row < values.size(); row += kSlice) {
      kernels.compare_constant(Comparison::lt, &values[row], limit, kSlice, bitmap);
      sum += kernels.sum(&values[row], bitmap, kSlice);
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * int64_t(values.size()));
}

/// One kernel over one slice that stays in the cache.
template <class T, class F>
void slice(benchmark::State& state, F f) {
  std::vector<T> a(kSlice, T(3)), b(kSlice, T(5)), out(kSlice);
  std::vector<uint64_t> bitmap(kSlice / 64, 0x5555555555555555);
  std::vector<uint32_t> list(kSlice);
  for (auto _ : state) {
    f(a.data(), b.data(), bitmap.data(), out.data(), list.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t(kSlice));
}

template <class T>
void add_type(const std::string& type, lanes::Target target) {
  const std::string at = "/" + type + "/" + std::string(lanes::name(target));
  const Kernels<T>& k = of<T>(target);
  const auto add = [](const std::string& name, auto f) {
    benchmark::RegisterBenchmark(name.c_str(), [f](benchmark::State& s) { slice<T>(s, f); });
  };
  add("compare" + at,
      [&k](T* a, T* b, uint64_t* bits, T*, uint32_t*) { k.compare(Comparison::lt, a, b, kSlice, bits); });
  add("sum" + at,
      [&k](T* a, T*, uint64_t* bits, T*, uint32_t*) { benchmark::DoNotOptimize(k.sum(a, bits, kSlice)); });
  add("min_max" + at, [&k](T* a, T*, uint64_t* bits, T*, uint32_t*) {
    benchmark::DoNotOptimize(k.min_max(a, bits, kSlice));
  });
  add("add" + at, [&k](T* a, T* b, uint64_t*, T* out, uint32_t*) {
    k.arithmetic(Arithmetic::add, a, b, kSlice, nullptr, out);
  });
  add("multiply" + at, [&k](T* a, T* b, uint64_t*, T* out, uint32_t*) {
    k.arithmetic(Arithmetic::multiply, a, b, kSlice, nullptr, out);
  });
}

const bool kAdded = [] {
  for (lanes::Target target : lanes::supported_targets()) {
    if (target == lanes::Target::interleaved) continue;
    for (int32_t limit : {1, 100, 500, 900}) {
      const std::string name = "filter_sum/" + std::to_string(limit) + "/" + std::string(lanes::name(target));
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) {
        filter_and_sum(s, target, limit);
      })->Unit(benchmark::kMillisecond);
    }
    add_type<int8_t>("i8", target);
    add_type<int32_t>("i32", target);
    add_type<int64_t>("i64", target);
    add_type<float>("f32", target);
    add_type<double>("f64", target);
    const BitKernels& bits = bits_of(target);
    benchmark::RegisterBenchmark(
        ("list/" + std::string(lanes::name(target))).c_str(), [&bits](benchmark::State& s) {
          slice<uint64_t>(s, [&](uint64_t*, uint64_t*, uint64_t* bitmap, uint64_t*, uint32_t* list) {
            bits.list(bitmap, kSlice, 0, list);
          });
        });
    benchmark::RegisterBenchmark(
        ("hash/" + std::string(lanes::name(target))).c_str(), [&bits](benchmark::State& s) {
          slice<uint64_t>(s, [&](uint64_t* words, uint64_t*, uint64_t*, uint64_t* out, uint32_t*) {
            bits.hash(words, kSlice, out);
          });
        });
  }
  return true;
}();

}  // namespace
}  // namespace lanewise::kernels
