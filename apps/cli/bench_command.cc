#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "command.h"
#include "process/interrupt.h"
#include "process/output_file.h"
#include "study/bench/bench.h"
#include "study/bench/index.h"
#include "study/bench/plots.h"
#include "study/bench/pram.h"
#include "study/bench/report.h"
#include "study/bench/scan.h"
#include "study/bench/sql.h"
#include "study/bench/strings.h"

namespace lanewise::cli {

namespace {

const char* const kBenchDescription =
    R"(Measures how much SIMD lanes gain on this machine.

Each instruction set of the machine does the same work; a hash checks that the results are equal. They run in turn, and
the median time is shown. The read rate is the highest one at which a core
reads memory.

  lanewise bench scan                            filters and aggregates of a column of numbers
  lanewise bench strings                         equality, prefix, regular expression on text
  lanewise bench index                           lookups in ordered indexes, here and on a GPU
  lanewise bench sql                             queries on the cores and on a GPU
  lanewise bench pram                            PRAM programs on every executor
  lanewise bench scan --json > scan.json         the same for programs
)";

const char* const kScan = R"(Measures filters and aggregates of one column of numbers, level by level.

The values are 0 to 5; an exact share of them is 3, the value that the filter selects. A seed decides their
order. Row i of a bitmap is bit i % 64 of word i / 64, the least significant bit first.

Levels:
  branching      a branch per row
  scalar         no branch, no vectors
  auto           the same source, vectorised by the compiler
  avx2, avx512   hand-written vectors
  emulated       these vectors in plain C++

  lanewise bench scan --work bitmap --levels branching,scalar,simd
  lanewise bench scan --work sum --threads 1,2,4 --affinity both
  lanewise bench scan --type double --rows 100000000 --selectivity 1,50
  lanewise bench scan --work bitmap --plot selectivity.svg
)";

const char* const kStrings =
    R"(Measures equality, prefix and a regular expression on rows of text, level by level.

Rows are lanes: each lane runs an automaton over the bytes of its row. Naive lanes wait until the slowest lane of
their group has ended. With refill, a lane that has ended takes the next row at once. Occupancy is the share of lane
steps that held a live row; "used" is the share that read a byte of a row.

Row lengths: constant (64 bytes), uniform (8 to 120), skewed (one row in 64 of 512 to 1,535, the others 8 to
40), zipf:EXPONENT (8 to 1,024 by Zipf's law), or a number of bytes.

Levels:
  branching      a loop per row that ends at the first mismatch
  scalar         one lane
  interleaved    4 and 8 lanes of one thread
  avx2, avx512   32 and 64 rows in a register
  emulated       these registers in plain C++
  chosen         the level that queries use

  lanewise bench strings --lengths skewed --levels 'interleaved 8,simd'
  lanewise bench strings --test regex --lengths skewed --levels avx512 --thresholds 1,16,32,48,64
  lanewise bench strings --test prefix --match 10 --mismatch 4
  lanewise bench strings --test regex --lengths 8,16,32,64,128,256,512,1024 --plot lengths.svg
)";

const char* const kIndex =
    R"(Measures look-ups in ordered indexes, on the host with every strategy and on a GPU if there is one.

Keys are distinct, at even distances with noise. Values are their 32-bit positions. Queries are keys of the index.
Device times are from the start of the first kernel to the end of the last. Queries are in the device's memory,
unless a line says otherwise.

Values of --work:
  launch        the first launch and later ones, of an empty kernel and of a search
  node          a node of 15 to 2,047 keys: binary search, segments, a thread for each; key by key
  copy          copies of one node and of trees of several sizes to the device
  trees         100,000 and 1,000,000 keys in nodes of 63 to 1,023: one at a time, 40,000 at once
  multi         the keys of --batches at once, in nodes of 63
  find, range   on the host; also std::map, std::lower_bound, Eytzinger, S+ tree, absl::btree
  device        contains, find, bounds and ranges: random, sorted, and after random updates
  update        batches of changes on the device, and its bulk load
  text          strings of 8 to 40 bytes on the device

  lanewise bench index --keys 100000000 --work find,device
  lanewise bench index --work node,copy,launch --device cuda --json
)";

const char* const kPram =
    R"(Measures PRAM programs on every executor of the machine, and the hand-written algorithm for the same problem.

Times are of whole runs with compiled programs; on a GPU they include transfers.

Values of --work:
  growth   reduction, scan, sort, distances, matching, components, spanning forest over their sizes
  grid     reduction and scan in groups of m = 64, 128, 256 items with c = 4, 8, 16 values
  presort  merge sort from runs of one number, and of 32 that a network sorted
  passes   each program without each optimisation, on all cores and by CUDA
  sets     active processors as a bitset and as a list, over their share
  group    a scan in one group of a GPU, and in many launches

  lanewise bench pram --work growth --program reduction,scan
  lanewise bench pram --work sets --json
)";

