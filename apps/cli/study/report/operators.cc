#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "study/report/chapters.h"
#include "study/report/findings.h"
#include "study/report/gpu.h"
#include "study/report/published.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kColumnHot = "Hot, column in memory, one core, no transfer";

std::string dependent(const Groups& groups) {
  std::string names;
  for (const std::string& level : levels_of(groups)) {
    if (range_over(groups, level) > kFollows) names += (names.empty() ? "" : ", ") + level;
  }
  return names.empty() ? "none here" : names;
}

/// One hash for all levels of a column: a level that had skipped rows would end the study.
void write_hashes(Page& page, const Groups& groups) {
  Cells cells{{"selected", "hash of the bitmap", "levels that gave it"}, {}};
  for (const Json* group : groups) {
    size_t levels = 0;
    std::string hash;
    for (const Json& level : (*group)["levels"]) {
      if (!level.contains("hash")) continue;
      hash = level["hash"].get<std::string>();
      ++levels;
    }
    cells.rows.push_back(
        {fmt::format("{:g} %", number(*group, "selectivity")), hash, fmt::format("{}", levels)});
  }
  page.table(
      "The check of results. The study's hash XORs a value of each byte, so it does not notice bytes that "
      "moved; this one depends on the order of words and of slices.",
      cells);
}

void write_selectivity(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "selectivity");
  if (groups.empty()) return;
  page.section("Filter over selectivity");
  const double rate = results.machine("read_rate") / 1e9;
  plot::Curves curves{fmt::format("Filter = 3 to a bitmap – {} int32, one core",
                                  plot::short_number(number(*groups.front(), "rows"))),
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
  std::string words;
  for (const std::string& level : levels_of(groups)) {
    words += fmt::format("{}{}: {:.2f} ×", words.empty() ? "" : ", ", level, range_over(groups, level));
  }
  page.text(
      fmt::format("Slowest time of a level divided by its fastest, over all selectivities: {}. By more than "
                  "{:g} × differ: {}. Only branching and scalar -O0 jump for each row; the others do the "
                  "same work for any share, so what differs there is the machine's other work. -O0: the "
                  "study's loops without optimisation, compiled for these tables only.",
                  words, kFollows, dependent(groups)));
  write_hashes(page, groups);
}

const char* const kModelLevels[] = {"a row at a time", "eight rows at a time"};

/// The events of a level, counted or simulated; null: there are none.
const Json* events_of(const Json& group, const std::string& name) {
  for (const Json& level : group["levels"]) {
    if (level["level"] == name && level.contains("branches_per_row")) return &level;
  }
  return nullptr;
}

constexpr const char* kModel =
    "Simulated on a sample of the same data: a predictor of two bits for each branch, and a cache of 768 "
    "KiB in 12 ways that all threads share.";

std::string counters_text(bool counted) {
  return counted ? " Counted: by the processor's counters, in the timed runs."
                 : " This machine gives no hardware counters to a program.";
}

/// Lines of an event over `x` for each level that has it.
void add_events(plot::Curves& curves, const Groups& groups, const char* x, const char* event,
                const std::vector<std::string>& levels, const std::string& suffix) {
  for (const std::string& name : levels) {
    plot::Series series{.name = name + suffix, .points = {}};
    for (const Json* group : groups) {
      const Json* const level = events_of(*group, name);
      if (level == nullptr) continue;
      const double y = number(*level, event);
      series.points.push_back({number(*group, x), y, y, y});
    }
    std::ranges::sort(series.points, {}, &plot::Point::x);
    if (!series.points.empty()) curves.series.push_back(std::move(series));
  }
}

const std::vector<std::string>& model_levels() {
  static const std::vector<std::string> kLevels(std::begin(kModelLevels), std::end(kModelLevels));
  return kLevels;
}

