#include <fmt/format.h>

#include <algorithm>

#include "study/report/chapters.h"
#include "study/report/gpu.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kTextHot = "Hot, rows in memory, one core, no transfer";

plot::Trace trace_of(const Json& group, const std::string& level) {
  plot::Trace trace{level == "refill" ? "With refill: a lane takes the next row at once"
                                      : "Naive: lanes wait for the slowest row",
                    group["lanes"].get<int>(),
                    0,
                    {}};
  for (const Json& found : group["levels"]) {
    if (found["level"] != level) continue;
    for (const Json& piece : found["pieces"]) {
      trace.pieces.push_back({piece[0].get<int>(), piece[1].get<double>(), piece[2].get<double>(),
                              piece[3].get<int>(), piece[4].get<bool>()});
    }
    trace.steps = number(found, "steps");
  }
  return trace;
}

/// Naive and refill, on the same scale.
void write_trace(Page& page, const Results& results) {
  bool first = true;
  for (const Json* group : results.groups("strings", "trace")) {
    if (first) page.section("Why lanes idle");
    first = false;
    plot::Trace naive = trace_of(*group, "naive"), refill = trace_of(*group, "refill");
    double live[2] = {};
    for (size_t i = 0; i < 2; ++i) live[i] = 100 * number((*group)["levels"][i], "occupancy");
    const double steps = naive.steps, fewer = refill.steps;
    refill.steps = naive.steps = std::max(steps, fewer);
    page.figure(
        naive,
        fmt::format("A recorded run of the engine's algorithm on {} lanes: {:.0f} rows of 8 to 120 bytes, "
                    "regular expression, 20 % match. Numbers are those of rows; a step is a byte of each "
                    "lane. Lanes hold a row for {:.0f} % of their steps.",
                    naive.lanes, number(*group, "rows"), live[0]));
    page.figure(
        refill,
        fmt::format("The same rows with refill, on the same scale: {:.0f} % of the lanes' steps are live, "
                    "and the run ends after {:.0f} steps instead of {:.0f}.",
                    live[1], fewer, steps));
  }
}

void write_lengths(Page& page, const Results& results) {
  const double rate = results.machine("read_rate") / 1e9;
  page.section("Shapes of rows");
  const std::vector<std::string> shapes = {"constant", "uniform", "skewed", "zipf:1"};
  for (const auto& [test, name] :
       {std::pair("equality", "Equality with a constant"), std::pair("prefix", "Prefix"),
        std::pair("regex", "Regular expression [0-9]{3}[a-f]")}) {
    const Groups groups = results.groups("strings", "lengths", {{"test", test}});
    if (groups.empty()) continue;
    plot::Bars bars{.title = name,
                    .x = {"rate", "GB/s of text"},
                    .groups = levels_of(groups),
                    .series = {},
                    .values = {},
                    .limit = rate,
                    .limit_name = "one core reads"};
    Cells shares{{"lanes"}, {}};
    for (const Json* group : groups) {
      bars.series.push_back((*group)["lengths"].get<std::string>());
      shares.head.push_back(bars.series.back());
    }
    for (const std::string& level : bars.groups) {
      auto& values = bars.values.emplace_back();
      std::vector<std::string> cells = {level};
      for (const Json* group : groups) {
        const Json* found = level_of(*group, level);
        values.push_back(found == nullptr ? -1 : gb_per_second(*group, number(*found, "seconds")));
        cells.push_back(found == nullptr ? "–" : fmt::format("{:.1f} %", 100 * number(*found, "occupancy")));
      }
      shares.rows.push_back(std::move(cells));
    }
    page.figure(
        bars,
        how_measured_without_runs(groups, fmt::format("{}; 1 % of the rows match", kTextHot)) +
            (test == std::string_view("regex")
                 ? ""
                 : " Rows that differ early are not read to their end, so rates may exceed the limit."));
    if (test == std::string_view("regex")) {
      page.table(
          "Share of lane steps that held a live row, regular expression. Packed lanes are the bytes of a "
          "register.",
          shares);
    }
  }
}