const char* const kSql =
    R"(Runs the queries with which `lanewise tune` measures devices, on all cores and on a GPU if there is one.

Columns are in the memory of the device that uses them. Times are of the whole run without planning. Numbers are
BIGINT: of 1,000 values, of 1,000,000 values, and of 62 random bits. There are a quarter
as many strings, of 64 bytes each.

Values of --work:
  scan                a sum
  compute             16 operators a row
  search              LIKE with one literal
  automaton           a regular expression
  group, many_groups  1,000 and 1,000,000 groups
  sort                all rows
  lookup              a join with 1,000 rows of unique keys
  join                a join of all rows with themselves, by random keys

  lanewise bench sql --rows 100000000 --work scan,group
  lanewise bench sql --device cuda --json
)";

void write_plot(const bench::Setting& setting, const std::vector<bench::Group>& groups) {
  const std::vector<plot::Curves> plots = bench::plots_of(groups);
  if (plots.empty()) {
    throw UserError(
        "nothing to plot: give several of --selectivity (scan), --lengths in bytes or --thresholds "
        "(strings)");
  }
  OutputFile file(setting.options.plot);
  file.write(plot::svg_file(
      plots, fmt::format("lanewise bench {}, {}, one core reads {:.1f} GB/s, seed {}", setting.name,
                         setting.processor, setting.read_rate / 1e9, setting.options.seed)));
  file.close();
}

/// Runs one benchmark and writes its tables: each when it is complete, or all as JSON.
template <class Options, class Run>
ExitCode run_bench(const std::string& name, const Options& options, Run run) {
  const Interrupt interrupt;
  OutputFile out;
  std::vector<bench::Group> groups;
  bench::Bench bench(name, options, interrupt.cancellation());
  bool read = true;  // standard output is read by a program; the plot is written anyway
  const auto write = [&](const std::string& text) {
    if (!read) return;
    try {
      out.write(text);
      out.close();
    } catch (const ClosedPipe&) {
      if (options.plot.empty()) throw;
      read = false;
    }
  };
  const bool tables = !options.json && options.silent_runs == 0;
  if (tables) write(heading(bench.setting()));
  groups = run(options, bench, [&](const bench::Group& group) {
    if (tables) write(table(bench.setting(), group));
  });
  if (options.json) write(json(bench.setting(), groups));
  if (!options.plot.empty()) write_plot(bench.setting(), groups);
  return kOk;
}

CLI::Option* list_option(CLI::App& app, const std::string& name, auto& to, const std::string& help,
                         const std::string& text) {
  return app.add_option(name, to, help)->delimiter(',')->option_text(text);
}

void add_repetition(CLI::App& app, bench::Options& options) {
  app.add_option("--seed", options.seed, "Seed for the data")->option_text("N");
  app.add_option("--repeat", options.repeat, "Number of rounds, of which the median is shown (default: 3)")
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  app.add_flag("--json", options.json, "Write JSON instead of tables");
}

void add_common(CLI::App& app, bench::Options& options) {
  app.add_option("--rows", options.rows, "Number of rows (default: chosen for this machine)")
      ->check(CLI::Range(int64_t{1}, kMostRows))
      ->option_text("N");
  add_repetition(app, options);
  list_option(app, "--levels", options.levels, "Run only these, by name or its first words; simd: the widest",
              "NAME,...");
  app.add_flag("--cachegrind", options.cachegrind,
               "Simulate branches and misses with valgrind, level by level; takes minutes");
  app.add_option("--silent-runs", options.silent_runs)->group("");  // what is simulated
  app.add_option("--plot", options.plot, "Also draw the results into an SVG file")->type_name("FILE");
}

void add_scan_options(CLI::App& scan, bench::ScanOptions& options) {
  add_common(scan, options);
  list_option(scan, "--work", options.work, "bitmap, count, list, sum, min_max, valid (default: all)",
              "NAME,...")
      ->check(CLI::IsMember(bench::scan_work_names()));
  list_option(scan, "--selectivity", options.selectivity, "Shares of the value 3 in percent", "PERCENT,...")
      ->check(CLI::Range(0.0, 100.0));
  scan.add_option("--type", options.type, "int8 to int64, uint8 to uint64, float, double (default: int32)")
      ->check(CLI::IsMember(bench::scan_type_names()))
      ->option_text("NAME");
  list_option(scan, "--threads", options.threads, "Thread counts to try, one after the other (default: 1)",
              "N,...")
      ->check(CLI::Range(1, 1024));
  scan.add_option("--affinity", options.affinity, "Pin threads to cores: with, without, both")
      ->check(CLI::IsMember({"with", "without", "both"}))
      ->option_text("WHICH");
}

