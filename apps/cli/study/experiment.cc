#include "study/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/machine.h"
#include "study/bench/index.h"
#include "study/bench/index_device.h"
#include "study/bench/lane_trace.h"
#include "study/bench/on_device.h"
#include "study/bench/pairs.h"
#include "study/bench/pram.h"
#include "study/bench/pram_examples.h"
#include "study/bench/scan.h"
#include "study/bench/sql.h"
#include "study/bench/strings.h"
#include "study/branch_model.h"

namespace lanewise::cli::study {

using bench::IndexBenchOptions;
using bench::PairsOptions;
using bench::PramBenchOptions;
using bench::ScanOptions;
using bench::SqlBenchOptions;
using bench::StringsOptions;

Measure::Measure(const Parameters& parameters, double read_rate, const Cancellation& cancellation,
                 std::function<void(const std::string&)> say)
    : parameters_(parameters), read_rate_(read_rate), cancellation_(cancellation), say_(std::move(say)) {}

uint64_t Measure::rows(uint64_t quick, uint64_t full) const {
  const uint64_t wanted = parameters_.quick ? quick : full;
  return parameters_.most_rows == 0 ? wanted : std::min(wanted, parameters_.most_rows);
}

namespace {

bool energy_is_readable() {
  static const bench::Joules kFirst = bench::Energy().read();
  return kFirst.processor || kFirst.gpu;
}

}  // namespace

template <class Options, class Run>
void Measure::measure(const char* name, Options options, Run run, int rounds, double enough) {
  if (options.energy && !energy_is_readable()) return;
  options.seed = parameters_.seed;
  options.repeat = rounds * parameters_.repeat;
  options.enough = parameters_.quick ? 0.5 : enough;
  bench::Bench bench(name, options, cancellation_, read_rate_, say_);
  run(options, bench, [&](const bench::Group& group) { groups_.push_back(group); });
}

bool Measure::has_device() const {
  try {
    return bench::find_device(parameters_.device) != nullptr;
  } catch (const UserError&) {
    return false;  // said where the study begins
  }
}

/// Half the rounds of a filter without optimisation would take longer than all others together.
void Measure::scan(ScanOptions options) { measure("scan", std::move(options), bench::run_scan, 1, 1); }
void Measure::strings(StringsOptions options) {
  measure("strings", std::move(options), bench::run_strings, 1, 1);
}
void Measure::pairs(PairsOptions options) {
  measure("pairs", std::move(options), [](const PairsOptions& given, bench::Bench& bench, const auto& emit) {
    for (const bench::Group& group : run_pairs(given, bench)) emit(group);
  });
}
void Measure::index(IndexBenchOptions options) {
  options.device = parameters_.device;
  measure("index", std::move(options), bench::run_index, 1, 1);
}
void Measure::sql(SqlBenchOptions options) {
  options.device = parameters_.device;
  measure("sql", std::move(options), bench::run_sql, 1, 1);
}
void Measure::pram(PramBenchOptions options, int rounds) {
  options.device = parameters_.device == "cpu" ? "cpu" : "auto";
  measure("pram", std::move(options), bench::run_pram, rounds, 1);
}

namespace {

const std::vector<std::string> kTextLevels = {"branching", "scalar", "interleaved", "avx2", "avx512", "neon"};

StringsOptions text_options(const Measure& measure) {
  StringsOptions options;
  options.rows = measure.rows(1 << 16, 1 << 19);
  options.levels = kTextLevels;
  return options;
}

void string_lengths(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.lengths = {"constant", "uniform", "skewed", "zipf:1"};
  measure.strings(options);
}

void string_curve(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.tests = {"regex"};
  for (const uint64_t length : {8, 16, 32, 64, 128, 256, 512, 1024}) {
    options.lengths = {std::to_string(length)};
    options.rows = std::max<uint64_t>(measure.rows(1 << 22, 1 << 25) / length, 1000);
    measure.strings(options);
  }
}

void string_matches(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.tests = {"regex"};
  options.lengths = {"skewed"};
  for (const double match : {0, 1, 10, 25, 50, 75, 100}) {
    options.match = match;
    measure.strings(options);
  }
}

void string_mismatches(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.tests = {"equality"};
  options.lengths = {"constant"};
  for (const char* mismatch : {"0", "8", "16", "32", "48", "63"}) {
    options.mismatch = mismatch;
    measure.strings(options);
  }
}

void string_refill(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.rows = measure.rows(1 << 14, 1 << 18);
  options.tests = {"regex"};
  options.levels = {"interleaved 8", "simd"};
  for (const char* lengths : {"zipf:0", "zipf:0.5", "zipf:1", "zipf:1.5", "zipf:2", "zipf:2.5"}) {
    for (const double match : {0, 1, 10, 50, 100}) {
      options.lengths = {lengths};
      options.match = match;
      measure.strings(options);
    }
  }
}

void string_thresholds(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.tests = {"regex"};
  options.lengths = {"skewed"};
  options.levels = {"interleaved 8", "avx2", "avx512", "neon"};
  options.thresholds = {1, 2, 4, 8, 16, 32, 48, 64};
  measure.strings(options);
}

/// On warps, with all cores as the reference. Many rows for each lane, so that refill has some to take.
StringsOptions warp_options(const Measure& measure, uint64_t quick, uint64_t full) {
  StringsOptions options;
  options.rows = measure.rows(quick, full);
  options.levels = {"simd"};
  options.threads = machine_cores();
  options.device = measure.device();
  return options;
}

void warp_lengths(Measure& measure) {
  if (!measure.has_device()) return;
  StringsOptions options = warp_options(measure, 1 << 18, 1 << 22);
  options.lengths = {"constant", "uniform", "skewed", "zipf:1"};
  measure.strings(options);
}

void warp_matches(Measure& measure) {
  if (!measure.has_device()) return;
  StringsOptions options = warp_options(measure, 1 << 18, 1 << 22);
  options.lengths = {"skewed"};
  options.tests = {"regex"};
  for (const double match : {0, 10, 25, 50, 75, 100}) {
    options.match = match;
    measure.strings(options);
  }
  options.match = 1;
  options.lengths = {"constant"};
  options.tests = {"equality"};
  for (const char* mismatch : {"0", "8", "16", "32", "48", "63"}) {
    options.mismatch = mismatch;
    measure.strings(options);
  }
}

void warp_refill(Measure& measure) {
  if (!measure.has_device()) return;
  StringsOptions options = warp_options(measure, 1 << 16, 1 << 21);
  options.tests = {"regex"};
  for (const char* lengths : {"zipf:0", "zipf:0.5", "zipf:1", "zipf:1.5", "zipf:2", "zipf:2.5"}) {
    for (const double match : {0, 1, 10, 50, 100}) {
      options.lengths = {lengths};
      options.match = match;
      measure.strings(options);
    }
  }
}

void warp_shapes(Measure& measure) {
  if (!measure.has_device()) return;
  StringsOptions options = warp_options(measure, 1 << 18, 1 << 22);
  options.tests = {"regex"};
  options.lengths = {"skewed"};
  options.shapes = true;
  measure.strings(options);
}

void string_trace(Measure& measure) {
  for (const int width : {3, 8})
    measure.add(bench::trace_lanes(width == 3 ? 16 : 40, width, measure.parameters().seed));
}

void join_pairs(Measure& measure) {
  PairsOptions options;
  options.rows = measure.rows(1 << 16, 1 << 20);
  options.device = measure.device();
  measure.pairs(options);
}

/// On one core 2^27 values of the study's 2^30: larger than any cache, and the loops without optimisation end
/// in time.
uint64_t column_rows(const Measure& measure) {
  const auto fits = std::bit_floor(static_cast<uint64_t>(machine_memory() / 16 / 4));
  return measure.rows(1 << 22, std::min(uint64_t{1} << 27, fits));
}

void selectivity(Measure& measure) {
  ScanOptions options;
  options.rows = column_rows(measure);
  options.work = {"bitmap"};
  options.unoptimised = true;
  measure.scan(options);
}

void aggregates(Measure& measure) {
  ScanOptions options;
  options.rows = column_rows(measure);
  options.selectivity = {20};
  options.unoptimised = true;
  measure.scan(options);
}

/// 2^30 values as in the study, if the host's memory is large enough.
ScanOptions device_options(const Measure& measure) {
  ScanOptions options;
  const auto fits = std::bit_floor(static_cast<uint64_t>(machine_memory() / 16 / 4));
  options.rows = measure.rows(1 << 22, std::min(uint64_t{1} << 30, fits));
  options.levels = {"simd"};
  options.threads = {machine_cores()};
  options.device = measure.device();
  return options;
}

void device_filter(Measure& measure) {
  if (!measure.has_device()) return;
  ScanOptions options = device_options(measure);
  options.work = {"bitmap"};
  measure.scan(options);
}

void device_aggregates(Measure& measure) {
  if (!measure.has_device()) return;
  ScanOptions options = device_options(measure);
  options.work = {"sum", "min_max", "valid"};
  options.selectivity = {20};
  measure.scan(options);
}

void device_shapes(Measure& measure) {
  if (!measure.has_device()) return;
  ScanOptions options = device_options(measure);
  options.work = {"bitmap", "sum"};
  options.selectivity = {50};
  options.shapes = true;
  measure.scan(options);
}

/// What the limits of the figures need of the card.
void card(Measure& measure) {
  if (!measure.has_device()) return;
  const uint64_t most = measure.parameters().most_rows;
  bench::Group group;
  group.title = "the GPU's own limits";
  try {
    group.about = {
        {"work", "card"},
        {"card", bench::measure_card(*bench::find_device(measure.device()), most > 0 && most < 1 << 20)}};
  } catch (const CancelledError&) {
    throw;
  } catch (const std::exception& error) {
    group.about = {{"work", "card"}, {"why_not", error.what()}};
  }
  measure.add(std::move(group));
}

void threads(Measure& measure) {
  ScanOptions options;
  options.rows = column_rows(measure);
  options.work = {"bitmap", "valid", "sum", "min_max"};
  options.selectivity = {20};
  options.levels = {"scalar", "simd"};
  options.affinity = "both";
  const int cores = machine_cores();
  options.threads.clear();
  for (int count = 1; count < cores; count *= 2) options.threads.push_back(count);
  options.threads.insert(options.threads.end(), {cores, 2 * cores});
  measure.scan(options);
}

/// The two-bit predictor and the cache over the same values: for each share, each aggregate, and more
/// threads.
void branches(Measure& measure) {
  const auto add = [&](ModelledWork work, double percent, int count) {
    measure.add(modelled(work, measure.rows(1 << 20, 1 << 20), percent, count, measure.parameters().seed));
  };
  for (const double percent : {0.1, 1.0, 10.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0})
    add(ModelledWork::filter, percent, 1);
  constexpr ModelledWork kAll[] = {ModelledWork::filter, ModelledWork::sum, ModelledWork::count,
                                   ModelledWork::min, ModelledWork::max};
  for (const ModelledWork work : kAll) {
    for (const int count : {1, 2, 4, 8}) {
      if (work != ModelledWork::filter || count > 1) add(work, 20, count);
    }
  }
}

void sql(Measure& measure) {
  SqlBenchOptions options;
  options.rows = measure.rows(1 << 20, 1 << 24);
  options.every_level = true;
  measure.sql(options);
}

void nodes(Measure& measure) {
  IndexBenchOptions options;
  options.work = {"launch", "node"};
  options.queries = measure.rows(1 << 16, 1 << 18);
  measure.index(options);
}

void copies(Measure& measure) {
  IndexBenchOptions options;
  options.work = {"copy"};
  options.rows = measure.rows(1'000'000, 30'000'000);
  measure.index(options);
}

void trees(Measure& measure) {
  IndexBenchOptions options;
  options.work = {"trees"};
  options.rows = measure.rows(1'000'000, 1'000'000);
  measure.index(options);
}

void finds(Measure& measure) {
  IndexBenchOptions options;
  options.work = {"find"};
  options.queries = measure.rows(1 << 17, 1 << 20);
  const uint64_t most = measure.rows(1'000'000, std::min<uint64_t>(100'000'000, machine_memory() / 600));
  for (uint64_t keys = std::min<uint64_t>(1000, most); keys <= most; keys *= 10) {
    options.rows = keys;
    measure.index(options);
  }
}

void multi(Measure& measure) {
  IndexBenchOptions options;
  options.work = {"multi"};
  options.rows = measure.rows(1'000'000, 10'000'000);
  options.batches = {1, 10, 100, 1000, 10'000, 40'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  // Keys and answers take 8 bytes, and some copies of them.
  const uint64_t most = measure.quick() ? 1'000'000 : machine_memory() / 100;
  std::erase_if(options.batches, [&](uint64_t batch) { return batch > measure.rows(most, most); });
  measure.index(options);
}

PramBenchOptions pram_options(const Measure& measure, const char* work) {
  PramBenchOptions options;
  options.work = {work};
  options.few = measure.quick();
  options.most = measure.parameters().most_rows;
  return options;
}

void growth(Measure& measure) { measure.pram(pram_options(measure, "growth")); }
// Short tasks on several threads are easily disturbed.
void passes(Measure& measure) { measure.pram(pram_options(measure, "passes"), 4); }
void sets(Measure& measure) { measure.pram(pram_options(measure, "sets"), 4); }
void group(Measure& measure) { measure.pram(pram_options(measure, "group"), 4); }
void grid(Measure& measure) { measure.pram(pram_options(measure, "grid")); }
void presort(Measure& measure) { measure.pram(pram_options(measure, "presort")); }

void examples(Measure& measure) {
  for (bench::Group& example : bench::worked_examples()) measure.add(std::move(example));
  for (bench::Group& tree : bench::tree_accesses(measure.rows(1 << 20, 1 << 20)))
    measure.add(std::move(tree));
}

// Energy of the main lines, each for a second.

void string_energy(Measure& measure) {
  StringsOptions options = text_options(measure);
  options.energy = true;
  options.tests = {"regex"};
  options.lengths = {"skewed"};
  options.levels = {"scalar", "simd"};
  measure.strings(options);
}

void operator_energy(Measure& measure) {
  ScanOptions options;
  options.energy = true;
  options.rows = measure.rows(1 << 22, 1 << 26);
  options.work = {"bitmap", "sum"};
  options.selectivity = {20};
  options.levels = {"scalar", "simd"};
  options.threads = {1, machine_cores()};
  measure.scan(options);
  SqlBenchOptions queries;
  queries.energy = true;
  queries.rows = measure.rows(1 << 20, 1 << 24);
  queries.work = {"scan", "group"};
  measure.sql(queries);
}

void index_energy(Measure& measure) {
  IndexBenchOptions options;
  options.energy = true;
  options.work = {"multi"};
  options.rows = measure.rows(1'000'000, 10'000'000);
  options.batches = {measure.rows(1'000'000, 1'000'000)};
  measure.index(options);
}

void pram_energy(Measure& measure) {
  PramBenchOptions options = pram_options(measure, "growth");
  options.energy = true;
  options.programs = {"reduction", "sort"};
  options.sizes = {measure.rows(1 << 16, 1 << 18)};
  measure.pram(options);
}

}  // namespace

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> kExperiments = {
      {"strings", "lengths", 12, string_lengths},
      {"strings", "curve", 6, string_curve},
      {"strings", "matches", 6, string_matches},
      {"strings", "mismatches", 4, string_mismatches},
      {"strings", "refill", 10, string_refill},
      {"strings", "thresholds", 4, string_thresholds},
      {"strings", "trace", 0.1, string_trace},
      {"strings", "card", 0.2, card},
      {"strings", "warps", 4, warp_lengths},
      {"strings", "warp-matches", 3, warp_matches},
      {"strings", "warp-refill", 8, warp_refill},
      {"strings", "warp-shapes", 2, warp_shapes},
      {"strings", "pairs", 2, join_pairs},
      {"strings", "energy", 1, string_energy},
      {"operators", "selectivity", 14, selectivity},
      {"operators", "aggregates", 4, aggregates},
      {"operators", "threads", 10, threads},
      {"operators", "branches", 1, branches},
      {"operators", "card", 0.2, card},
      {"operators", "gpu", 20, device_filter},
      {"operators", "gpu-aggregates", 2, device_aggregates},
      {"operators", "gpu-shapes", 2, device_shapes},
      {"operators", "sql", 8, sql},
      {"operators", "energy", 2, operator_energy},
      {"index", "nodes", 1, nodes},
      {"index", "copies", 1, copies},
      {"index", "trees", 0.5, trees},
      {"index", "finds", 16, finds},
      {"index", "multi", 16, multi},
      {"index", "energy", 1, index_energy},
      {"pram", "growth", 28, growth},
      {"pram", "grid", 12, grid},
      {"pram", "presort", 8, presort},
      {"pram", "passes", 7, passes},
      {"pram", "sets", 4, sets},
      {"pram", "group", 0.5, group},
      {"pram", "examples", 0.1, examples},
      {"pram", "energy", 2, pram_energy},
  };
  return kExperiments;
}

}  // namespace lanewise::cli::study
