#include "study/report/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/result_writer.h"
#include "study/bench/bench.h"

namespace lanewise::cli::study {

std::vector<const Json*> Results::groups(const std::string& part, const std::string& name,
                                         const Json& about) const {
  std::vector<const Json*> found;
  for (const Json& experiment : study_["experiments"]) {
    if (experiment["part"] != part || experiment["name"] != name) continue;
    for (const Json& group : experiment["groups"]) {
      const bool fits = std::all_of(about.items().begin(), about.items().end(), [&](const auto& item) {
        return group.value(item.key(), Json()) == item.value();
      });
      if (fits) found.push_back(&group);
    }
  }
  return found;
}

std::vector<const Json*> Results::all() const {
  std::vector<const Json*> found;
  for (const Json& experiment : study_["experiments"]) {
    for (const Json& group : experiment["groups"]) found.push_back(&group);
  }
  return found;
}

const Json* level_of(const Json& group, const std::string& name) {
  for (const Json& level : group["levels"]) {
    if (level["level"] == name && number(level, "seconds") > 0) return &level;
  }
  return nullptr;
}

double seconds_of(const Json& group, const std::string& name) {
  const Json* level = level_of(group, name);
  return level == nullptr ? 0 : number(*level, "seconds");
}

bool is_on_gpu(const std::string& level) { return level.starts_with("gpu") || level.starts_with("cuda"); }

bool has_transfers(const std::string& level) {
  return level.find("copies") != std::string::npos ||
         (level.starts_with("cuda") && level.find("resident") == std::string::npos &&
          level.find("kernel") == std::string::npos);
}

std::vector<std::string> levels_of(const Groups& groups) {
  std::vector<std::string> names;
  for (const Json* group : groups) {
    for (const Json& level : (*group)["levels"]) {
      const auto name = level["level"].get<std::string>();
      if (number(level, "seconds") > 0 && std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  return names;
}

double gb_per_second(const Json& group, double seconds) { return number(group, "bytes") / seconds / 1e9; }
double million_rows(const Json& group, double seconds) { return number(group, "rows") / seconds / 1e6; }
double milliseconds(const Json&, double seconds) { return seconds * 1e3; }

std::vector<plot::Series> lines(const Groups& groups, const std::string& x, const Value& value,
                                std::vector<std::string> levels) {
  if (levels.empty()) levels = levels_of(groups);
  std::vector<plot::Series> made;
  for (const std::string& name : levels) {
    plot::Series series{.name = name, .points = {}};
    for (const Json* group : groups) {
      const Json* level = level_of(*group, name);
      if (level == nullptr) continue;
      const Json& at = (*group)[x];
      const auto seconds = number(*level, "seconds");
      const auto& runs = (*level)["runs"];
      const double a = value(*group, runs.front().get<double>()),
                   b = value(*group, runs.back().get<double>());
      series.points.push_back({at.is_string() ? std::stod(at.get<std::string>()) : at.get<double>(),
                               value(*group, seconds), std::min(a, b), std::max(a, b)});
    }
    std::ranges::sort(series.points, {}, &plot::Point::x);
    if (!series.points.empty()) made.push_back(std::move(series));
  }
  return made;
}

plot::Series limit(const std::vector<plot::Series>& others, const std::string& name, double y) {
  double least = INFINITY, most = -INFINITY;
  for (const plot::Series& series : others) {
    for (const plot::Point& point : series.points)
      least = std::min(least, point.x), most = std::max(most, point.x);
  }
  plot::Series made{plot::Series::limit, name, {}};
  if (least <= most) made.points = {{least, y, y, y}, {most, y, y, y}};
  return made;
}

namespace {

std::string measured_text(const Groups& groups, const std::string& state, const char* shown) {
  size_t least = SIZE_MAX, most = 0, busy = 0, all = 0;
  double worst = 0;
  for (const Json* group : groups) {
    for (const Json& level : (*group)["levels"]) {
      if (number(level, "seconds") <= 0) continue;
      least = std::min(least, level["runs"].size()), most = std::max(most, level["runs"].size());
      worst = std::max(worst, number(level, "spread"));
      busy += number(level, "spread") > bench::kBusy, ++all;
    }
  }
  if (all == 0) return state + ".";
  const std::string runs = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  std::string text = fmt::format("{}. Medians of {} runs{}. Spread (between quartiles): at most {:.0f} %.",
                                 state, runs, shown, 100 * worst);
  if (busy > 0)
    text +=
        fmt::format(" ⚠ The machine was busy: {} of {} measurements have a spread above 10 %.", busy, all);
  return text;
}

}  // namespace

std::string how_measured(const Groups& groups, const std::string& state) {
  return measured_text(groups, state, "; thin lines reach from the fastest to the slowest run");
}

std::string how_measured_without_runs(const Groups& groups, const std::string& state) {
  return measured_text(groups, state, "");
}

double number(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string time_or_dash(double seconds) { return seconds > 0 ? time_text(seconds) : "–"; }

std::string reason_text(const std::string& reason) {
  constexpr size_t kMost = 140;
  std::string line = reason.substr(0, reason.find('\n'));
  if (line.size() <= kMost) return line;
  line.resize(line.rfind(' ', kMost));
  return line + " …";
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string digits_text(double value) {
  return std::abs(value) < 999.5 ? fmt::format("{:.3g}", value) : with_commas(std::llround(value));
}

std::string ratio_text(double a, double b) {
  if (a <= 0 || b <= 0) return "–";
  return a / b < 0.95 ? fmt::format("{:.2g} ×", a / b) : fmt::format("{:.1f} ×", a / b);
}

}  // namespace lanewise::cli::study
