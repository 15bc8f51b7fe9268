#include "study/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "study/bench/bench.h"
#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

std::string title_of(const Json& machine) {
  const auto gpu = machine["gpu"].get<std::string>();
  return machine["processor"].get<std::string>() + (gpu.empty() ? "" : " and " + gpu);
}

/// The command that makes such a report.
std::string command_of(const Json& key) {
  std::string text = "lanewise study";
  if (key["quick"].get<bool>()) text += " --quick";
  if (key["most_rows"].get<uint64_t>() > 0)
    text += fmt::format(" --rows {}", key["most_rows"].get<uint64_t>());
  if (key["device"] != "auto") text += " --device " + key["device"].get<std::string>();
  if (key["seed"] != 1) text += fmt::format(" --seed {}", key["seed"].get<uint64_t>());
  if (key["repeat"] != 5) text += fmt::format(" --repeat {}", key["repeat"].get<int>());
  return text;
}

void write_machine(Page& page, const Json& study) {
  const Json &machine = study["machine"], &key = study["key"];
  const auto rate = [&](const char* name, double unit) {
    return fmt::format("{:.1f}", machine[name].get<double>() / unit);
  };
  std::string caches;
  for (const Json& cache : machine["caches"])
    caches += (caches.empty() ? "" : ", ") + cache.get<std::string>();
  const auto gpu = machine["gpu"].get<std::string>();
  page.chapter("The machine, and how it was measured");
  page.table(
      "The machine.",
      {{"", ""},
       {{"processor", fmt::format("{}, {} cores, {}", machine["processor"].get<std::string>(),
                                  machine["cores"].get<int>(), caches)},
        {"memory", fmt::format("{:.0f} GB; one core reads {} GB/s, all cores {} GB/s",
                               machine["memory"].get<double>() / 1e9, rate("read_rate", 1e9),
                               rate("read_rate_all", 1e9))},
        {"random reads", fmt::format("{} M/s of one core, {} M/s one after the other",
                                     rate("random_reads", 1e6), rate("dependent_reads", 1e6))},
        {"lanes", machine["lanes"].get<std::string>()},
        {"GPU", gpu.empty() ? "none" : gpu},
        {"system", fmt::format("{}, compiled by gcc {}", machine["system"].get<std::string>(),
                               machine["compiler"].get<std::string>())},
        {"command", command_of(key)},
        {"load before", machine["load"].get<std::string>()},
        {"parameters", fmt::format("{}seed {}, {} rounds{}", key["quick"].get<bool>() ? "--quick, " : "",
                                   key["seed"].get<uint64_t>(), key["repeat"].get<int>(),
                                   key["most_rows"].get<uint64_t>() > 0
                                       ? fmt::format(", at most {} rows", key["most_rows"].get<uint64_t>())
                                       : "")}},
       false});
  page.text(
      "Levels that do the same work run in turns, so that other programs slow all of them. A first run, "
      "which is not timed, warms caches and code and gives a hash of the whole result; all levels must "
      "agree, or the study ends. A figure is the median. Work of one thread counts the time that its thread "
      "had a processor; work of several threads counts from the common start to the last end. The spread is "
      "the distance of the quartiles, as a share of the median.");
  size_t busy = 0, all = 0;
  for (const Json& experiment : study["experiments"]) {
    for (const Json& group : experiment["groups"]) {
      for (const Json& level : group["levels"]) {
        all += level.contains("runs") && !level["runs"].empty();
        busy += level.value("spread", 0.0) > bench::kBusy;
      }
    }
  }
  if (busy > 0) {
    page.warn(
        fmt::format("The machine was busy: {} of {} measurements have a spread above 10 %. Trust ratios "
                    "within a figure more than times.",
                    busy, all));
  }
}