/// How closely the time of the levels that jump follows the misses.
void write_cause(Page& page, const Groups& models, const Groups& groups) {
  std::string words;
  for (const char* name : {"branching", "scalar -O0"}) {
    std::vector<double> misses, times;
    for (const Json* group : groups) {
      const Json* const level = level_of(*group, name);
      for (const Json* model : models) {
        if (level == nullptr || number(*model, "selectivity") != number(*group, "selectivity")) continue;
        misses.push_back(number(*events_of(*model, kModelLevels[0]), "branch_misses_per_row"));
        times.push_back(number(*level, "seconds") / number(*group, "rows"));
      }
    }
    if (misses.size() < 3) continue;
    const double together = correlation(misses, times);
    const auto [least, most] = std::ranges::minmax(misses);
    const double cost = (std::ranges::max(times) - std::ranges::min(times)) / (most - least);
    words += fmt::format(
        " {}: time and simulated misses have a correlation of {:.2f}, {}.", name, together,
        together > 0.7
            ? fmt::format("and a miss costs about {:.1f} ns", cost * 1e9)
            : "so this processor's misses differ from the model's, or something else decides the time");
  }
  page.text("Both predictors fail most where the past says least about the next row: in the model at 50 %." +
            words);
}

void write_branches(Page& page, const Results& results) {
  const Groups models = results.groups("operators", "branches", {{"work", "filter"}, {"threads", 1}});
  const Groups counted = results.groups("operators", "selectivity");
  if (models.empty()) return;
  page.section("Branches and misses");
  bool has_counters = false;
  const auto draw = [&](const char* title, const char* event, const char* limit_name, double limit_at) {
    plot::Curves curves{title, {"selected", "%"}, {"events of a row", ""}};
    add_events(curves, models, "selectivity", event, model_levels(), ", simulated");
    const size_t before = curves.series.size();
    add_events(curves, counted, "selectivity", event, levels_of(counted), ", counted");
    has_counters = curves.series.size() > before;
    curves.series.push_back(limit(curves.series, limit_name, limit_at));
    page.figure(curves, kModel + counters_text(has_counters));
  };
  draw("Branch misses of the filter", "branch_misses_per_row", "limit: a random half", 0.5);
  draw("Branches of the filter", "branches_per_row", "limit: a loop test for each row", 1);
  draw("Cache misses of the filter", "cache_misses_per_row", "limit: a line for 16 values", 1.0 / 16);
  write_cause(page, models, counted);
}

/// Branches of each aggregate (graphs 12 and 13 of the study), and cache misses over threads (19 to 30).
void write_aggregate_events(Page& page, const Results& results) {
  const Groups models = results.groups("operators", "branches", {{"threads", 1}});
  if (models.empty()) return;
  struct Row {
    const char *name, *work;  // of the counted groups
  };
  constexpr Row kRows[] = {{"SUM", "sum"}, {"COUNT", "valid"}, {"MIN", "min_max"}, {"MAX", "min_max"}};
  Cells cells{{"aggregate", "level", "branches", "branch misses", "cache misses", "by"}, {}, false};
  for (const auto& [name, work] : kRows) {
    const auto add = [&](const Json& level, const std::string& title, const char* by) {
      cells.rows.push_back({name, title, fmt::format("{:.3f}", number(level, "branches_per_row")),
                            fmt::format("{:.2g}", number(level, "branch_misses_per_row")),
                            fmt::format("{:.4f}", number(level, "cache_misses_per_row")), by});
    };
    for (const Json* group : results.groups("operators", "branches", {{"work", name}, {"threads", 1}})) {
      for (const std::string& level : model_levels()) add(*events_of(*group, level), level, "the model");
    }
    for (const Json* group : results.groups("operators", "aggregates", {{"work", work}})) {
      for (const std::string& level : levels_of({group})) {
        if (const Json* const events = events_of(*group, level)) add(*events, level, "counters");
      }
    }
  }
  page.table(
      "Events of each aggregate, for a row. The study's loop tests: one for each row, and one for eight "
      "with AVX. MIN and MAX compare each row, which the predictor learns at once. The counted levels find "
      "MIN and MAX in one pass.",
      cells);
  plot::Curves curves{
      "Cache misses over threads", {"threads", "", plot::Axis::logarithmic}, {"misses of a row", ""}};
  for (const char* name : {"filter", "SUM", "MIN"}) {
    plot::Series series{.name = std::string(name) + ", simulated", .points = {}};
    Groups groups = results.groups("operators", "branches", {{"work", name}, {"selectivity", 20.0}});
    for (const Json* group : groups) {
      const double y = number(*events_of(*group, kModelLevels[0]), "cache_misses_per_row");
      series.points.push_back({number(*group, "threads"), y, y, y});
    }
    std::ranges::sort(series.points, {}, &plot::Point::x);
    curves.series.push_back(std::move(series));
  }
  bool counted = false;
  for (const auto& [name, work] :
       {std::pair("filter", "bitmap"), std::pair("SUM", "sum"), std::pair("MIN and MAX", "min_max")}) {
    const Groups groups = results.groups("operators", "threads", {{"work", work}, {"affinity", false}});
    const size_t before = curves.series.size();
    add_events(curves, groups, "threads", "cache_misses_per_row", levels_of(groups),
               fmt::format(", {}, counted", name));
    counted = counted || curves.series.size() > before;
  }
  curves.series.push_back(limit(curves.series, "limit: a line for 16 values", 1.0 / 16));
  page.figure(curves, kModel + counters_text(counted));
  Range ratio;
  for (const plot::Series& series : curves.series) {
    if (series.kind != plot::Series::measured || series.points.empty() || series.points.front().y <= 0)
      continue;
    ratio.add(series.points.back().y / series.points.front().y);
  }
  page.text(fmt::format(
      "The study counted at least twice as many cache misses with 8 threads as with one, and four times as "
      "many for the scalar filter. Here the misses with most threads are {} those with one. Each line of a "
      "column is read once, by whatever thread, so {}.",
      ratio.text(" ×"),
      ratio.most() < 1.5
          ? "threads add no misses, and the study's increase is not a property of the task"
          : "the increase comes from elsewhere: prefetches that are counted, or lines shared by threads"));
}

