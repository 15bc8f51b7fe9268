#include "study/report/published.h"

#include <fmt/format.h>

#include <cmath>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

std::span<const PublishedFilter> published_filter() {
  static constexpr PublishedFilter kFilter[] = {
      {"Scalar -O0",
       "branching",
       {2.459, 2.598, 4.078, 5.921, 6.870, 7.675, 9.058, 9.66, 8.839, 7.257, 5.815, 4.338, 3.146}},
      {"AVX -O0",
       "",
       {2.360, 2.301, 2.297, 2.300, 2.316, 2.304, 2.345, 2.299, 2.298, 2.301, 2.301, 2.297, 2.299}},
      {"Scalar -O3",
       "scalar",
       {0.992, 0.996, 0.996, 1.001, 1.006, 0.998, 0.998, 0.999, 0.992, 0.996, 0.999, 1.000, 0.995}},
      {"AVX -O3",
       "avx2",
       {0.485, 0.486, 0.484, 0.484, 0.488, 0.486, 0.490, 0.487, 0.484, 0.494, 0.486, 0.484, 0.485}},
  };
  return kFilter;
}

namespace {

constexpr double kCudaFilter[] = {0.312, 0.314, 0.311, 0.317, 0.309, 0.316, 0.310,
                                  0.312, 0.310, 0.313, 0.309, 0.308, 0.312};

/// Seconds of a level for 2^30 values; 0: not measured.
double for_published_rows(const Groups& groups, const std::string& level) {
  if (groups.empty()) return 0;
  const Json* found = level_of(*groups.front(), level);
  return found == nullptr ? 0 : number(*found, "seconds") * kPublishedRows / number(*groups.front(), "rows");
}

std::vector<std::string> row(const std::string& id, const std::string& what, double published, double ours,
                             const std::string& cause) {
  return {id,
          what,
          fmt::format("{:.3g} s", published),
          ours > 0 ? time_text(ours) : "–",
          ours > 0 ? fmt::format("{:.1f} ×", published / ours) : "–",
          cause};
}

void write_published_filter(Page& page, const Results& results) {
  Cells cells{{"table", "level, selected", "2019", "here", "ratio", "cause"}, {}, false};
  for (const PublishedFilter& level : published_filter()) {
    for (size_t i = 0; i < std::size(kSelectivities); ++i) {
      const Groups groups = results.groups("operators", "selectivity", {{"selectivity", kSelectivities[i]}});
      const std::string cause = level.ours[0] == '\0' ? "unoptimised code is not built here"
                                : level.ours == std::string_view("branching")
                                    ? "optimised code with a branch; both follow the misses"
                                : level.ours == std::string_view("scalar")
                                    ? "clock and instructions of one core"
                                    : "memory's rate of one core";
      cells.rows.push_back(row(
          "H-T2, T3",
          fmt::format("{} → {}, {:g} %", level.name, level.ours[0] ? level.ours : "none", kSelectivities[i]),
          level.seconds[i], level.ours[0] ? for_published_rows(groups, level.ours) : 0, cause));
    }
  }
  for (size_t i = 0; i < std::size(kSelectivities); ++i) {
    cells.rows.push_back(row("H-T4, T5", fmt::format("CUDA kernel, {:g} %", kSelectivities[i]),
                             kCudaFilter[i], 0,
                             "no filter of this study runs on a GPU yet; gpu_bench.py measures it"));
  }
  page.table("Filter of 2^30 values, published and measured here, scaled to this number.", cells);
}

void write_published_aggregates(Page& page, const Results& results) {
  struct Aggregate {
    const char* name;
    const char* work;
    double scalar, avx, scalar_o3, avx_o3, cuda;
    const char* cause;
  };
  static constexpr Aggregate kAggregates[] = {
      {"SUM", "sum", 2.414236, 0.682103, 0.304769, 0.279595, 0.154960,
       "memory's rate; ours adds 128 bits, which cannot overflow"},
      {"COUNT", "valid", 2.046196, 0.654899, 0.000100, 0.071223, 0.017391,
       "ours counts a bitmap; -O3 of 2019 was folded to a constant, CUDA read 1/32 of the rows: not "
       "comparable"},
      {"MIN", "min_max", 2.071976, 0.691875, 0.272306, 0.270542, 0.165330,
       "ours finds MIN and MAX in one pass"},
      {"MAX", "min_max", 2.085844, 0.724926, 0.272418, 0.270761, 0.161130,
       "ours finds MIN and MAX in one pass"}};
  Cells cells{{"table", "aggregate, level", "2019", "here", "ratio", "cause"}, {}, false};
  for (const Aggregate& aggregate : kAggregates) {
    const Groups groups = results.groups("operators", "aggregates", {{"work", aggregate.work}});
    const auto add = [&](const char* name, const char* level, double seconds) {
      cells.rows.push_back(row("H-T10, T11",
                               fmt::format("{}, {} → {}", aggregate.name, name, level[0] ? level : "none"),
                               seconds, level[0] ? for_published_rows(groups, level) : 0,
                               level[0] ? aggregate.cause : "not built, or no GPU"));
    };
    add("Scalar -O0", "branching", aggregate.scalar);
    add("AVX -O0", "", aggregate.avx);
    add("Scalar -O3", "scalar", aggregate.scalar_o3);
    add("AVX -O3", "avx2", aggregate.avx_o3);
    add("CUDA kernel", "", aggregate.cuda);
  }
  page.table("Aggregates of 2^30 values, published and measured here, scaled to this number.", cells);
}

/// The time that a step between two levels saved, as published.
void write_published_steps(Page& page, const Results& results) {
  const auto saved = [&](const char* work, const char* from, const char* to) -> std::string {
    const Groups groups = work == std::string_view("bitmap")
                              ? results.groups("operators", "selectivity", {{"selectivity", 50.0}})
                              : results.groups("operators", "aggregates", {{"work", work}});
    const double a = for_published_rows(groups, from), b = for_published_rows(groups, to);
    return a > 0 && b > 0 ? fmt::format("{:.0f} %", 100 * (1 - b / a)) : "–";
  };
  Cells cells{{"table", "step", "2019: time saved", "here"}, {}, false};
  const auto add = [&](const char* table, const char* what, const char* published, const char* work,
                       const char* from, const char* to) {
    cells.rows.push_back(
        {table, fmt::format("{}, {} → {}", what, from, to), published, saved(work, from, to)});
  };
  add("H-T1", "filter, 50 %", "scalar → -O3: 59 to 89 %", "bitmap", "branching", "scalar");
  add("H-T1", "filter, 50 %", "scalar -O3 → AVX -O3: 50 %", "bitmap", "scalar", "avx2");
  add("H-T6", "COUNT", "scalar → AVX: 68 %", "valid", "scalar", "avx2");
  add("H-T7", "SUM", "scalar → -O3: 87 %", "sum", "branching", "scalar");
  add("H-T7", "SUM", "scalar -O3 → AVX -O3: 8.2 %", "sum", "scalar", "avx2");
  add("H-T8", "MIN", "scalar → -O3: 87 %", "min_max", "branching", "scalar");
  add("H-T8", "MIN", "scalar -O3 → AVX -O3: 0.61 %", "min_max", "scalar", "avx2");
  add("H-T9", "MAX", "scalar → -O3: 87 %", "min_max", "branching", "scalar");
  add("H-T9", "MAX", "scalar -O3 → AVX -O3: 0.61 %", "min_max", "scalar", "avx2");
  page.table(
      "Time saved by each step. Ours has no unoptimised levels; the level with branches stands for them.",
      cells);
}

void write_lost(Page& page) {
  page.table(
      "Figures whose values are lost or were never measured, and what stands for them here.",
      {{"item", "content and published trend", "here"},
       {{"S-F1", "trace of a warp of three lanes", "figures of chapter 1"},
        {"S-F2, S-F3", "a join that fills lanes unevenly; the divergence buffer",
         "not measured; decision 12"},
        {"S-E1", "results of both algorithms: blank", "chapter 1"},
        {"H graphs 1, 3", "branch misses over selectivity; Scalar alone is high",
         "branches and misses, simulated"},
        {"H graphs 2, 4, 7, 10", "time over selectivity", "filter over selectivity"},
        {"H graphs 5, 8", "total branches over selectivity",
         "two for each row in the model, at any selectivity"},
        {"H graphs 6, 9", "branch misses without Scalar -O0", "none but one for each loop"},
        {"H graph 11", "time for each aggregate", "aggregates"},
        {"H graphs 12, 13", "branches and misses for each aggregate; 2^30 against 2^27 loop tests",
         "`lanewise bench scan --cachegrind` counts them"},
        {"H graph 14", "Scalar -O3 less AVX -O3", "table of steps"},
        {"H graphs 15, 16", "CUDA kernel and AVX over selectivity", "GPU: docs/notes/performance-gpu.md"},
        {"H graph 17", "aggregates: transfer and kernel", "GPU: docs/notes/performance-gpu.md"},
        {"H graphs 18, 20", "filter over threads; rises", "threads: falls until memory is the limit"},
        {"H graphs 19, 20b, 23, 24, 26, 27, 29, 30", "cache misses over threads; at least twice for 8",
         "not counted: no counters here"},
        {"H graph 21", "COUNT over threads; flat", "threads"},
        {"H graphs 22, 25, 28", "SUM, MIN, MAX over threads; rise",
         "threads: fall until memory is the limit"},
        {"H figures 42 to 48", "profiler: timeline, multiprocessors, occupancy of 100 %",
         "not repeated; occupancy of kernels: docs/notes/performance-gpu.md"},
        {"H figures 49 to 67", "profiler: boundaries, function units, instruction classes, source and SASS",
         "not repeated"},
        {"H figures 26 to 41", "x86 assembly of the aggregates",
         "not shown; -O3 vectorises all but the branches today"},
        {"H figure 20, tables 2.5", "topology and hardware", "the machine, above"}},
       false});
}

}  // namespace

void write_published(Page& page, const Results& results) {
  page.chapter("Published and measured");
  page.text(
      "H is the study of 2019 (i7-4702MQ, GT 750M), P that of 2016, B that of 2012, S that of 2019 on "
      "strings. A ratio above 1 means that this machine and "
      "this program together are faster. A dash: not measured here.");
  write_published_filter(page, results);
  write_published_aggregates(page, results);
  write_published_steps(page, results);
  write_published_indexes(page, results);
  write_published_pram(page, results);
  write_lost(page);
}

}  // namespace lanewise::cli::study