/// The levels without a result, and the experiments that failed.
void write_not_measured(Page& page, const Results& results) {
  std::vector<std::pair<std::string, std::string>> failed;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> levels;  // by reason and experiment
  for (const Json& experiment : results.experiments()) {
    const std::string name =
        experiment["part"].get<std::string>() + "-" + experiment["name"].get<std::string>();
    if (const auto why = experiment.value("failed", std::string()); !why.empty())
      failed.emplace_back(name, why);
    for (const Json& group : experiment["groups"]) {
      for (const Json& level : group["levels"]) {
        const auto why = level.value("not_offered", std::string());
        // Levels of another kind of processor are not missed.
        if (why.empty() || why == "not requested" || why.ends_with("does not support these instructions"))
          continue;
        auto& names = levels[reason_text(why)][name];
        const auto level_name = level["level"].get<std::string>();
        if (std::ranges::count(names, level_name) == 0) names.push_back(level_name);
      }
    }
  }
  Cells cells{{"experiment: levels", "not measured because"}, {}, false};
  for (const auto& [name, why] : failed) cells.rows.push_back({name + ": the rest", reason_text(why)});
  for (const auto& [why, by_experiment] : levels) {
    std::string text;
    for (const auto& [name, of_it] : by_experiment)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(of_it, " · "));
    cells.rows.push_back({text, why});
  }
  if (!cells.rows.empty()) page.table("Not measured on this machine, in some groups or in all.", cells);
}

}  // namespace

std::string report(const Json& study) {
  const Results results(study);
  const Json& machine = results.machine();
  Page page("Scalar, SIMD, threads or GPU: what wins, and why",
            fmt::format("{}. Lanewise {}, {}.", title_of(machine), study["key"]["version"].get<std::string>(),
                        machine["date"].get<std::string>()));
  const auto has = [&](const char* part) {
    for (const Json& experiment : study["experiments"]) {
      if (experiment["part"] == part) return true;
    }
    return false;
  };
  write_winners(page, results);
  write_machine(page, study);
  write_not_measured(page, results);
  if (has("strings")) write_strings(page, results);
  if (has("operators")) write_operators(page, results);
  if (has("index")) write_index(page, results);
  if (has("pram")) write_pram(page, results);
  write_energy(page, results);
  write_published(page, results);
  return page.finish();
}

std::string comparison(const Json& a, const Json& b, const std::string& name_a, const std::string& name_b) {
  Page page("Two studies compared", fmt::format("A: {}, {}. B: {}, {}.", name_a, title_of(a["machine"]),
                                                name_b, title_of(b["machine"])));
  const Results of_a(a), of_b(b);
  bool none = true;
  for (const char* part : {"strings", "operators", "index", "pram"}) {
    bool first = true;
    for (const Json& experiment : a["experiments"]) {
      if (experiment["part"] != part) continue;
      const auto name = experiment["name"].get<std::string>();
      Cells cells{{"work", "level", "A", "B", "B is faster by"}, {}};
      plot::Bars bars;
      bars.title = fmt::format("{}, {}: median gain of B", part, name);
      bars.x.label = "time of A divided by that of B";
      bars.series = {"B to A"};
      bars.limit = 1;
      bars.limit_name = "equal";
      std::map<std::string, std::vector<double>> gains;
      for (const Json* group : of_a.groups(part, name)) {
        const Groups other = of_b.groups(part, name, {{"title", (*group)["title"]}});
        for (const std::string& level : levels_of({group})) {
          const Json* there = other.empty() ? nullptr : level_of(*other.front(), level);
          if (there == nullptr) continue;
          const double x = number(*level_of(*group, level), "seconds"), y = number(*there, "seconds");
          cells.rows.push_back({(*group)["title"].get<std::string>(), level, time_text(x), time_text(y),
                                fmt::format("{:.2f} ×", x / y)});
          gains[level].push_back(x / y);
        }
      }
      if (cells.rows.empty()) continue;
      none = false;
      if (first) page.chapter(part);
      first = false;
      for (auto& [level, values] : gains) {
        std::ranges::sort(values);
        bars.groups.push_back(level), bars.values.push_back({values[values.size() / 2]});
      }
      page.figure(bars, "Only tasks of both studies, on equally many rows.");
      page.table(name, cells);
    }
  }
  if (none) {
    page.warn(
        "The two studies have no measurement in common: their sizes or their versions differ. Run both with "
        "the same options and version.");
  }
  return page.finish();
}

}  // namespace lanewise::cli::study
