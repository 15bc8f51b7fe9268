#include <benchmark/benchmark.h>
#include <string.h>

#include <memory>

#include "lanes/search/find.h"
#include "lanes/testing/gate/gate_data.h"

namespace lanewise::lanes {
namespace {

const gate::Text& text() {
  static const gate::Text uniform(8u << 20, gate::Lengths::uniform);
  return uniform;
}

/// Rows that contain `literal`; counters: GB/s of text, fraction of rows that match.
void find(benchmark::State& state, Target target, const std::string& literal) {
  const LiteralFinder finder(target, literal);
  std::vector<u64> hits((text().rows() + 63) / 64);
  for (auto _ : state) {
    finder.match(StringRows(text().bytes.data(), text().offsets.data(), text().rows()), nullptr, hits.data());
  }
  u64 count = 0;
  for (u64 word : hits) count += count_bits(word);
  state.SetBytesProcessed(state.iterations() * int64_t(text().size()));
  state.counters["share"] = double(count) / double(text().rows());
}

/// The C library's search in each row.
void memmem_per_row(benchmark::State& state, const std::string& literal) {
  const gate::Text& t = text();
  for (auto _ : state) {
    u64 count = 0;
    for (u64 i = 0; i < t.rows(); i++) {
      count += memmem(&t.bytes[t.offsets[i]], t.offsets[i + 1] - t.offsets[i], literal.data(),
                      literal.size()) != nullptr;
    }
    benchmark::DoNotOptimize(count);
  }
  state.SetBytesProcessed(state.iterations() * int64_t(t.size()));
}

const bool kAdded = [] {
  for (const char* literal : {"#", "zqx#", "google.de/42", "e", "ab", "abc", "oo", "google"}) {
    const std::string after = std::string("/") + literal;
    for (Target target : supported_targets()) {
      if (target == Target::interleaved) continue;
      benchmark::RegisterBenchmark(("find/" + std::string(name(target)) + after).c_str(),
                                   [=](benchmark::State& s) { find(s, target, literal); })
          ->Unit(benchmark::kMillisecond);
    }
    benchmark::RegisterBenchmark(("memmem" + after).c_str(), [=](benchmark::State& s) {
      memmem_per_row(s, literal);
    })->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace lanewise::lanes
