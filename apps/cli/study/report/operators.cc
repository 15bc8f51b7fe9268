#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/chapters.h"
#include "study/report/published.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kColumnHot = "Hot, column in memory, one core, no transfer";

void write_selectivity(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "selectivity");
  if (groups.empty()) return;
  page.section("Filter over selectivity");
  const double rate = results.machine("read_rate") / 1e9;
  plot::Curves curves{
      fmt::format("Filter = 3 to a bitmap – {} int32", plot::short_number(number(*groups.front(), "rows"))),
      {"selected", "%"},
      {"", "GB/s"}};
  curves.series = lines(groups, "selectivity", gb_per_second);
  curves.series.push_back(limit(curves.series, "limit: one core reads", rate));
  for (const PublishedFilter& level : published_filter()) {
    plot::Series series{plot::Series::published, fmt::format("2019: {}", level.name), {}};
    for (size_t i = 0; i < std::size(kSelectivities); ++i) {
      const double y = kPublishedRows * 4 / level.seconds[i] / 1e9;
      series.points.push_back({kSelectivities[i], y, y, y});
    }
    curves.series.push_back(std::move(series));
  }
  page.figure(curves, how_measured(groups, kColumnHot) +
                          " Dotted: the study of 2019, an i7-4702MQ of 2013 with 2^30 values.");
  const auto range = [&](const char* name) {
    double least = INFINITY, most = 0;
    for (const Json* group : groups) {
      const Json* level = level_of(*group, name);
      if (level != nullptr)
        least = std::min(least, number(*level, "seconds")), most = std::max(most, number(*level, "seconds"));
    }
    return most > 0 ? most / least : 0;
  };
  std::string words;
  for (const std::string& level : levels_of(groups)) {
    words += fmt::format("{}{}: {:.2f} ×", words.empty() ? "" : ", ", level, range(level.c_str()));
  }
  page.text(fmt::format(
      "Slowest time of a level divided by its fastest, over all selectivities: {}. The study's "
      "first finding is {} here: only a branch "
      "for each row follows the selectivity, since its misses do (below). Levels without a branch "
      "do the same work for any share.",
      words, range("branching") > 1.5 && range("scalar") < 1.5 ? "confirmed" : "not confirmed"));
}

void write_branches(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "branches");
  if (groups.empty()) return;
  page.section("Branches and misses");
  plot::Curves curves{"Events of the filter with a branch for each row – simulated",
                      {"selected", "%"},
                      {"events of a row", ""}};
  plot::Series misses{.name = "branch misses, model", .points = {}},
      cache{.name = "cache misses, model", .points = {}};
  for (const Json* group : groups) {
    const Json& level = (*group)["levels"].front();
    const double x = number(*group, "selectivity"), b = number(level, "branch_misses_per_row"),
                 c = number(level, "cache_misses_per_row");
    misses.points.push_back({x, b, b, b});
    cache.points.push_back({x, c, c, c});
  }
  curves.series = {misses, cache};
  plot::Series counted{.name = "branch misses, counted", .points = {}};
  for (const Json* group : results.groups("operators", "selectivity")) {
    const Json* level = level_of(*group, "branching");
    if (level == nullptr || !level->contains("branch_misses_per_row")) continue;
    const double y = number(*level, "branch_misses_per_row");
    counted.points.push_back({number(*group, "selectivity"), y, y, y});
  }
  const bool has_counters = !counted.points.empty();
  if (has_counters) curves.series.push_back(counted);
  curves.series.push_back(limit(curves.series, "limit: a line for 16 values", 1.0 / 16));
  page.figure(curves, fmt::format("Simulated on a sample of the same data: a predictor of two bits, and a "
                                  "cache of 768 KiB in 12 ways. {}",
                                  has_counters ? "Counted: by the processor's counters."
                                               : "This machine gives no hardware counters to a program."));
  page.text(
      "The misses peak at 50 %, where the past says nothing about the next row, and the time of the level "
      "branching has the same shape.");
}

void write_aggregates(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "aggregates");
  if (groups.empty()) return;
  page.section("Aggregates");
  plot::Bars bars{.title = "Filters and aggregates, one core",
                  .x = {"rate", "billion values/s"},
                  .groups = {},
                  .series = levels_of(groups),
                  .values = {}};
  for (const Json* group : groups) {
    const auto title = (*group)["title"].get<std::string>();
    bars.groups.push_back((*group)["work"] == "valid" ? "COUNT by a bitmap"
                                                      : title.substr(0, title.find(':')));
    auto& values = bars.values.emplace_back();
    for (const std::string& level : bars.series) {
      const Json* found = level_of(*group, level);
      values.push_back(found == nullptr ? -1 : million_rows(*group, number(*found, "seconds")) / 1e3);
    }
  }
  bars.limit = results.machine("read_rate") / 4 / 1e9;
  bars.limit_name = "limit of int32";
  page.figure(bars, how_measured(groups, kColumnHot) +
                        " COUNT reads one bit for each value, so its limit is 32 times as high.");
}

