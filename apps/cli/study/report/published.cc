#include "study/report/published.h"

#include <fmt/format.h>

#include <cmath>

#include "study/report/chapters.h"
#include "study/report/gpu.h"

namespace lanewise::cli::study {

std::span<const PublishedFilter> published_filter() {
  static constexpr PublishedFilter kFilter[] = {
      {"Scalar -O0",
       "scalar -O0",
       {2.459, 2.598, 4.078, 5.921, 6.870, 7.675, 9.058, 9.66, 8.839, 7.257, 5.815, 4.338, 3.146}},
      {"AVX -O0",
       "avx2 -O0",
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
          ours <= 0                ? "–"
          : published / ours < 0.1 ? fmt::format("{:.1g} ×", published / ours)
                                   : fmt::format("{:.1f} ×", published / ours),
          cause};
}

/// The GPU of 2019 had 29 GB/s of memory bandwidth: 900 MHz, 128 bits, two transfers a cycle.
constexpr double kPublishedCardRate = 28.8, kPublishedTransfer = 0.913652;

/// Why a level is not measured.
std::string reason_of(const Results& results, const std::string& level) {
  if (!level.starts_with("gpu")) return "this machine does not offer the level";
  return results.has_gpu() ? "not measured: the GPU failed, see its section" : "no GPU on this machine";
}

/// What decides a kernel's time; 2019 moved `bytes` for each value (0: not known), in `published` seconds.
std::string cause_on_gpu(const Results& results, const Json& group, double seconds, double published,
                         double bytes) {
  constexpr double kShort = 200e-6;
  const double rate = gb_per_second(group, seconds), share = rate * 1e9 / card_rate(results);
  std::string text = fmt::format("{:.0f} GB/s", rate);
  if (std::isfinite(share)) text += fmt::format(", {:.0f} % of the card's rate", 100 * share);
  if (share < 0.8 && seconds < kShort)
    text += fmt::format("; a run of {} does not reach it", time_text(seconds));
  if (bytes == 0) return text;
  return text + fmt::format("; 2019 moved {:.2g} of {} GB/s", kPublishedRows * bytes / published / 1e9,
                            kPublishedCardRate);
}

/// What decides a level's time on one core.
std::string cause_on_core(const Results& results, const Json& group, const std::string& level,
                          double published) {
  const double rate = gb_per_second(group, seconds_of(group, level)),
               most = results.machine("read_rate") / 1e9, share = rate / most,
               then = kPublishedRows * 4 / published / 1e9;
  const bool of_bitmap = group["work"] == "valid";
  if (of_bitmap && share > 1)
    return fmt::format("the bitmap stays in a cache: {:.0f} % of the memory's rate", 100 * share);
  std::string text =
      level.ends_with("-O0")
          ? fmt::format("not optimised, so instructions decide: {:.2g} % of the memory's rate", 100 * share)
      : share > 0.7 ? fmt::format("memory decides: {:.0f} % of the rate of a plain loop", 100 * share)
                    : fmt::format("instructions decide: {:.0f} % of the memory's rate", 100 * share);
  if (!of_bitmap && then > most)
    text += fmt::format("; 2019 read {:.1f} GB/s, a plain loop on one core reads {:.1f} here", then, most);
  return text;
}

/// How much longer a selected row takes than another one, if the filter is slower than published.
std::string selected_text(const Results& results) {
  const auto at = [&](double share) {
    return for_published_rows(results.groups("operators", "selectivity", {{"selectivity", share}}),
                              "scalar -O0");
  };
  const auto nanoseconds = [](double all, double none) { return (all - none) / kPublishedRows * 1e9; };
  const double here = nanoseconds(at(100), at(0.1)), then = nanoseconds(3.146, 2.459);
  return here > then ? fmt::format(
                           "; a selected row adds {:.2g} ns, in 2019 {:.2g}: it changes the word that the "
                           "row before it wrote",
                           here, then)
                     : "";
}

/// Whether a level that does the same work for any share was faster with another one.
std::string busy_text(const Results& results, const std::string& level, double ours) {
  constexpr double kDiffers = 1.15;
  double least = ours, at = 0;
  for (const Json* group : results.groups("operators", "selectivity")) {
    const double seconds = for_published_rows({group}, level);
    if (seconds > 0 && seconds < least) least = seconds, at = number(*group, "selectivity");
  }
  return ours < kDiffers * least
             ? ""
             : fmt::format("; the machine was busy: the same work took {} at {:g} %", time_text(least), at);
}

void write_published_filter(Page& page, const Results& results) {
  Cells cells{{"table", "level, selected", "2019", "here", "ratio", "cause"}, {}, false};
  const auto add = [&](const char* table, const std::string& what, const Groups& groups, const char* level,
                       double published, const auto& cause) {
    const double ours = for_published_rows(groups, level);
    cells.rows.push_back(row(table, what, published, ours,
                             ours > 0 ? cause(*groups.front(), ours) : reason_of(results, level)));
  };
  for (const PublishedFilter& level : published_filter()) {
    for (size_t i = 0; i < std::size(kSelectivities); ++i) {
      const double published = level.seconds[i];
      add("H-T2, T3", fmt::format("{} → {}, {:g} %", level.name, level.ours, kSelectivities[i]),
          results.groups("operators", "selectivity", {{"selectivity", kSelectivities[i]}}), level.ours,
          published, [&](const Json& group, double ours) {
            const bool jumps = level.ours == std::string_view("scalar -O0");
            return cause_on_core(results, group, level.ours, published) +
                   (ours < published ? ""
                    : jumps          ? selected_text(results)
                                     : busy_text(results, level.ours, ours));
          });
    }
  }
  for (size_t i = 0; i < std::size(kSelectivities); ++i) {
    constexpr double kBytes = 2;  // one in, one out
    add("H-T4, T5", fmt::format("CUDA kernel → gpu kernel, {:g} %", kSelectivities[i]),
        results.groups("operators", "gpu", {{"selectivity", kSelectivities[i]}}), "gpu kernel",
        kPublishedCudaFilter[i], [&](const Json& group, double) {
          return cause_on_gpu(results, group, seconds_of(group, "gpu kernel"), kPublishedCudaFilter[i],
                              kBytes);
        });
  }
  const Groups half = results.groups("operators", "gpu", {{"selectivity", 50.0}});
  for (const char* name : {"gpu, pinned copies", "gpu, staged copies", "gpu, pageable copies"}) {
    const Json* const level = half.empty() ? nullptr : level_of(*half.front(), name);
    const double in = level == nullptr ? 0 : step_of(*level, "copy in");
    const double seconds = level == nullptr ? 0 : in + step_of(*level, "copy out");
    cells.rows.push_back(row(
        "H-T4, text", fmt::format("transfer of the filter in and out → {}", std::string(name).substr(5)),
        kPublishedTransfer, level == nullptr ? 0 : seconds * kPublishedRows / number(*half.front(), "rows"),
        level == nullptr ? reason_of(results, name)
                         : fmt::format("{}: {:.1f} GB/s in; 2019 moved three arrays of a byte for each "
                                       "value at {:.1f} GB/s",
                                       std::string_view(name).ends_with("pageable copies")
                                           ? "the driver copies through memory of its own"
                                           : "the bus",
                                       number(*level, "copied_in") / in / 1e9,
                                       3 * kPublishedRows / kPublishedTransfer / 1e9)));
  }
  page.table("Filter of 2^30 values, published and measured here, scaled to this number.", cells);
}

void write_published_aggregates(Page& page, const Results& results) {
  struct Aggregate {
    const char* name;
    const char* work;
    double scalar, avx, scalar_o3, avx_o3, cuda;
    const char *scalar_note, *avx_note, *note, *cuda_note;
    double cuda_bytes;  // for each value, in 2019; 0: not known
  };
  constexpr const char* kCountNote =
      "; not comparable: ours counts bits of a bitmap, 2019 rows without a test";
  constexpr const char* kBothNote = "; MIN and MAX in one pass, twice the work of 2019";
  static constexpr Aggregate kAggregates[] = {
      {"SUM", "sum", 2.414236, 0.682103, 0.304769, 0.279595, 0.154960,
       "; the sum is a variable in memory, so a row waits for the one before it",
       "; values are widened to 64 bits, step by step through memory; 2019 added 32 bits, which overflowed",
       "; sums of 64 bits, which do not overflow", "; sums of 64 bits", 1},
      {"COUNT", "valid", 2.046196, 0.654899, 0.000100, 0.071223, 0.017391,
       "; not comparable: ours tests a bit for each row, 2019 counted rows without a test", kCountNote,
       kCountNote, "; not comparable: ours counts bits, CUDA of 2019 read 1/32 of the rows", 0},
      {"MIN", "min_max", 2.071976, 0.691875, 0.272306, 0.270542, 0.165330, kBothNote, kBothNote, kBothNote,
       "; MIN and MAX in one pass; CUDA of 2019 read 1/32 of the rows", 0},
      {"MAX", "min_max", 2.085844, 0.724926, 0.272418, 0.270761, 0.161130, kBothNote, kBothNote, kBothNote,
       "; MIN and MAX in one pass; the last warp of 2019 computed a minimum", 1}};
  Cells cells{{"table", "aggregate, level", "2019", "here", "ratio", "cause"}, {}, false};
  for (const Aggregate& aggregate : kAggregates) {
    const bool counts = aggregate.work == std::string_view("valid");
    const auto add = [&](const char* name, const std::string& level, double published,
                         const std::string& note) {
      const bool on_gpu = level == "gpu kernel";
      const Groups groups =
          results.groups("operators", on_gpu ? "gpu-aggregates" : "aggregates", {{"work", aggregate.work}});
      const double ours = for_published_rows(groups, level);
      std::string cause = reason_of(results, level);
      if (ours > 0) {
        const Json& group = *groups.front();
        cause = on_gpu
                    ? cause_on_gpu(results, group, seconds_of(group, level), published, aggregate.cuda_bytes)
                    : cause_on_core(results, group, level, published);
        cause += note;
      }
      cells.rows.push_back(
          row("H-T10, T11", fmt::format("{}, {} → {}", aggregate.name, name, level), published, ours, cause));
    };
    add("Scalar -O0", "scalar -O0", aggregate.scalar, aggregate.scalar_note);
    add("AVX -O0", "avx2 -O0", aggregate.avx, aggregate.avx_note);
    add("Scalar -O3", "scalar", aggregate.scalar_o3,
        std::string(counts ? "; the compiler of 2019 folded the loop to a constant"
                           : "; one value at a time, where -O3 of 2019 used vectors: see auto") +
            aggregate.note);
    if (!counts) add("Scalar -O3", "auto", aggregate.scalar_o3, aggregate.note);
    add("AVX -O3", "avx2", aggregate.avx_o3, aggregate.note);
    add("CUDA kernel", "gpu kernel", aggregate.cuda, aggregate.cuda_note);
  }
  page.table("Aggregates of 2^30 values, published and measured here, scaled to this number.", cells);
}

/// The time that a step between two levels saved, as published.
void write_published_steps(Page& page, const Results& results) {
  Cells cells{{"table", "step", "2019: time saved", "here", "cause"}, {}, false};
  struct Step {
    const char *table, *what, *work, *published[4], *causes[4];
  };
  constexpr std::pair<const char*, const char*> kSteps[] = {
      {"scalar -O0", "scalar"}, {"scalar -O0", "avx2 -O0"}, {"avx2 -O0", "avx2"}, {"scalar", "avx2"}};
  constexpr const char *kRegisters = "variables in registers instead of memory",
                       *kWasVectors = "scalar is one lane, -O3 of 2019 used vectors",
                       *kBothVectors = "scalar -O3 of 2019 used vectors, too",
                       *kOnePass = "MIN and MAX in one pass";
  constexpr Step kTables[] = {
      {"H-T1",
       "filter",
       "bitmap",
       {"59 to 89 %", "4 to 76 %", "78 %", "50 %"},
       {"-O3 removes the jump for each row", "vectors have no jump for each row", kRegisters,
        "eight values at a time, until memory bounds the gain"}},
      {"H-T6",
       "COUNT",
       "valid",
       {"undefined", "68 %", "89 %", "undefined"},
       {"not comparable: the loop of 2019 became a constant",
        "256 bits at a time; 2019 counted rows without a test", kRegisters,
        "both count 64 rows by one instruction"}},
      {"H-T7",
       "SUM",
       "sum",
       {"87 %", "71.7 %", "59 %", "8.2 %"},
       {kWasVectors, "values are widened to 64 bits, step by step through memory", kRegisters, kBothVectors}},
      {"H-T8",
       "MIN",
       "min_max",
       {"87 %", "66.6 %", "61 %", "0.61 %"},
       {kWasVectors, kOnePass, kRegisters, kBothVectors}},
      {"H-T9",
       "MAX",
       "min_max",
       {"87 %", "65 %", "62.6 %", "0.61 %"},
       {kWasVectors, kOnePass, kRegisters, kBothVectors}}};
  for (const Step& table : kTables) {
    const bool is_filter = table.work == std::string_view("bitmap");
    const Groups groups = is_filter ? results.groups("operators", "selectivity")
                                    : results.groups("operators", "aggregates", {{"work", table.work}});
    for (size_t i = 0; i < std::size(kSteps); ++i) {
      Range saved;
      for (const Json* group : groups) {
        const double a = for_published_rows({group}, kSteps[i].first),
                     b = for_published_rows({group}, kSteps[i].second);
        if (a > 0 && b > 0) saved.add(100 * (1 - b / a));
      }
      cells.rows.push_back({table.table,
                            fmt::format("{}, {} → {}", table.what, kSteps[i].first, kSteps[i].second),
                            table.published[i], saved.text(" %"), table.causes[i]});
    }
  }
  page.table(
      "Time saved by each step, over all selectivities of the filter. 2019: scalar to -O3, scalar to AVX, "
      "AVX to AVX -O3, scalar -O3 to AVX -O3.",
      cells);
}

/// Where the report shows a figure of the studies on strings and operators, if it was measured.
std::vector<std::vector<std::string>> lost_of_operators(const Results& results) {
  const auto where = [&](const char* part, const char* experiment, const char* level,
                         const char* here) -> std::string {
    const Groups groups = results.groups(part, experiment);
    const bool any = level[0] == '\0' ? !groups.empty() : has_level(groups, level);
    if (any) return here;
    return results.has_gpu() || std::string_view(level).substr(0, 3) != "gpu"
               ? "not measured in this run"
               : "not measured: no GPU on this machine";
  };
  const auto gpu = [&](const char* here) { return where("operators", "gpu", "gpu kernel", here); };
  const auto model = [&](const char* here) { return where("operators", "branches", "", here); };
  const auto thread = [&](const char* here) { return where("operators", "threads", "", here); };
  return {
      {"S-F1", "trace of a warp of three lanes",
       where("strings", "trace", "", "Why lanes idle: recorded runs")},
      {"S-F2", "a join that fills lanes unevenly",
       where("strings", "pairs", "gpu naive", "Pairs of a join: naive")},
      {"S-F3", "the divergence buffer",
       where("strings", "pairs", "gpu refill", "Pairs of a join: refill and its rivals")},
      {"S-E1", "results of both algorithms: blank",
       where("strings", "lengths", "", "the chapter on strings")},
      {"H graphs 1, 3", "branch misses over selectivity; Scalar alone is high",
       model("Branch misses of the filter")},
      {"H graphs 2, 4, 7, 10", "time over selectivity",
       where("operators", "selectivity", "", "Filter over selectivity")},
      {"H graphs 5, 8", "total branches over selectivity; falls",
       model("Branches of the filter: constant in the model")},
      {"H graphs 6, 9", "branch misses without Scalar -O0",
       model("Branch misses of the filter: eight rows at a time")},
      {"H graph 11", "time for each aggregate",
       where("operators", "aggregates", "", "Filters and aggregates, one core")},
      {"H graphs 12, 13", "branches and misses for each aggregate; 2^30 against 2^27 loop tests",
       model("Events of each aggregate")},
      {"H graph 14", "Scalar -O3 less AVX -O3",
       where("operators", "aggregates", "", "Time saved by each step")},
      {"H graphs 15, 16", "CUDA kernel and AVX over selectivity", gpu("Filter on the GPU over selectivity")},
      {"H graph 17", "aggregates: transfer and kernel",
       where("operators", "gpu-aggregates", "gpu kernel", "Steps of a run on the GPU")},
      {"H graphs 18, 20", "filter over threads; rises", thread("Rate over threads – filter")},
      {"H graphs 19, 20b, 23, 24, 26, 27, 29, 30", "cache misses over threads; at least twice for 8",
       model("Cache misses over threads")},
      {"H graph 21", "COUNT over threads; flat", thread("Rate over threads – COUNT")},
      {"H graphs 22, 25, 28", "SUM, MIN, MAX over threads; rise",
       thread("Rate over threads – SUM, MIN and MAX")},
      {"H figure 42", "timeline of the filter", gpu("Timeline of a run")},
      {"H figures 43, 44, 47, 48", "multiprocessors; occupancy of 100 %", gpu("Occupancy, by the driver")},
      {"H figures 45, 50, 54, 60, 64", "performance boundary of each kernel",
       gpu("Performance boundary of each kernel")},
      {"H figures 46, 51, 55, 61, 65", "use of each function unit",
       "of one H200, by a profiler: docs/study/profile.md"},
      {"H figures 52, 56, 62, 66", "classes of instructions, inactive and predicated off",
       "of one H200, by a profiler: docs/study/profile.md"},
      {"H figures 49, 53, 57 to 59, 63, 67", "source with SASS, divergence of 3.1 %",
       "of one H200, by a profiler: docs/study/profile.md"},
      {"H figures 26 to 41", "x86 assembly of the aggregates",
       "the loops of each level as compiled: docs/study/profile.md"},
      {"H figure 20, tables 2.5", "topology and hardware", "the machine, above"},
  };
}

void write_lost(Page& page, const Results& results) {
  page.table("Figures whose values are lost or were never measured, and what stands for them here.",
             {{"item", "content and published trend", "here"}, lost_of_operators(results), false});
}

}  // namespace

void write_published(Page& page, const Results& results) {
  page.chapter("Published and measured");
  page.text(
      "H is the study of 2019 (i7-4702MQ, GT 750M), P that of 2016, B that of 2012, S that of 2019 on "
      "strings. A ratio above 1 means that this machine and this program together are faster. A dash: not "
      "measured here.");
  write_published_filter(page, results);
  write_published_aggregates(page, results);
  write_published_steps(page, results);
  write_published_indexes(page, results);
  write_published_pram(page, results);
  write_lost(page, results);
}

}  // namespace lanewise::cli::study