void add_sql_options(CLI::App& sql, bench::SqlBenchOptions& options) {
  sql.add_option("--rows", options.rows, "Number of rows (default: 4,194,304)")
      ->check(CLI::Range(uint64_t{1000}, uint64_t{1} << 32))
      ->option_text("N");
  list_option(sql, "--work", options.work, "Run only these (default: all)", "NAME,...")
      ->check(CLI::IsMember(bench::sql_work_names()));
  sql.add_option("--device", options.device,
                 "Device: cpu, cuda, cuda:N or auto, a GPU if there is one (default: auto)")
      ->option_text("NAME");
  add_repetition(sql, options);
}

void add_pram_options(CLI::App& pram, bench::PramBenchOptions& options) {
  list_option(pram, "--work", options.work, "Run only these (default: all)", "NAME,...")
      ->check(CLI::IsMember(bench::pram_work_names()));
  list_option(pram, "--program", options.programs, "Run only these (default: all)", "NAME,...")
      ->check(CLI::IsMember(bench::pram_program_names()));
  list_option(pram, "--sizes", options.sizes, "Sizes of the inputs (default: chosen for each program)",
              "N,...")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  pram.add_option("--device", options.device,
                  "Device: cpu or auto, which adds CUDA and OpenCL if they exist (default: auto)")
      ->check(CLI::IsMember({"cpu", "auto"}))
      ->option_text("NAME");
  add_repetition(pram, options);
}

void add_index_options(CLI::App& index, bench::IndexBenchOptions& options) {
  index.add_option("--keys", options.rows, "Number of keys in the index (default: 10 million)")
      ->check(CLI::Range(uint64_t{1}, uint64_t{UINT32_MAX}))
      ->option_text("N");
  index
      .add_option("--node-keys", options.node_keys, "Maximum keys of a node, 4 to 2047 (default: 256 or 128)")
      ->check(CLI::Range(4, 2047))
      ->option_text("N");
  index.add_option("--queries", options.queries, "Keys to look up on the host (default: 1,048,576)")
      ->check(CLI::Range(int64_t{1}, kMostRows))
      ->option_text("N");
  list_option(index, "--batches", options.batches,
              "Number of keys that multi looks up at once (default: 1,40000)", "N,...")
      ->check(CLI::Range(int64_t{1}, kMostRows));
  index
      .add_option("--device-queries", options.device_queries,
                  "Keys to look up on the device (default: as many as keys)")
      ->check(CLI::Range(int64_t{1}, kMostRows))
      ->option_text("N");
  list_option(index, "--work", options.work, "Run only these (default: all)", "NAME,...")
      ->check(CLI::IsMember(bench::index_work_names()));
  index.add_option("--type", options.type, "uint32 or uint64 (default: uint32)")
      ->check(CLI::IsMember({"uint32", "uint64"}))
      ->option_text("NAME");
  index
      .add_option("--device", options.device,
                  "Device: cpu, cuda, cuda:N or auto, a GPU if there is one (default: auto)")
      ->option_text("NAME");
  add_repetition(index, options);
}

void add_strings_options(CLI::App& strings, bench::StringsOptions& options) {
  add_common(strings, options);
  list_option(strings, "--test", options.tests, "equality, prefix, regex (default: all)", "NAME,...")
      ->check(CLI::IsMember(bench::string_test_names()));
  list_option(strings, "--lengths", options.lengths,
              "constant, uniform, skewed, zipf:EXPONENT or a number of bytes (default: the first three)",
              "WHICH,...");
  strings.add_option("--match", options.match, "Share of rows that match, in percent (default: 1)")
      ->check(CLI::Range(0.0, 100.0))
      ->option_text("PERCENT");
  strings
      .add_option("--mismatch", options.mismatch,
                  "Byte at which other rows differ from the constant (default: random)")
      ->option_text("BYTE");
  list_option(strings, "--thresholds", options.thresholds,
              "Refill when fewer lanes than N are busy, for each N; replaces naive and refill", "N,...")
      ->check(CLI::Range(1, 64));
}

/// Adds one benchmark: `add_options` declares its options, `work` measures.
template <class Options, class Work>
void add_benchmark(CLI::App& bench, Command& run, const char* name, const char* help,
                   void (*add_options)(CLI::App&, Options&), Work work) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = bench.add_subcommand(name, help);
  add_options(*app, *options);
  app->callback([=, &run] { run = [=] { return run_bench(name, *options, work); }; });
}

}  // namespace

void add_bench_command(CLI::App& app, Command& run) {
  CLI::App* bench = app.add_subcommand("bench", kBenchDescription);
  bench->require_subcommand(1);
  add_benchmark(*bench, run, "scan", kScan, add_scan_options, bench::run_scan);
  add_benchmark(*bench, run, "sql", kSql, add_sql_options, bench::run_sql);
  add_benchmark(*bench, run, "pram", kPram, add_pram_options, bench::run_pram);
  add_benchmark(*bench, run, "index", kIndex, add_index_options, bench::run_index);
  add_benchmark(*bench, run, "strings", kStrings, add_strings_options, bench::run_strings);
}

}  // namespace lanewise::cli
