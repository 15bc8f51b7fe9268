#include "study/bench/plots.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::cli::bench {

namespace {

using plot::Axis;
using plot::Curves;
using plot::Series;

double gb_per_second(const Group& group, const Result& result) {
  return static_cast<double>(group.bytes) / result.seconds / 1e9;
}

/// Adds a point to the plot's series of that name.
void add_point(Curves& to, const std::string& series, double x, double y) {
  auto found = std::ranges::find(to.series, series, &Series::name);
  if (found == to.series.end()) found = to.series.insert(found, Series{.name = series, .points = {}});
  found->points.push_back({x, y, y, y});
}

/// The plot of this title, created at its first use.
Curves& plot_for(std::vector<Curves>& plots, Curves plot) {
  const auto found = std::ranges::find(plots, plot.title, &Curves::title);
  return found != plots.end() ? *found : plots.emplace_back(std::move(plot));
}

void add_rates(std::vector<Curves>& plots, Curves plot, const Group& group, double x) {
  Curves& to = plot_for(plots, std::move(plot));
  for (const Result& result : group.results) {
    if (result.not_offered.empty()) add_point(to, result.level, x, gb_per_second(group, result));
  }
}

void add_thresholds(std::vector<Curves>& plots, const Group& group) {
  const Axis below{"refill when fewer lanes are busy", "", Axis::logarithmic};
  Curves occupancy{"Occupancy over threshold – " + group.title, below, {"", "%"}};
  Curves rate{"GB/s over threshold – " + group.title, below, {"", "GB/s"}};
  for (const Result& result : group.results) {
    if (!result.not_offered.empty() || result.refill_below == 0) continue;
    const std::string lanes = result.level.substr(0, result.level.find(" below"));
    if (result.stats) add_point(occupancy, lanes, result.refill_below, 100 * result.stats->occupancy());
    add_point(rate, lanes, result.refill_below, gb_per_second(group, result));
  }
  plots.push_back(std::move(occupancy));
  plots.push_back(std::move(rate));
}

bool is_line(const Curves& plot) {
  return std::ranges::any_of(plot.series, [](const Series& series) { return series.points.size() > 1; });
}

}  // namespace

std::vector<Curves> plots_of(std::span<const Group> groups) {
  std::vector<Curves> plots;
  for (const Group& group : groups) {
    if (group.about.contains("selectivity")) {
      const std::string title =
          fmt::format("GB/s over selectivity – {}", group.title.substr(0, group.title.find(':')));
      const auto threads = group.about["threads"].get<int>();
      const std::string team = threads == 1 && !group.about["affinity"].get<bool>()
                                   ? ""
                                   : fmt::format(", {} threads{}", threads,
                                                 group.about["affinity"].get<bool>() ? " with affinity" : "");
      add_rates(plots, {title + team, {"selected", "%"}, {"", "GB/s"}}, group,
                group.about["selectivity"].get<double>());
      continue;
    }
    const auto lengths = group.about["lengths"].get<std::string>();
    if (std::ranges::all_of(lengths, [](char c) { return c >= '0' && c <= '9'; })) {
      add_rates(plots,
                {fmt::format("GB/s over row length – {}", group.about["test"].get<std::string>()),
                 {"bytes of each row", "", Axis::logarithmic},
                 {"", "GB/s"}},
                group, std::stod(lengths));
    }
    add_thresholds(plots, group);
  }
  std::erase_if(plots, [](const Curves& plot) { return !is_line(plot); });
  for (Curves& curves : plots) {
    for (Series& series : curves.series) std::ranges::sort(series.points, {}, &plot::Point::x);
  }
  return plots;
}

}  // namespace lanewise::cli::bench
