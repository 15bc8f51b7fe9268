#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "study/data/text_rows.h"
#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kTextHot = "Hot, rows in memory, one core, no transfer";

/// Distributes the lengths of real rows over lanes. A lane that has finished takes the next row at once or,
/// without `refill`, when all have finished.
plot::Trace trace_of(const bench::TextRows& text, int lanes, bool refill) {
  plot::Trace trace{
      refill ? "With refill: a lane takes the next row at once" : "Naive: lanes wait for the slowest row",
      lanes,
      0,
      {}};
  std::vector<double> ends(static_cast<size_t>(lanes), 0);
  for (size_t row = 0; row < text.rows();) {
    const size_t together = refill ? 1 : static_cast<size_t>(lanes);
    const double all = *std::ranges::max_element(ends);
    for (size_t i = 0; i < together && row < text.rows(); ++i, ++row) {
      const size_t lane = refill ? static_cast<size_t>(std::ranges::min_element(ends) - ends.begin()) : i;
      const double from = refill ? ends[lane] : all;
      const std::string_view bytes(reinterpret_cast<const char*>(&text.bytes[text.offsets[row]]),
                                   text.offsets[row + 1] - text.offsets[row]);
      // A search ends after the three digits and the letter, or with the row.
      const size_t hit = bytes.find("042a");
      const double length = static_cast<double>(hit == std::string_view::npos ? bytes.size() : hit + 4);
      ends[lane] = from + length;
      trace.pieces.push_back(
          {static_cast<int>(lane), from, ends[lane], static_cast<int>(row), hit != std::string_view::npos});
    }
  }
  trace.steps = *std::ranges::max_element(ends);
  return trace;
}

void write_trace(Page& page) {
  page.section("Why lanes idle");
  bench::TextShape shape;
  shape.test = bench::RowTest::regex;
  shape.lengths.kind = bench::Lengths::uniform;
  shape.match = 20;
  shape.rows = 16;
  const bench::TextRows text = bench::make_text_rows(shape, [] {});
  plot::Trace naive = trace_of(text, 3, false), refill = trace_of(text, 3, true);
  double busy = 0;
  for (const auto& piece : naive.pieces) busy += piece.to - piece.from;
  const auto share = [&](const plot::Trace& trace) { return 100 * busy / (trace.lanes * trace.steps); };
  const std::string both = fmt::format(
      "16 generated rows of 8 to 120 bytes on three lanes: the algorithm's schedule. Lanes work {:.0f} % "
      "of the time without refill and {:.0f} % with it.",
      share(naive), share(refill));
  refill.steps = std::max(naive.steps, refill.steps);
  page.figure(naive, both + " Numbers are those of rows.");
  page.figure(refill, "The same rows, the same scale.");
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
        how_measured(groups, fmt::format("{}; 1 % of the rows match", kTextHot)) +
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
       "All rows have the same length, so no lane waits for another. Short rows cost more changes of "
       "rows.");
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
    page.figure(map, how_measured(groups, kTextHot));
    page.text(
        fmt::format("{}: refill takes {:.2f} to {:.1f} times the rate of naive lanes. The gain is largest "
                    "where few rows are long "
                    "and the others wait for them.",
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
      "times. Here each level matches "
      "the same rows, naive and with refill; the hash of all hits is the same for each.");
  write_trace(page);
  write_lengths(page, results);
  write_curves(page, results);
  write_gain(page, results);
  write_thresholds(page, results);
  page.section("On a GPU");
  page.text(results.has_gpu() ? "Block size, grid size and threshold on a GPU are measured by "
                                "bench/gpu_bench.py; docs/notes/performance-gpu.md holds the results."
                              : "There is no GPU on this machine. docs/notes/performance-gpu.md holds what "
                                "was measured on an H200.");
  page.text(
      "Refill where a join expands its rows (the study's motivating figure) is not measured here. Lanewise "
      "shares the matches of a warp by a "
      "prefix sum instead: docs/understand/decisions/0012-joins-on-devices.md.");
}

}  // namespace lanewise::cli::study
