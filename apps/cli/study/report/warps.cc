#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/gpu.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kBytesLevel = "gpu naive bytes";
constexpr const char* kNaiveLevel = "gpu naive";
constexpr const char* kRefillLevel = "gpu refill";
constexpr const char* kTextResident = "Hot, rows in the GPU's memory, kernel alone, no transfer";

double rate_of(const Json& group, const std::string& name) {
  const Json* const level = level_of(group, name);
  return level == nullptr ? 0 : gb_per_second(group, number(*level, "seconds"));
}

double lane_use(const Json& group, const std::string& name) {
  const Json* const level = level_of(group, name);
  return level == nullptr ? 0 : number(*level, "occupancy");
}

/// The fastest level that runs on cores.
const Json* fastest_on_cores(const Json& group) {
  const Json* best = nullptr;
  for (const Json& level : group["levels"]) {
    const double seconds = number(level, "seconds");
    if (seconds <= 0 || level["level"].get<std::string>().starts_with("gpu")) continue;
    if (best == nullptr || seconds < number(*best, "seconds")) best = &level;
  }
  return best;
}

void write_warp_lengths(Page& page, const Results& results) {
  Range gains, use_naive, use_refill, over_cores;
  for (const auto& [test, name] :
       {std::pair("equality", "Equality on warps"), std::pair("prefix", "Prefix on warps"),
        std::pair("regex", "Regular expression on warps")}) {
    const Groups groups = results.groups("strings", "warps", {{"test", test}});
    if (!has_level(groups, kRefillLevel)) continue;
    plot::Bars bars{.title = name,
                    .x = {"rate", "GB/s of text"},
                    .groups = {kBytesLevel, kNaiveLevel, kRefillLevel, "fastest on cores"},
                    .series = {},
                    .values = std::vector<std::vector<double>>(4),
                    .limit = card_rate(results) / 1e9,
                    .limit_name = "the card reads"};
    Cells shares{{"lane use"}, {{kBytesLevel}, {kNaiveLevel}, {kRefillLevel}}};
    for (const Json* group : groups) {
      bars.series.push_back((*group)["lengths"].get<std::string>());
      shares.head.push_back(bars.series.back());
      for (size_t i = 0; i < 3; ++i) {
        const double rate = rate_of(*group, bars.groups[i]);
        bars.values[i].push_back(rate > 0 ? rate : -1);
        const double use = lane_use(*group, bars.groups[i]);
        shares.rows[i].push_back(rate > 0 ? fmt::format("{:.1f} %", 100 * use) : "–");
      }
      const Json* const cores = fastest_on_cores(*group);
      bars.values[3].push_back(cores == nullptr ? -1 : gb_per_second(*group, number(*cores, "seconds")));
      const double naive = rate_of(*group, kNaiveLevel), refill = rate_of(*group, kRefillLevel);
      if (naive <= 0 || refill <= 0) continue;
      gains.add(refill / naive);
      use_naive.add(100 * lane_use(*group, kNaiveLevel)),
          use_refill.add(100 * lane_use(*group, kRefillLevel));
      if (cores != nullptr)
        over_cores.add(number(*cores, "seconds") / number(*level_of(*group, kRefillLevel), "seconds"));
    }
    page.figure(
        bars,
        how_measured_without_runs(groups, fmt::format("{}; 1 % of the rows match", kTextResident)) +
            " Naive bytes: the study's algorithm, a byte for each step. Naive: the same without refill, 16 "
            "bytes for each load.");
    page.table(
        fmt::format("{}: share of the lanes' steps that held a live row, counted in a run of its own.", name),
        shares);
  }
  if (gains.empty()) return;
  page.text(
      fmt::format("Refill runs at {} times the rate of naive warps with the same loads. Lanes of naive "
                  "warps are live for {} % of their steps, with refill for {} %. The fastest level on this "
                  "machine's cores takes {} times as long as the refilled kernel; copies are not counted "
                  "here.",
                  gains.text(), use_naive.text(), use_refill.text(), over_cores.text()));
}

void write_warp_curves(Page& page, const Results& results) {
  const std::vector<std::string> levels = {kBytesLevel, kNaiveLevel, kRefillLevel};
  const auto draw = [&](const Json& about, const char* title, const plot::Axis& axis, const char* x) {
    const Groups groups = results.groups("strings", "warp-matches", about);
    if (!has_level(groups, kRefillLevel)) return;
    plot::Curves curves{title, axis, {"", "GB/s of text"}};
    curves.series = lines(groups, x, gb_per_second, levels);
    add_card_limit(curves.series, results);
    page.figure(curves, how_measured(groups, kTextResident));
  };
  draw({{"test", "regex"}}, "On warps: rate over the share of matches", {"rows that match", "%"}, "match");
  draw({{"test", "equality"}}, "On warps: rate over the place of the mismatch",
       {"first byte that differs", "byte"}, "mismatch");
}