void write_threads(Page& page, const Results& results) {
  const double all = results.machine("read_rate_all") / 1e9;
  bool first = true;
  for (const char* work : {"bitmap", "sum", "min_max", "valid"}) {
    plot::Curves curves{"", {"threads", ""}, {"", "GB/s"}};
    Groups both;
    for (const bool pinned : {false, true}) {
      const Groups groups = results.groups("operators", "threads", {{"work", work}, {"affinity", pinned}});
      both.insert(both.end(), groups.begin(), groups.end());
      for (plot::Series& series : lines(groups, "threads", gb_per_second)) {
        series.name += pinned ? ", with affinity" : "";
        curves.series.push_back(std::move(series));
      }
    }
    if (both.empty()) continue;
    if (first) page.section("Threads");
    first = false;
    const auto title = (*both.front())["title"].get<std::string>();
    curves.title = "Rate over threads – " + title.substr(0, title.find(':'));
    if (work != std::string_view("valid"))
      curves.series.push_back(limit(curves.series, "limit: all cores read", all));
    page.figure(curves, how_measured(both, fmt::format("Hot, column in memory, {:.0f} cores, no transfer",
                                                       results.machine("cores"))));
  }
  if (!first) {
    page.text(
        "The study of 2019 found that threads are slower. It summed the processor times of all threads. From "
        "the common start to the last end, threads "
        "gain until the memory's rate is reached; more threads than cores gain nothing.");
  }
}

void write_sql(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "sql");
  if (groups.empty()) return;
  page.section("Whole queries");
  Cells cells{{"query", "rows", "cores", "GPU", "GPU to cores"}, {}};
  for (const Json* group : groups) {
    const Json *cpu = level_of(*group, "cpu"), *gpu = level_of(*group, "gpu");
    if (cpu == nullptr) continue;
    const double a = number(*cpu, "seconds"), b = gpu ? number(*gpu, "seconds") : 0;
    cells.rows.push_back({(*group)["work"].get<std::string>(), plot::short_number(number(*group, "rows")),
                          time_text(a), gpu ? time_text(b) : "–",
                          gpu ? fmt::format("{:.2f} ×", a / b) : "–"});
  }
  page.table("Queries on all cores and on a GPU. " +
                 how_measured(groups, "Hot, columns in the device's memory, results brought to the host"),
             cells);
  page.text(
      "The study of 2019 did not have GROUP BY, ORDER BY and strings. Joins are measured "
      "by `./dev bench join`. Energy: "
      "the counters of processor and GPU (RAPL, NVML) are not read yet.");
}

void write_findings(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "selectivity");
  if (groups.empty()) return;
  page.section("The three findings of 2019");
  const Json& group = *groups[groups.size() / 2];
  const auto rate = [&](const char* name) {
    const Json* level = level_of(group, name);
    return level == nullptr ? 0 : gb_per_second(group, number(*level, "seconds"));
  };
  Cells cells{{"finding", "here", "why"}, {}, false};
  cells.rows.push_back({"A filter with a branch for each row follows branch misses",
                        fmt::format("at {:g} % selected {:.2f} GB/s, without a branch {:.2f}",
                                    number(group, "selectivity"), rate("branching"), rate("scalar")),
                        "misses peak at 50 %, and each costs the pipeline"});
  const double auto_rate = rate("auto"), simd = std::max(rate("avx2"), rate("avx512"));
  cells.rows.push_back({"Explicit vectors take half the time of -O3",
                        auto_rate > 0
                            ? fmt::format("{:.1f} × the scalar loop, {:.1f} × the compiler's vectors",
                                          simd / rate("scalar"), simd / auto_rate)
                            : "no vectors here",
                        "today's compilers vectorise the filter, and memory bounds both"});
  cells.rows.push_back({"A GPU wins on kernel time, and the transfer decides",
                        results.has_gpu() ? "see the table of whole queries" : "no GPU on this machine",
                        "a column that crosses a bus once costs more than reading it on the host; one that "
                        "stays there does not"});
  page.table("Findings, confirmed or refuted.", cells);
  page.table("Roofline: what bounds a filter of int32.",
             {{"machine", "memory, GB/s of one core", "all cores", "values/s at most, one core"},
              {{"2019: i7-4702MQ, 2 x DDR3-1600", "8.9 (the AVX filter's rate)", "25.6 (by its data sheet)",
                "2.2 G"},
               {results.machine()["processor"].get<std::string>(),
                fmt::format("{:.1f} (a plain loop)", results.machine("read_rate") / 1e9),
                fmt::format("{:.1f}", results.machine("read_rate_all") / 1e9),
                fmt::format("{:.1f} G", results.machine("read_rate") / 4e9)}}});
}

}  // namespace

void write_operators(Page& page, const Results& results) {
  page.chapter("Operators on heterogeneous hardware");
  page.text(
      "The study of 2019 (NTU Athens) filtered and aggregated 2^30 integers of 0 to 5 with a branch for each "
      "row, with compiled loops, AVX2 and CUDA. "
      "The same tasks follow at every level of this machine, on exact shares of the selected value in random "
      "order.");
  write_selectivity(page, results);
  write_branches(page, results);
  write_aggregates(page, results);
  write_threads(page, results);
  write_sql(page, results);
  write_findings(page, results);
}

}  // namespace lanewise::cli::study
