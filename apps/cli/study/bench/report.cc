#include "study/bench/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "output/result_writer.h"

namespace lanewise::cli::bench {

namespace {

/// A column of a table: its title, and its value for a result.
struct Column {
  std::string head;
  std::function<std::string(const Result&)> cell;
};

std::string time_of(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::vector<Column> columns_of(const Setting& setting, const Group& group) {
  const auto rate = [bytes = static_cast<double>(group.bytes)](const Result& r) { return bytes / r.seconds; };
  const auto rows = static_cast<double>(group.rows);
  std::vector<Column> columns;
  if (group.bytes != 0) {
    columns = {
        {"GB/s", [=](const Result& r) { return fmt::format("{:.2f}", rate(r) / 1e9); }},
        {"of read rate",
         [=, &setting](const Result& r) { return fmt::format("{:.2f}", rate(r) / setting.read_rate); }},
    };
  }
  columns.push_back(
      {"Mrows/s", [=](const Result& r) { return fmt::format("{:.1f}", rows / r.seconds / 1e6); }});
  columns.push_back({"time", [](const Result& r) { return time_of(r.seconds); }});
  columns.push_back({"spread", [](const Result& r) {
                       return fmt::format("{:.1f} %{}", 100 * r.spread(), r.spread() > kBusy ? "!" : "");
                     }});
  const auto any = [&](auto has) { return std::ranges::any_of(group.results, has); };
  if (any([](const Result& r) { return r.stats.has_value(); })) {
    const auto of = [](auto say) {
      return [=](const Result& r) { return r.stats ? say(*r.stats) : std::string("–"); };
    };
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    columns.push_back({"occupancy", of([=](const auto& stats) { return percent(stats.occupancy()); })});
    columns.push_back({"used", of([=](const auto& stats) { return percent(stats.used()); })});
    columns.push_back(
        {"refills", of([](const auto& stats) { return with_commas(static_cast<int64_t>(stats.refills)); })});
  }
  if (any([](const Result& r) { return r.events.has_value(); })) {
    const auto of = [&setting](double Events::* which) {
      return [&setting, which](const Result& r) {
        if (r.events) return fmt::format("{:.3f}", *r.events.*which);
        return std::string(setting.simulated_rows > 0 ? "not measurable" : "–");
      };
    };
    columns.push_back({"branches/row", of(&Events::branches)});
    columns.push_back({"misses/row", of(&Events::branch_misses)});
    columns.push_back({"cache misses/row", of(&Events::cache_misses)});
  }
  columns.push_back({"hash", [](const Result& r) { return fmt::format("{:016x}", r.digest); }});
  return columns;
}

}  // namespace

nlohmann::ordered_json to_json(const Group& group) {
  nlohmann::ordered_json out = {{"title", group.title}, {"rows", group.rows}, {"bytes", group.bytes}};
  out.update(group.about);
  out["levels"] = nlohmann::ordered_json::array();
  for (const Result& r : group.results) {
    nlohmann::ordered_json level = {{"level", r.level}};
    if (!r.not_offered.empty()) {
      level["not_offered"] = r.not_offered;
      out["levels"].push_back(std::move(level));
      continue;
    }
    level["seconds"] = r.seconds;
    level["runs"] = r.runs;
    level["spread"] = r.spread();
    if (group.bytes != 0) level["gb_per_second"] = static_cast<double>(group.bytes) / r.seconds / 1e9;
    level["rows_per_second"] = static_cast<double>(group.rows) / r.seconds;
    if (r.stats) {
      level["occupancy"] = r.stats->occupancy();
      level["used"] = r.stats->used();
      level["refills"] = r.stats->refills;
    }
    if (r.events) {
      level["branches_per_row"] = r.events->branches;
      level["branch_misses_per_row"] = r.events->branch_misses;
      level["cache_misses_per_row"] = r.events->cache_misses;
    }
    if (r.facts.is_object()) level.update(r.facts);
    if (r.energy && r.energy->processor) level["joules_processor"] = *r.energy->processor;
    if (r.energy && r.energy->gpu) level["joules_gpu"] = *r.energy->gpu;
    level["hash"] = fmt::format("{:016x}", r.digest);
    out["levels"].push_back(std::move(level));
  }
  return out;
}

std::string heading(const Setting& setting) {
  std::string text = fmt::format(
      "{}, {} cores. Read rate of one core: {:.1f} GB/s. Seed {}, medians of {} rounds; spread: between "
      "quartiles.\n",
      setting.processor, setting.cores, setting.read_rate / 1e9, setting.options.seed,
      setting.options.repeat);
  if (setting.simulated_rows > 0) {
    text += fmt::format("Branches and misses are simulated by cachegrind, on {} rows.\n",
                        with_commas(static_cast<int64_t>(setting.simulated_rows)));
  } else if (!setting.counters.empty()) {
    text +=
        fmt::format("Branches and misses are not counted: no hardware counters ({}).\n", setting.counters);
  }
  return text;
}

std::string table(const Setting& setting, const Group& group) {
  constexpr int kGap = 2;
  const std::vector<Column> columns = columns_of(setting, group);
  size_t level_width = 5;
  for (const Result& result : group.results) level_width = std::max(level_width, result.level.size());
  std::vector<std::vector<std::string>> cells;
  std::vector<size_t> widths;
  for (const Column& column : columns) widths.push_back(column.head.size());
  for (const Result& result : group.results) {
    auto& line = cells.emplace_back();
    if (!result.not_offered.empty()) continue;
    for (size_t i = 0; i < columns.size(); ++i) {
      line.push_back(columns[i].cell(result));
      widths[i] = std::max(widths[i], line[i].size());
    }
  }

  std::string text = fmt::format("\n{}\n  {:<{}}", group.title, "level", level_width);
  for (size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{:>{}}", columns[i].head, widths[i] + kGap);
  text += '\n';
  for (size_t row = 0; row < cells.size(); ++row) {
    const Result& result = group.results[row];
    text += fmt::format("  {:<{}}", result.level, level_width);
    if (!result.not_offered.empty()) text += "  not offered: " + result.not_offered;
    for (size_t i = 0; i < cells[row].size(); ++i) {
      text += fmt::format("{:>{}}", cells[row][i], widths[i] + kGap);
    }
    text += '\n';
  }
  return text;
}

std::string json(const Setting& setting, std::span<const Group> groups) {
  nlohmann::ordered_json out = {
      {"benchmark", setting.name},    {"processor", setting.processor},
      {"cores", setting.cores},       {"read_gb_per_second", setting.read_rate / 1e9},
      {"seed", setting.options.seed}, {"rounds", setting.options.repeat}};
  out["counters"] = setting.simulated_rows > 0 ? fmt::format("cachegrind, {} rows", setting.simulated_rows)
                    : setting.counters.empty() ? "hardware"
                                               : "none: " + setting.counters;
  out["groups"] = nlohmann::ordered_json::array();
  for (const Group& group : groups) out["groups"].push_back(to_json(group));
  return out.dump(2) + "\n";
}

}  // namespace lanewise::cli::bench
