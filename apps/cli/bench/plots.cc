#include "bench/plots.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::cli::bench {

namespace {

double gb_per_second(const Group& group, const Result& result) {
  return static_cast<double>(group.bytes) / result.seconds / 1e9;
}

/// Adds a point to the panel's series of that name.
void add_point(Panel& panel, const std::string& series, double x, double y) {
  auto found = std::ranges::find(panel.series, series, &Series::name);
  if (found == panel.series.end()) found = panel.series.insert(found, Series{series, {}});
  found->points.emplace_back(x, y);
}

/// The panel of that title, made if there is none.
Panel& panel_for(std::vector<Panel>& panels, Panel panel) {
  const auto found = std::ranges::find(panels, panel.title, &Panel::title);
  return found != panels.end() ? *found : panels.emplace_back(std::move(panel));
}

void add_rates(std::vector<Panel>& panels, Panel panel, const Group& group, double x) {
  Panel& to = panel_for(panels, std::move(panel));
  for (const Result& result : group.results) {
    if (result.not_offered.empty()) add_point(to, result.level, x, gb_per_second(group, result));
  }
}

void add_thresholds(std::vector<Panel>& panels, const Group& group) {
  Panel occupancy{
      "Occupancy over threshold – " + group.title, "refill when fewer lanes are busy", "%", true, {}};
  Panel rate{"GB/s over threshold – " + group.title, "refill when fewer lanes are busy", "GB/s", true, {}};
  for (const Result& result : group.results) {
    if (!result.not_offered.empty() || result.refill_below == 0) continue;
    const std::string lanes = result.level.substr(0, result.level.find(" below"));
    if (result.stats) add_point(occupancy, lanes, result.refill_below, 100 * result.stats->occupancy());
    add_point(rate, lanes, result.refill_below, gb_per_second(group, result));
  }
  panels.push_back(std::move(occupancy));
  panels.push_back(std::move(rate));
}

bool is_line(const Panel& panel) {
  return std::ranges::any_of(panel.series, [](const Series& series) { return series.points.size() > 1; });
}

}  // namespace

std::vector<Panel> panels_of(std::span<const Group> groups) {
  std::vector<Panel> panels;
  for (const Group& group : groups) {
    if (group.about.contains("selectivity")) {
      const std::string title =
          fmt::format("GB/s over selectivity – {}", group.title.substr(0, group.title.find(':')));
      const auto threads = group.about["threads"].get<int>();
      const std::string team = threads == 1 && !group.about["affinity"].get<bool>()
                                   ? ""
                                   : fmt::format(", {} threads{}", threads,
                                                 group.about["affinity"].get<bool>() ? " with affinity" : "");
      add_rates(panels, {title + team, "selected, %", "GB/s", false, {}}, group,
                group.about["selectivity"].get<double>());
      continue;
    }
    const auto lengths = group.about["lengths"].get<std::string>();
    if (std::ranges::all_of(lengths, [](char c) { return c >= '0' && c <= '9'; })) {
      add_rates(panels,
                {fmt::format("GB/s over row length – {}", group.about["test"].get<std::string>()),
                 "bytes of each row",
                 "GB/s",
                 true,
                 {}},
                group, std::stod(lengths));
    }
    add_thresholds(panels, group);
  }
  std::erase_if(panels, [](const Panel& panel) { return !is_line(panel); });
  for (Panel& panel : panels) {
    for (Series& series : panel.series) std::ranges::sort(series.points);
  }
  return panels;
}

}  // namespace lanewise::cli::bench
