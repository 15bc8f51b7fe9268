#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/gpu.h"
#include "study/report/published.h"

namespace lanewise::cli::study {

namespace {

constexpr const char* kKernel = "gpu kernel";
constexpr const char* kCopyLevels[] = {"gpu, pinned copies", "gpu, staged copies", "gpu, pageable copies"};

/// "SUM" of "SUM: 1,024 int32".
std::string work_name(const Json& group) {
  if (group["work"] == "valid") return "COUNT";
  if (group["work"] == "bitmap") return "filter";
  const auto title = group["title"].get<std::string>();
  return title.substr(0, title.find(':'));
}

/// The level that runs on all cores: the group's only one that is not the GPU's.
const Json* cores_of(const Json& group) {
  for (const Json& level : group["levels"]) {
    if (number(level, "seconds") > 0 && !level["level"].get<std::string>().starts_with("gpu")) return &level;
  }
  return nullptr;
}

void write_filter(Page& page, const Results& results, const Groups& groups) {
  plot::Curves curves{fmt::format("Filter on the GPU over selectivity – {} int32",
                                  plot::short_number(number(*groups.front(), "rows"))),
                      {"selected", "%"},
                      {"", "GB/s", plot::Axis::logarithmic}};
  curves.series = lines(groups, "selectivity", gb_per_second);
  for (plot::Series& series : curves.series) {
    if (!series.name.starts_with("gpu")) series.name += ", all cores";
  }
  add_card_limit(curves.series, results);
  plot::Series published{plot::Series::published, "2019: CUDA kernel", {}};
  for (size_t i = 0; i < std::size(kSelectivities); ++i) {
    const double y = kPublishedRows * 4 / kPublishedCudaFilter[i] / 1e9;
    published.points.push_back({kSelectivities[i], y, y, y});
  }
  curves.series.push_back(std::move(published));
  page.figure(curves,
              how_measured(groups,
                           "Hot, column in the GPU's memory for the kernel; the other levels copy the "
                           "column in and the bitmap out, from and to pinned memory, by the engine's "
                           "staging, or pageable") +
                  " Dotted: a GT 750M, counted as if its values had four bytes.");
  Range kernel, copies, share;
  const double rate = card_rate(results);
  for (const Json* group : groups) {
    const Json* const alone = level_of(*group, kKernel);
    if (alone == nullptr) continue;
    kernel.add(gb_per_second(*group, number(*alone, "seconds")));
    if (rate > 0) share.add(100 * gb_per_second(*group, number(*alone, "seconds")) * 1e9 / rate);
    for (const char* name : kCopyLevels) {
      if (const Json* const level = level_of(*group, name))
        copies.add(number(*level, "seconds") / number(*alone, "seconds"));
    }
  }
  page.text(fmt::format(
      "The kernel reads {} GB/s over all selectivities{}, {}. With copies a filter takes {} times as long.",
      kernel.text(), share.empty() ? "" : fmt::format(", {} % of the card's rate", share.text()),
      kernel.most() < 1.2 * kernel.least() ? "so it does not depend on the share: a vote of the warp has no "
                                             "branch for a row"
                                           : "so it varies with the share or with other work on the card",
      copies.text()));
}

/// Figure 17 of the study, and its timeline (figure 42): what a run's steps take.
void write_steps(Page& page, const Results& results, const Groups& groups) {
  plot::Bars bars;
  bars.title = "Steps of a run on the GPU, and all cores";
  bars.x = {"time", "ms"};
  bars.series = {"copy in", "kernel", "copy out", "all cores"};
  Cells cells{{"work", "copies", "in", "GB/s", "kernel", "out", "GB/s", "kernel's share"}, {}};
  for (const Json* group : groups) {
    const Json* const cores = cores_of(*group);
    for (const char* name : kCopyLevels) {
      const Json* const level = level_of(*group, name);
      if (level == nullptr) continue;
      const double in = step_of(*level, "copy in"), kernel = step_of(*level, "kernel"),
                   out = step_of(*level, "copy out");
      const std::string kind = std::string(name).substr(5, std::string(name).find(" copies") - 5);
      cells.rows.push_back({work_name(*group), kind, time_text(in),
                            fmt::format("{:.1f}", number(*level, "copied_in") / in / 1e9), time_text(kernel),
                            time_text(out), fmt::format("{:.1f}", number(*level, "copied_out") / out / 1e9),
                            fmt::format("{:.1f} %", 100 * kernel / (in + kernel + out))});
      if (name != std::string(kCopyLevels[0])) continue;
      bars.groups.push_back(work_name(*group));
      bars.values.push_back(
          {in * 1e3, kernel * 1e3, out * 1e3, cores == nullptr ? -1 : number(*cores, "seconds") * 1e3});
    }
  }
  if (cells.rows.empty()) return;
  if (!bars.groups.empty()) {
    if (const double rate = card_rate(results); rate > 0) {
      bars.limit = number(*groups.front(), "bytes") / rate * 1e3;
      bars.limit_name = "the card reads the column";
    }
    page.figure(
        bars,
        how_measured_without_runs(
            groups,
            "Hot, column in pinned memory of the host before, result there after; steps of the last run"));
  }
  page.table(
      "Timeline of a run: copy in, kernel, copy out, one after the other, by events around each. The "
      "study's figure 42 has the same order, with two copies in, as it also copied the output array.",
      cells);
}

/// Tables 44 and 48 of the study, and what its profiler's pictures showed that can be had without one.
void write_occupancy(Page& page, const Results& results, const Groups& groups) {
  Cells cells{{"kernel", "grid", "block", "blocks on a multiprocessor", "warps, of at most", "resident",
               "registers", "local bytes", "shared bytes"},
              {}};
  Cells roof{
      {"kernel", "GB/s", "of the card's rate", "operations/s", "of the card's", "bound by"}, {}, false};
  const Json* const card = card_of(results);
  const double rate = card_rate(results), peak = card == nullptr ? 0 : number(*card, "operations");
  // 32-bit operations for each value of the loop, without its address: a comparison, a vote and a selection;
  // an addition of 64 bits; two comparisons and two selections; a count and an addition for 32 values.
  const auto operations_of = [](const Json& group) {
    return group["work"] == "bitmap"  ? 3.0
           : group["work"] == "sum"   ? 2.0
           : group["work"] == "valid" ? 3.0 / 32
                                      : 4.0;
  };
  for (const Json* group : groups) {
    const Json* const level = level_of(*group, kKernel);
    if (level == nullptr) continue;
    const Json& kernel = (*level)["kernel"];
    const auto integer = [&](const char* name) { return fmt::format("{:.0f}", number(kernel, name)); };
    cells.rows.push_back({work_name(*group), integer("blocks"), integer("threads"),
                          integer("blocks_per_multiprocessor"),
                          integer("warps_per_multiprocessor") + " of " + integer("most_warps"),
                          fmt::format("{:.0f} %", 100 * number(kernel, "resident")), integer("registers"),
                          integer("local_bytes"), integer("shared_bytes")});
    const double seconds = number(*level, "seconds"), bytes = number(*group, "bytes") / seconds,
                 operations = number(*group, "rows") * operations_of(*group) / seconds;
    const double of_rate = rate > 0 ? bytes / rate : 0, of_peak = peak > 0 ? operations / peak : 0;
    roof.rows.push_back({work_name(*group), fmt::format("{:.1f}", bytes / 1e9),
                         fmt::format("{:.0f} %", 100 * of_rate), fmt::format("{:.2f} T", operations / 1e12),
                         fmt::format("{:.1f} %", 100 * of_peak),
                         of_rate > 0.6   ? "memory"
                         : of_peak > 0.6 ? "operations"
                         : rate > 0      ? "latency: both are below 60 %"
                                         : "not known: the card's limits were not measured"});
  }
  if (cells.rows.empty()) return;
  page.table(
      "Occupancy as the driver computes it for the launched kernels. The study's table 44: 32 blocks of "
      "1,024 threads, 64 of 64 warps, 100 %.",
      cells);
  if (card != nullptr) {
    page.table(
        fmt::format(
            "Performance boundary of each kernel: achieved rates against what kernels of this card reach "
            "that only read ({:.0f} GB/s{}) or only compute ({:.1f} T 32-bit operations/s). Operations are "
            "those of the loop's body, not counted by a profiler.",
            rate / 1e9,
            number(*card, "bandwidth") > 0
                ? fmt::format(", {:.0f} % of its data sheet's", 100 * rate / number(*card, "bandwidth"))
                : "",
            peak / 1e12),
        roof);
  }
  page.text(
      "Lanes that diverge: none in these loops, except for a block's last warp and a column's last rows; "
      "the study's 3.1 % were its `if (tid == 0)`. A profiler shows the use of each function unit, classes "
      "of instructions and machine code: docs/study/profile.md.");
}

void write_shapes(Page& page, const Results& results) {
  for (const Json* group : results.groups("operators", "gpu-shapes")) {
    plot::Curves curves{fmt::format("Rate over block and grid – {}", work_name(*group)),
                        {"threads of a block", "", plot::Axis::logarithmic},
                        {"", "GB/s"}};
    double best = 0, chosen = 0;
    std::string best_shape;
    for (const auto& [part, name] : {std::pair(1, "as many blocks as run at once"), std::pair(4, "a quarter"),
                                     std::pair(16, "a sixteenth")}) {
      plot::Series series{.name = name, .points = {}};
      for (const Json& level : (*group)["levels"]) {
        if (!level.contains("kernel") || number(level, "seconds") <= 0) continue;
        if (number(level, "part") != part) continue;
        const double x = number(level["kernel"], "threads"),
                     y = gb_per_second(*group, number(level, "seconds"));
        series.points.push_back({x, y, gb_per_second(*group, level["runs"].back().get<double>()),
                                 gb_per_second(*group, level["runs"].front().get<double>())});
        if (y > best) best = y, best_shape = level["level"].get<std::string>();
        if (part == 1 && x == 512) chosen = y;
      }
      if (!series.points.empty()) curves.series.push_back(std::move(series));
    }
    if (curves.series.empty()) continue;
    curves.marks = {{512, "the study's choice here"}};
    add_card_limit(curves.series, results);
    page.figure(curves, how_measured({group}, "Hot, column in the GPU's memory, kernel alone, no transfer"));
    page.text(fmt::format("The fastest shape: {}. 512 threads and a full grid reach {:.0f} % of it.",
                          best_shape, best > 0 ? 100 * chosen / best : 0));
  }
}

}  // namespace

void write_device_operators(Page& page, const Results& results) {
  page.section("On a GPU");
  if (!results.has_gpu()) {
    page.text("There is no GPU on this machine, so kernels and transfers are not measured here.");
    return;
  }
  const Groups filter = results.groups("operators", "gpu"),
               aggregates = results.groups("operators", "gpu-aggregates");
  Groups all = aggregates;
  if (!filter.empty()) all.insert(all.begin(), filter[filter.size() / 2]);
  for (const Json* group : results.groups("operators", "card")) {
    if (group->contains("why_not"))
      page.warn(
          fmt::format("The card's limits were not measured: {}.", (*group)["why_not"].get<std::string>()));
  }
  Groups every = filter;
  every.insert(every.end(), aggregates.begin(), aggregates.end());
  write_not_measured(page, every);
  if (has_level(filter, kKernel)) write_filter(page, results, filter);
  if (!all.empty()) {
    write_steps(page, results, all);
    write_occupancy(page, results, all);
  }
  write_shapes(page, results);
}

}  // namespace lanewise::cli::study