void write_warp_gain(Page& page, const Results& results) {
  const Groups groups = results.groups("strings", "warp-refill");
  if (!has_level(groups, kRefillLevel)) return;
  const auto map_of = [&](const char* title, double middle, const char* unit, auto&& value) {
    plot::HeatMap map{
        title, {"rows that match", "%"}, {"skew: exponent of Zipf's law", ""}, {}, {}, {}, middle, unit};
    for (const Json* group : groups) {
      const std::string row = (*group)["lengths"].get<std::string>().substr(5);
      const std::string column = fmt::format("{:g}", number(*group, "match"));
      if (std::ranges::count(map.rows, row) == 0) map.rows.push_back(row), map.values.emplace_back();
      if (std::ranges::count(map.columns, column) == 0) map.columns.push_back(column);
      map.values.back().push_back(value(*group));
    }
    return map;
  };
  const auto gain = [&](const char* from) {
    return [from](const Json& group) {
      const double a = rate_of(group, from), b = rate_of(group, kRefillLevel);
      return a > 0 && b > 0 ? b / a : -1;
    };
  };
  const auto use = [](const Json& group) {
    const double a = lane_use(group, kNaiveLevel), b = lane_use(group, kRefillLevel);
    return a > 0 && b > 0 ? b / a : -1;
  };
  page.figure(
      map_of("Gain of refill on warps, over naive with the same loads", 1, "× naive", gain(kNaiveLevel)),
      how_measured_without_runs(groups, kTextResident) + " Rows of 8 to 1,024 bytes.");
  page.figure(map_of("Gain of refill on warps, over naive bytes", 1, "× naive bytes", gain(kBytesLevel)),
              how_measured_without_runs(groups, kTextResident) + " The study's algorithm is the reference.");
  page.figure(map_of("Lane use with refill, over that of naive warps", 1, "× naive", use),
              "The share of lanes' steps that held a live row, counted in a run of its own; not a time. It "
              "is the gain that idle lanes alone would explain.");
  std::vector<double> expected, measured;
  Range gains, naive;
  for (const Json* group : groups) {
    const double a = lane_use(*group, kNaiveLevel), b = lane_use(*group, kRefillLevel),
                 g = gain(kNaiveLevel)(*group);
    if (a <= 0 || b <= 0 || g <= 0) continue;
    expected.push_back(b / a), measured.push_back(g), gains.add(g), naive.add(100 * a);
  }
  if (measured.size() < 3) return;
  const double together = correlation(expected, measured);
  page.text(fmt::format(
      "Lanes of naive warps are live for {} % of their steps. The gain of refill is {}. If lane use were "
      "all that counts, it would equal the ratio of both lane uses. Over these {} workloads gain and ratio "
      "have a correlation of {:.2f}: {}.",
      naive.text(), gains.text(" ×"), measured.size(), together,
      together > 0.7
          ? "idle lanes are the cause of the naive kernel's loss"
          : "on this machine idle lanes alone do not explain the gain; memory and look-ups of the automaton "
            "weigh more"));
}

/// A level "gpu refill: 64 threads" of the sweep.
void write_warp_shapes(Page& page, const Results& results) {
  const Groups groups = results.groups("strings", "warp-shapes");
  const Json* const group = groups.empty() ? nullptr : groups.front();
  if (group == nullptr || !has_level(groups, "gpu refill: 512 threads")) return;
  page.section("Block size, grid size and threshold");
  std::string words;
  const auto draw = [&](const char* title, const plot::Axis& axis, const char* what, double chosen,
                        auto&& x_of) {
    plot::Curves curves{title, axis, {"", "GB/s of text"}};
    double best = 0, best_at = 0, at_chosen = 0;
    for (const char* level : {kBytesLevel, kNaiveLevel, kRefillLevel}) {
      plot::Series series{.name = level, .points = {}};
      for (const Json& found : (*group)["levels"]) {
        const auto name = found["level"].get<std::string>();
        if (!name.starts_with(std::string(level) + ": ") || name.find(what) == std::string::npos) continue;
        if (number(found, "seconds") <= 0) continue;
        const double x = x_of(found), y = gb_per_second(*group, number(found, "seconds"));
        series.points.push_back({x, y, gb_per_second(*group, found["runs"].back().get<double>()),
                                 gb_per_second(*group, found["runs"].front().get<double>())});
        if (level != std::string(kRefillLevel)) continue;
        if (y > best) best = y, best_at = x;
        if (x == chosen) at_chosen = y;
      }
      if (!series.points.empty()) curves.series.push_back(std::move(series));
    }
    if (curves.series.empty()) return;
    curves.marks = {{chosen, "the engine's choice"}};
    if (best_at != chosen) curves.marks.push_back({best_at, "fastest"});
    add_card_limit(curves.series, results);
    page.figure(curves, how_measured(groups, kTextResident) + " Skewed rows, regular expression.");
    words += fmt::format(
        "{}{} with refill: the fastest at {:g}; the engine's choice, {:g}, reaches {:.0f} % of its rate.",
        words.empty() ? "" : " ", title, best_at, chosen, best > 0 ? 100 * at_chosen / best : 0);
  };
  const auto below = [&] {
    for (const Json& level : (*group)["levels"]) {
      if (level["level"] == "gpu refill: 512 threads") return number(level, "below");
    }
    return 0.0;
  }();
  draw("Rate over the size of a block", {"threads of a block", "", plot::Axis::logarithmic}, " threads", 512,
       [](const Json& level) { return number(level["kernel"], "threads"); });
  draw("Rate over the size of the grid", {"blocks", "× those that run at once", plot::Axis::logarithmic},
       "grid x", 1, [](const Json& level) { return number(level, "grids"); });
  draw("Rate over the threshold of refill on warps", {"refill when fewer lanes are busy", "lanes"}, "below",
       below, [](const Json& level) { return number(level, "below"); });
  page.text(
      "Too few threads do not hide the memory's latency; too many blocks exhaust registers and shared "
      "memory, or leave each warp too few rows to refill from. " +
      words);
}

}  // namespace