/// Bars of the tasks that read the column, or of the one that reads its bitmap.
plot::Bars aggregate_bars(const Results& results, const Groups& groups, bool of_bitmap) {
  plot::Bars bars{
      .title = of_bitmap ? "COUNT of a bitmap's rows, one core" : "Filters and aggregates, one core",
      .x = {"rate", "billion values/s"},
      .groups = {},
      .series = levels_of(groups),
      .values = {}};
  for (const Json* group : groups) {
    if (((*group)["work"] == "valid") != of_bitmap) continue;
    const auto title = (*group)["title"].get<std::string>();
    bars.groups.push_back(of_bitmap ? "COUNT" : title.substr(0, title.find(':')));
    auto& values = bars.values.emplace_back();
    for (const std::string& level : bars.series) {
      const Json* found = level_of(*group, level);
      values.push_back(found == nullptr ? -1 : million_rows(*group, number(*found, "seconds")) / 1e3);
    }
  }
  constexpr double kBitsOfValue = 32;
  bars.limit = results.machine("read_rate") / 4 / 1e9 * (of_bitmap ? kBitsOfValue : 1);
  bars.limit_name = of_bitmap ? "limit of bits" : "limit of int32";
  return bars;
}

void write_aggregates(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "aggregates");
  if (groups.empty()) return;
  page.section("Aggregates");
  const std::string how = how_measured_without_runs(groups, kColumnHot);
  page.figure(aggregate_bars(results, groups, false), how);
  const plot::Bars count = aggregate_bars(results, groups, true);
  if (!count.groups.empty())
    page.figure(
        count,
        how +
            " COUNT reads one bit for each value. A bitmap that fits the caches exceeds the memory's limit.");
}

/// Whether threads gain here, against the study's finding that they are slower.
std::string threads_text(const Results& results) {
  std::string words;
  Range gains;
  for (const char* work : {"bitmap", "sum", "min_max", "valid"}) {
    const Groups groups = results.groups("operators", "threads", {{"work", work}, {"affinity", false}});
    for (const std::string& name : levels_of(groups)) {
      double one = 0, best = 0, at = 1;
      for (const Json* group : groups) {
        const Json* const level = level_of(*group, name);
        if (level == nullptr) continue;
        const double seconds = number(*level, "seconds");
        if (number(*group, "threads") == 1) one = seconds;
        if (best == 0 || seconds < best) best = seconds, at = number(*group, "threads");
      }
      if (one <= 0) continue;
      gains.add(one / best);
      if (one / best < 1.05) continue;
      words += fmt::format("{}{}, {}: {:.1f} × with {:g} threads", words.empty() ? "" : "; ",
                           std::string(work) == "min_max"  ? "MIN and MAX"
                           : work == std::string("valid")  ? "COUNT"
                           : work == std::string("bitmap") ? "filter"
                                                           : "SUM",
                           name, one / best, at);
    }
  }
  const double memory = results.machine("read_rate_all") / results.machine("read_rate");
  return fmt::format(
      "The study of 2019 found that threads are slower; it summed the processor times of all threads. From "
      "the common start to the last end, the best number of threads gains {}. The memory's limit is {:.1f} "
      "×, all cores against one. {}",
      words.empty() ? "nothing" : words, memory,
      gains.most() > 1.1 ? "So the finding is refuted for this machine."
                         : "Threads gain nothing here either: one core already reads as fast as all, or the "
                           "cores were busy.");
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
  if (!first) page.text(threads_text(results));
}

