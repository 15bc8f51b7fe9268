// The gate of the lane concepts: every group against a hand-written loop, alternately in one run, with equal
// results.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "lanes/automata/rows.h"
#include "lanes/testing/gate/gate_data.h"
#include "lanes/testing/gate/gate_twin.h"

namespace lanewise::lanes::gate {
namespace {

/// The time of this thread alone: other processes may use the machine too.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

double seconds(const std::function<void()>& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

const Text& text(Lengths lengths) {
  static std::unique_ptr<Text> texts[3];
  auto& slot = texts[int(lengths)];
  if (!slot) slot = std::make_unique<Text>(8u << 20, lengths);
  return *slot;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown";
}

/// GB/s at which one core reads a buffer larger than its caches.
double read_rate() {
  std::vector<u64> words(1 << 26, 1);
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    best = std::min(best, seconds([&] {
                      benchmark::DoNotOptimize(std::accumulate(words.begin(), words.end(), u64(0)));
                    }));
  }
  return double(words.size() * 8) / best / 1e9;
}

using Run = std::function<u64(const Text&)>;

/// Times `ours` and `twin` alternately; their counts must be equal. Reports the least times.
void compare(benchmark::State& state, Lengths lengths, const Run& ours, const Run& twin) {
  const Text& data = text(lengths);
  double best = 1e9, best_twin = 1e9;
  for (auto _ : state) {
    u64 count = 0, twin_count = 0;
    best_twin = std::min(best_twin, seconds([&] { twin_count = twin(data); }));
    const double time = seconds([&] { count = ours(data); });
    best = std::min(best, time);
    state.SetIterationTime(time);
    if (count != twin_count) return state.SkipWithError("different answers");
  }
  const double gigabytes = double(data.size()) / 1e9;
  state.counters["GB/s"] = gigabytes / best;
  state.counters["by_hand"] = gigabytes / best_twin;
  state.counters["ratio"] = best_twin / best;
}

/// Counts the rows that `matcher` finds, and insists on the target.
Run run_of(Target target, Form form, const AutomatonView& automaton, RowOptions options = {}) {
  auto matcher = std::make_shared<RowMatcher>(target, form, automaton, options);
  auto hits = std::make_shared<std::vector<u64>>();
  return [=](const Text& data) {
    hits->resize((data.rows() + 63) / 64);
    const StringRows rows(data.bytes.data(), data.offsets.data(), data.rows());
    if (matcher->match(rows, nullptr, hits->data()) != target) return ~u64(0);
    u64 count = 0;
    for (u64 word : *hits) count += u64(__builtin_popcountll(word));
    return count;
  };
}

void add(const std::string& name, const Run& ours, const Run& twin) {
  for (Lengths lengths : {Lengths::constant, Lengths::uniform, Lengths::skewed}) {
    const std::string full = name + "/" + kLengthNames[int(lengths)];
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& s) { compare(s, lengths, ours, twin); })
        ->UseManualTime()
        ->Iterations(9)
        ->Unit(benchmark::kMillisecond);
  }
}

/// The automaton in the form that the hand-written loops read.
struct Tables {
  std::vector<u8> by_byte, next;
  AutomatonView a;