void write_warps(Page& page, const Results& results) {
  page.section("On the warps of a GPU");
  if (!results.has_gpu()) {
    page.text("There is no GPU on this machine, so naive and refilled warps are not measured here.");
    return;
  }
  Groups all;
  for (const char* name : {"warps", "warp-matches", "warp-refill", "warp-shapes", "pairs"}) {
    const Groups groups = results.groups("strings", name);
    all.insert(all.end(), groups.begin(), groups.end());
  }
  write_not_measured(page, all);
  write_warp_lengths(page, results);
  write_warp_curves(page, results);
  write_warp_gain(page, results);
  write_warp_shapes(page, results);
}

void write_pairs(Page& page, const Results& results) {
  const Groups groups = results.groups("strings", "pairs");
  if (groups.empty()) return;
  page.section("Refill where a join expands its rows");
  page.text(
      "The study's motivating figure: rows of a join's probe side find different numbers of matches, so a "
      "warp waits for its longest run. Naive: each lane takes its row's matches in sequence. Refill: lanes "
      "that have finished take new rows. Balanced: a prefix sum shares 32 rows' matches among the lanes. "
      "Mixed: refill, but long runs are for the whole warp. Queued: balanced, but runs of 1,024 and more "
      "are shared by all warps.");
  plot::Bars bars{.title = "Pairs of a join over the distribution of matches",
                  .x = {"rate", "billion pairs/s"},
                  .groups = {},
                  .series = levels_of(groups),
                  .values = {}};
  Cells use{{"lane use"}, {}};
  for (const std::string& level : bars.series) {
    if (level.starts_with("gpu")) use.rows.push_back({level});
  }
  std::string winners;
  for (const Json* group : groups) {
    bars.groups.push_back((*group)["matches"].get<std::string>());
    use.head.push_back(bars.groups.back());
    auto& values = bars.values.emplace_back();
    const Json* best = nullptr;
    for (const std::string& level : bars.series) {
      const Json* const found = level_of(*group, level);
      values.push_back(found == nullptr ? -1 : million_rows(*group, number(*found, "seconds")) / 1e3);
      if (found == nullptr || !level.starts_with("gpu")) continue;
      if (best == nullptr || number(*found, "seconds") < number(*best, "seconds")) best = found;
    }
    for (auto& row : use.rows) row.push_back(fmt::format("{:.1f} %", 100 * lane_use(*group, row[0])));
    const Json *naive = level_of(*group, "gpu naive"), *refill = level_of(*group, "gpu refill");
    if (best == nullptr || naive == nullptr || refill == nullptr) continue;
    winners += fmt::format(
        "{}{}: {} is the fastest, at {:.1f} times naive; refill alone reaches {:.1f} times",
        winners.empty() ? "" : "; ", bars.groups.back(), (*best)["level"].get<std::string>().substr(4),
        number(*naive, "seconds") / number(*best, "seconds"),
        number(*naive, "seconds") / number(*refill, "seconds"));
  }
  if (const Json* const card = card_of(results)) {
    constexpr double kOperations = 8;  // of a pair: its hash, and its sum
    bars.limit = number(*card, "operations") / kOperations / 1e9;
    bars.limit_name = "operations";
  }
  page.figure(bars, how_measured_without_runs(
                        groups, "Hot, runs of matches in memory (of the GPU for its levels), no transfer"));
  if (use.rows.empty()) {
    page.text(results.has_gpu()
                  ? "The GPU's forms were not measured; the reason is above."
                  : "Only one core is measured here: the forms are for warps, and there is no GPU.");
    return;
  }
  page.table("Share of the lanes' steps that took a pair, counted in a run of its own.", use);
  page.text(winners + ".");
}

}  // namespace lanewise::cli::study