void write_sql(Page& page, const Results& results) {
  const Groups groups = results.groups("operators", "sql");
  if (groups.empty()) return;
  page.section("Whole queries");
  Cells cells{{"query", "rows", "scalar, one core", "vectors, one core", "all cores", "GPU", "GPU, kernels",
               "fastest"},
              {}};
  plot::Bars bars;
  bars.title = "JOIN, GROUP BY, ORDER BY and strings: gain over one scalar core";
  bars.x = {"gain", "×"};
  bars.series = {"vectors, one core", "all cores"};
  const bool on_gpu = has_level(groups, "gpu");
  if (on_gpu) bars.series.emplace_back("GPU");
  bars.limit = 1;
  bars.limit_name = "one scalar core";
  std::map<std::string, int> wins;
  for (const Json* group : groups) {
    const Json* const levels[] = {level_of(*group, "scalar, one core"), level_of(*group, "simd, one core"),
                                  level_of(*group, "cpu"), level_of(*group, "gpu")};
    std::vector<std::string> row = {(*group)["work"].get<std::string>(),
                                    plot::short_number(number(*group, "rows"))};
    const char* const names[] = {"scalar", "vectors", "all cores", "GPU"};
    const char* best = "–";
    double least = INFINITY;
    for (size_t i = 0; i < 4; ++i) {
      const double seconds = levels[i] == nullptr ? 0 : number(*levels[i], "seconds");
      row.push_back(seconds > 0 ? time_text(seconds) : "–");
      if (seconds > 0 && seconds < least) least = seconds, best = names[i];
    }
    const double kernels = levels[3] == nullptr ? 0 : number(*levels[3], "kernel_seconds");
    row.push_back(kernels > 0 ? time_text(kernels) : "–");
    row.emplace_back(best);
    ++wins[best];
    cells.rows.push_back(std::move(row));
    if (levels[0] == nullptr) continue;
    bars.groups.push_back((*group)["work"].get<std::string>());
    auto& values = bars.values.emplace_back();
    for (size_t i = 1; i <= bars.series.size(); ++i)
      values.push_back(levels[i] == nullptr ? -1
                                            : number(*levels[0], "seconds") / number(*levels[i], "seconds"));
  }
  write_not_measured(page, groups);
  const std::string how = how_measured_without_runs(
      groups,
      on_gpu ? "Hot, columns in the device's memory, results brought to the host" : "Hot, columns in memory");
  page.figure(bars, how);
  page.table("Whole queries. " + how, without_empty_columns(cells));
  std::string winners;
  for (const auto& [name, count] : wins)
    winners += fmt::format("{}{} {} of {}", winners.empty() ? "" : ", ", name, count, groups.size());
  page.text(
      "What the study of 2019 wanted and did not have: joins, groups, orders and strings, by the engine's "
      "own queries. Fastest: " +
      winners +
      (on_gpu ? ". Times include planning on the host and the result's way back; the kernels' share is the "
                "column before the last."
              : ". Times include planning."));
}

}  // namespace

void write_operators(Page& page, const Results& results) {
  page.chapter("Operators on heterogeneous hardware");
  page.text(
      "The study of 2019 (NTU Athens) filtered and aggregated 2^30 integers of 0 to 5 with a branch for "
      "each row, with compiled loops, AVX2 and CUDA. The same tasks follow at every level of this machine, "
      "on exact shares of the selected value in random order.");
  write_selectivity(page, results);
  write_branches(page, results);
  write_aggregates(page, results);
  write_aggregate_events(page, results);
  write_threads(page, results);
  write_device_operators(page, results);
  write_sql(page, results);
  write_findings(page, results);
}

}  // namespace lanewise::cli::study