  explicit Tables(const AutomatonView& view) : by_byte(view.states * 256), next(256), a(view) {
    for (u32 s = 0; s < a.states; s++) {
      for (u32 b = 0; b < 256; b++) by_byte[s * 256 + b] = u8(a.next[s * a.classes + a.class_of[b]]);
    }
    if (a.states * a.classes > 256) return;
    for (u32 i = 0; i < a.states * a.classes; i++) next[i] = u8(a.next[i] * a.classes);
  }
  Plain plain() const { return {by_byte.data(), a.match}; }
  /// Nothing if the classes consist of too many runs of bytes, or the table by runs is too large.
  std::optional<Runs> runs() const {
    Runs r{.start = {}, .next = {}, .runs = 1, .entries = 0, .accept = 0};
    std::ranges::fill(r.start, 128);
    std::vector<u8> classes{a.class_of[0]};
    for (u32 b = 1; b < 256; b++) {
      if (b >= 128 && a.class_of[b] != a.class_of[0]) return std::nullopt;
      if (b >= 128 || a.class_of[b] == a.class_of[b - 1]) continue;
      if (r.runs == 15) return std::nullopt;
      r.start[r.runs++ - 1] = u8(b);
      classes.push_back(a.class_of[b]);
    }
    r.entries = a.states * r.runs;
    if (r.entries > 128) return std::nullopt;
    for (u32 s = 0; s < a.states; s++) {
      for (u32 k = 0; k < r.runs; k++)
        r.next[s * r.runs + k] = u8(a.next[s * a.classes + classes[k]] * r.runs);
    }
    r.accept = u8(a.match * r.runs);
    return r;
  }
  Small small() const { return {next.data(), a.class_of, a.states * a.classes, u8(a.match * a.classes)}; }
};

void add_rows() {
  static const Search search(words({"google.d", "yahoo", "bing-0"}));
  static const Tables tables(search.view());
  const auto twin = [](auto count) {
    return [=](const Text& t) { return count(tables.plain(), t.offsets.data(), t.bytes.data(), t.rows()); };
  };
  const AutomatonView a = search.view();
  add("rows/1", run_of(Target::scalar, Form::rows, a), twin(count_scalar));
  add("rows/4", run_of(Target::interleaved, Form::rows, a, {.width = 4}), twin(count_interleaved<4>));
  add("rows/8", run_of(Target::interleaved, Form::rows, a, {.width = 8}), twin(count_interleaved<8>));
  add("rows/32 emulated", run_of(Target::emulated, Form::rows, a), twin(count_scalar));
}

void add_packed() {
#if defined(__x86_64__)
  const auto sets = [](const std::vector<std::string>& texts) {
    std::vector<ByteSet> sequence;
    for (const auto& text : texts) sequence.push_back(byte_set(text));
    return std::vector<std::vector<ByteSet>>{sequence};
  };
  static const std::pair<const char*, Search> searches[] = {
      {"google\\.d", Search(words({"google.d"}))},
      {"[a-z]{3}[0-9]{3}\\.", Search(sets({"a-z", "a-z", "a-z", "0-9", "0-9", "0-9", "."}))},
      {"[0-9]{3}[a-f]{2}\\.", Search(sets({"0-9", "0-9", "0-9", "a-f", "a-f", "."}))},
      {"[0-9a-f]{8}", Search({std::vector(8, byte_set("0-9a-f"))})},
      {"google\\.d|yahoo", Search(words({"google.d", "yahoo"}))},
      {"[a-f][g-z]{2}[0-4]{2}[a-m]{2}", Search(sets({"a-f", "g-z", "g-z", "0-4", "0-4", "a-m", "a-m"}))},
  };
  for (const auto& [pattern, search] : searches) {
    const AutomatonView a = search.view();
    auto tables = std::make_shared<Tables>(a);
    const Run twin = [=](const Text& t) {
      return count_packed(tables->small(), t.offsets.data(), t.bytes.data(), t.rows());
    };
    const auto runs = tables->runs();
    const Run avx2_twin = [=](const Text& t) {
      return count_packed(*runs, t.offsets.data(), t.bytes.data(), t.rows());
    };
    for (Target target : {Target::avx512, Target::avx2, Target::emulated}) {
      if (!supported(Target::avx512) || !offers(target, Form::packed, a)) continue;
      if (target == Target::avx2 && !runs) continue;  // has no hand-written loop
      add("packed/" + std::string(name(target)) + "/" + pattern + " " + std::to_string(a.states * a.classes),
          run_of(target, Form::packed, a), target == Target::avx2 ? avx2_twin : twin);
    }
  }
#endif
}

const bool kAdded = [] {
  benchmark::AddCustomContext("cpu", cpu_name());
  benchmark::AddCustomContext("read", std::to_string(read_rate()) + " GB/s");
  add_rows();
  add_packed();
  return true;
}();

}  // namespace
}  // namespace lanewise::lanes::gate