void write_curves(Page& page, const Results& results) {
  const double rate = results.machine("read_rate") / 1e9;
  const auto draw = [&](const char* experiment, const char* title, const plot::Axis& axis, const char* x,
                        const std::string& words) {
    const Groups groups = results.groups("strings", experiment);
    if (groups.empty()) return;
    plot::Curves curves{title, axis, {"", "GB/s of text"}};
    curves.series = lines(groups, x, gb_per_second);
    curves.series.push_back(limit(curves.series, "limit: one core reads", rate));
    page.section(title);
    page.text(words);
    page.figure(curves, how_measured(groups, kTextHot));
  };
  draw("curve", "Rate over the length of rows", {"row length", "bytes", plot::Axis::logarithmic}, "lengths",
       "All rows have the same length, so no lane waits for another. Short rows cost more changes of rows.");
  draw("matches", "Rate over the share of matches", {"rows that match", "%"}, "match",
       "Skewed rows. A match ends a row early, at a random place: more matches mean less text to read, and "
       "lanes that end at different times.");
  draw("mismatches", "Rate over the place of the mismatch", {"first byte that differs", "byte"}, "mismatch",
       "Equality, rows of 64 bytes. A loop that ends at the first mismatch gains where it comes early; "
       "registers of lanes read whole blocks.");
}

void write_gain(Page& page, const Results& results) {
  const Groups groups = results.groups("strings", "refill");
  if (groups.empty()) return;
  page.section("Gain of refill");
  for (const std::string& level : levels_of(groups)) {
    if (!level.ends_with(" naive")) continue;
    const std::string lanes = level.substr(0, level.size() - 6);
    plot::HeatMap map{"Gain of refill – " + lanes + ", rows of 8 to 1,024 bytes",
                      {"rows that match", "%"},
                      {"skew: exponent of Zipf's law", ""},
                      {},
                      {},
                      {},
                      1,
                      "× naive"};
    double most = 0, least = INFINITY;
    for (const Json* group : groups) {
      const std::string row = (*group)["lengths"].get<std::string>().substr(5);
      const std::string column = fmt::format("{:g}", number(*group, "match"));
      if (std::ranges::count(map.rows, row) == 0) map.rows.push_back(row), map.values.emplace_back();
      if (std::ranges::count(map.columns, column) == 0) map.columns.push_back(column);
      const Json* naive = level_of(*group, level);
      const Json* refill = level_of(*group, lanes + " refill");
      const double gain = naive && refill ? number(*naive, "seconds") / number(*refill, "seconds") : -1;
      map.values.back().push_back(gain);
      most = std::max(most, gain), least = gain > 0 ? std::min(least, gain) : least;
    }
    page.figure(map, how_measured_without_runs(groups, kTextHot));
    page.text(
        fmt::format("{}: refill takes {:.2f} to {:.1f} times the rate of naive lanes. The gain is largest "
                    "where few rows are long and the others wait for them.",
                    lanes, least, most));
  }
}

void write_thresholds(Page& page, const Results& results) {
  const Groups groups = results.groups("strings", "thresholds");
  if (groups.empty()) return;
  page.section("The threshold of refill");
  const Json& group = *groups.front();
  plot::Curves rate{"Rate over the threshold – skewed rows",
                    {"refill when fewer lanes are busy", "lanes", plot::Axis::logarithmic},
                    {"", "GB/s of text"}};
  plot::Curves share{"Occupancy over the threshold – skewed rows", rate.x, {"live lane steps", "%"}};
  double best = 0, best_at = 0;
  for (const std::string& level : levels_of(groups)) {
    const size_t at = level.find(" below ");
    if (at == std::string::npos) continue;
    const std::string lanes = level.substr(0, at);
    const double below = std::stod(level.substr(at + 7));
    const Json& found = *level_of(group, level);
    for (plot::Curves* curves : {&rate, &share}) {
      auto series = std::ranges::find(curves->series, lanes, &plot::Series::name);
      if (series == curves->series.end())
        series = curves->series.insert(series, plot::Series{.name = lanes, .points = {}});
      const double y =
          curves == &rate ? gb_per_second(group, number(found, "seconds")) : 100 * number(found, "occupancy");
      series->points.push_back({below, y, y, y});
      if (curves == &rate && y > best) best = y, best_at = below;
    }
  }
  rate.marks = {{best_at, "fastest"}};
  rate.series.push_back(limit(rate.series, "limit: one core reads", results.machine("read_rate") / 1e9));
  page.figure(rate, how_measured(groups, kTextHot));
  page.figure(share, "Counted in a separate run; not a time.");
  page.text(
      "1 is the naive algorithm: refill when no lane is busy. `lanewise tune` tries these values on the "
      "machine and stores the best.");
}

}  // namespace

void write_strings(Page& page, const Results& results) {
  page.chapter("Selecting strings");
  page.text(
      "The study of 2019 (TU Dortmund) proposed that lanes which end early take new rows, and published no "
      "times. Here each level matches the same rows, naive and with refill; the hash of all hits is the "
      "same for each.");
  write_trace(page, results);
  write_lengths(page, results);
  write_curves(page, results);
  write_gain(page, results);
  write_thresholds(page, results);
  write_warps(page, results);
  write_pairs(page, results);
}

}  // namespace lanewise::cli::study
