#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

/// The exponent of growth: the slope of a straight line through the logarithms of the upper half of the
/// points.
double exponent_of(const plot::Series& series) {
  const size_t first = series.points.size() > 3 ? series.points.size() / 2 - 1 : 0;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = first; i < series.points.size(); ++i) {
    const double a = std::log(series.points[i].x), b = std::log(series.points[i].y);
    ++n, x += a, y += b, xx += a * a, xy += a * b;
  }
  return n < 2 ? 0 : (n * xy - x * y) / (n * xx - x * x);
}

void write_growth(Page& page, const Results& results) {
  Cells exponents{
      {"program", "interpreter", "cores, no optimisation", "cores", "tuned", "cores to tuned, largest n"},
      {}};
  bool first = true;
  for (const char* program :
       {"reduction", "scan", "sort", "all_pairs_distances", "matching", "components", "spanning_forest"}) {
    const Groups groups = results.groups("pram", "growth", {{"program", program}});
    if (groups.empty()) continue;
    if (first) page.section("Growth");
    first = false;
    plot::Curves curves{fmt::format("Time over n – {}", program),
                        {"n", "", plot::Axis::logarithmic},
                        {"", "ms", plot::Axis::logarithmic}};
    curves.series = lines(groups, "n", milliseconds);
    std::vector<std::string> row = {program};
    for (const char* level : {"interpreter", "cores, no optimisation", "cores", "tuned"}) {
      const auto found = std::ranges::find(curves.series, level, &plot::Series::name);
      const bool fits = found != curves.series.end() && found->points.size() > 1 &&
                        std::ranges::is_sorted(found->points, {}, &plot::Point::y);
      row.push_back(fits ? fmt::format("n^{:.2f}", exponent_of(*found)) : "–");
    }
    const Json *cores = level_of(*groups.back(), "cores"), *tuned = level_of(*groups.back(), "tuned");
    row.push_back(cores && tuned
                      ? fmt::format("{:.1f} ×", number(*cores, "seconds") / number(*tuned, "seconds"))
                      : "–");
    exponents.rows.push_back(std::move(row));
    plot::Series memory{plot::Series::limit, "limit: one read of n words", {}};
    if (program == std::string_view("all_pairs_distances")) memory.name = "limit: one read of n² words";
    for (const Json* group : groups) {
      const double n = number(*group, "n"),
                   words = program == std::string_view("all_pairs_distances") ? n * n : n;
      const double y = words * 8 / results.machine("read_rate_all") * 1e3;
      memory.points.push_back({n, y, y, y});
    }
    curves.series.push_back(std::move(memory));
    page.figure(curves, how_measured(groups, "Hot, all cores, program compiled; on a GPU with transfers"));
  }
  if (first) return;
  page.table(
      "Growth fitted to the larger sizes, and how many times as long the program takes as the hand-written "
      "algorithm.",
      exponents);
  page.text(
      "A PRAM program of logarithmic depth passes over its data once for each step. The tuned algorithm "
      "reads them once or twice, in blocks that fit the cache. "
      "The published trend is linear growth of reduction and prefix sums, and a larger gap for prefix sums. "
      "Matching depends on the graph more than on its size: where many left vertices "
      "compete for few right ones, labels climb one by one. A dash stands for a line that falls somewhere.");
}

void write_passes(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "passes");
  if (groups.empty()) return;
  page.section("Gain of each optimisation");
  plot::HeatMap map{"Time without an optimisation, compared with all of them – all cores",
                    {"left out", ""},
                    {"program, n", ""},
                    {},
                    {},
                    {},
                    1,
                    "× the time"};
  for (const Json* group : groups) {
    const Json* all = level_of(*group, "all");
    if (all == nullptr) continue;
    map.rows.push_back(fmt::format("{}, {}", (*group)["program"].get<std::string>(),
                                   plot::short_number(number(*group, "n"))));
    auto& values = map.values.emplace_back();
    for (const std::string& level : levels_of({group})) {
      if (level == "all") continue;
      const std::string name = level == "none" ? "all of them" : level.substr(8);
      if (map.rows.size() == 1) map.columns.push_back(name);
      values.push_back(number(*level_of(*group, level), "seconds") / number(*all, "seconds"));
    }
  }
  page.figure(map, how_measured(groups, "Hot, all cores"));
  page.text(
      "Above 1 the optimisation saves time on these cores. Those that save launches matter on a GPU, where "
      "each launch costs microseconds.");
}

void write_sets(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "sets");
  if (groups.empty()) return;
  page.section("Active processors: bitset or list");
  plot::Curves curves{"A loop of 16 steps for a share of the processors – no optimisation",
                      {"active processors", "%"},
                      {"", "ms"}};
  curves.series = lines(groups, "density", milliseconds);
  std::string words = "One representation is faster at every share.";
  for (size_t i = 1; curves.series.size() == 2 && i < curves.series[0].points.size(); ++i) {
    const auto ahead = [&](size_t at) {
      return curves.series[0].points[at].y - curves.series[1].points[at].y;
    };
    if ((ahead(i - 1) > 0) == (ahead(i) > 0)) continue;
    const double x0 = curves.series[0].points[i - 1].x, x1 = curves.series[0].points[i].x;
    const double crossing = x0 + (x1 - x0) * ahead(i - 1) / (ahead(i - 1) - ahead(i));
    curves.marks.push_back({crossing, fmt::format("{:.0f} %", crossing)});
    words = fmt::format("The lines cross at about {:.0f} % of active processors.", crossing);
  }
  plot::Series memory = limit(curves.series, "limit: one read of n words",
                              number(*groups.front(), "n") * 8 / results.machine("read_rate_all") * 1e3);
  curves.series.push_back(std::move(memory));
  page.figure(curves, how_measured(groups, "Hot, all cores"));
  page.text(words +
            " A bitset visits every word of the set; a list is compacted once and then visits only active "
            "processors.");
}

void write_group(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "group");
  if (groups.empty()) return;
  page.section("One group, or many launches");
  plot::Curves curves{
      "Time over small n – scan", {"n", "", plot::Axis::logarithmic}, {"", "ms", plot::Axis::logarithmic}};
  curves.series = lines(groups, "n", milliseconds);
  page.figure(curves, how_measured(groups, "Hot, program compiled; on a GPU with transfers"));
  page.text(
      "On a GPU, one group of 256 threads runs the whole program in one launch. A barrier stands where "
      "another "
      "launch would, and the group's own memory holds all cells. "
      "The study's conclusion calls this the best use of PRAM programs. "
      "A machine without a GPU has the interpreter's line only.");
}

}  // namespace

void write_pram(Page& page, const Results& results) {
  page.chapter("PRAM programs");
  page.text(
      "The study of 2016 (Hannover) translated PRAM programs to OpenCL, naive and tuned. Each program runs "
      "here in the interpreter, on all cores with and without "
      "optimisations, and as a hand-written algorithm; all give the same result.");
  write_growth(page, results);
  write_passes(page, results);
  write_sets(page, results);
  write_group(page, results);
  page.section("Threads and values of a thread on a GPU");
  page.text(
      "The study's best parameters of reduction (m = 64, c = 16) and prefix sums (m = 256, c = 8) were "
      "measured again on an H200: c = 16 is best for both, and m "
      "matters only for prefix sums (256). The grid is in docs/notes/performance-pram.md.");
}

}  // namespace lanewise::cli::study
