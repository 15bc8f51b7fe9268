#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/chapters.h"
#include "study/report/gpu.h"

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

/// "n^1.02", or a dash for a line that falls somewhere.
std::string exponent_text(const std::vector<plot::Series>& series, const std::string& level) {
  const auto found = std::ranges::find(series, level, &plot::Series::name);
  const bool fits = found != series.end() && found->points.size() > 1 &&
                    std::ranges::is_sorted(found->points, {}, &plot::Point::y);
  return fits ? fmt::format("n^{:.2f}", exponent_of(*found)) : "–";
}

constexpr const char* kPrograms[] = {"reduction", "scan",       "sort",           "all_pairs_distances",
                                     "matching",  "components", "spanning_forest"};

plot::Series memory_limit(const Groups& groups, const std::string& program, const Results& results) {
  const bool matrix = program == "all_pairs_distances";
  plot::Series memory{
      plot::Series::limit, matrix ? "limit: one read of n² words" : "limit: one read of n words", {}};
  for (const Json* group : groups) {
    const double n = number(*group, "n"), words = matrix ? n * n : n;
    const double y = words * 8 / results.machine("read_rate_all") * 1e3;
    memory.points.push_back({n, y, y, y});
  }
  return memory;
}

void write_growth(Page& page, const Results& results) {
  Cells exponents{
      {"program", "interpreter", "cores, no optimisation", "cores", "tuned", "cuda", "cuda, tuned"}, {}};
  Cells gains{{"program, largest n", "cores: optimisations", "cores: to tuned", "CUDA: optimisations",
               "CUDA: to tuned", "OpenCL to cores"},
              {}};
  bool first = true;
  for (const std::string program : kPrograms) {
    const Groups groups = results.groups("pram", "growth", {{"program", program}});
    if (groups.empty()) continue;
    if (first) page.section("Growth");
    first = false;
    plot::Curves curves{fmt::format("Time over n – {}", program),
                        {"n", "", plot::Axis::logarithmic},
                        {"", "ms", plot::Axis::logarithmic}};
    curves.series = lines(groups, "n", milliseconds);
    std::vector<std::string> row = {program};
    for (const char* level :
         {"interpreter", "cores, no optimisation", "cores", "tuned", "cuda", "cuda, tuned"})
      row.push_back(exponent_text(curves.series, level));
    exponents.rows.push_back(std::move(row));
    const auto at = [&](const char* level) { return seconds_of(*groups.back(), level); };
    gains.rows.push_back({fmt::format("{}, {}", program, plot::short_number(number(*groups.back(), "n"))),
                          ratio_text(at("cores, no optimisation"), at("cores")),
                          ratio_text(at("cores"), at("tuned")),
                          ratio_text(at("cuda, no optimisation"), at("cuda")),
                          ratio_text(at("cuda"), at("cuda, tuned")), ratio_text(at("opencl"), at("cores"))});
    curves.series.push_back(memory_limit(groups, program, results));
    page.figure(
        curves,
        how_measured(groups, results.state("Hot, all cores, program compiled; on a GPU with transfers")));
  }
  if (first) return;
  page.table("Growth fitted to the larger sizes. A dash: not measured, or a line that falls somewhere.",
             without_empty_columns(exponents));
  page.table(
      "The time of the first divided by that of the second: without and with all optimisations, the "
      "optimised program and the hand-written algorithm (tuned), OpenCL's device and the cores.",
      without_empty_columns(gains));
  page.text(
      "A PRAM program of logarithmic depth passes over its data once for each step. The tuned algorithm "
      "reads them once or twice, in blocks that fit the cache. On a GPU each step is a launch or more, so "
      "small inputs cost the launches and large ones the transfers. Matching depends on the graph more than "
      "on its size: where many left vertices compete for few right ones, labels climb one by one.");
}

double nanoseconds_of_n(const Json& group, double seconds) { return seconds / number(group, "n") * 1e9; }

/// P-F1 and P-F2: the study's parameters on one device.
void write_grid(Page& page, const Results& results) {
  bool first = true;
  Cells best{{"figure", "device", "best here", "worst of the grid", "naive", "Lanewise",
              "published best here", "growth"},
             {}};
  for (const std::string program : {"reduction", "scan"}) {
    const bool scan = program == "scan";
    const Groups groups = results.groups("pram", "grid", {{"program", program}});
    if (groups.empty()) continue;
    for (const std::string device : {"cores", "cuda", "opencl"}) {
      plot::Curves curves{fmt::format("{} over n – {}", scan ? "Prefix sums" : "Reduction",
                                      device == "cores"  ? "all cores"
                                      : device == "cuda" ? "CUDA"
                                                         : "OpenCL"),
                          {"n", "", plot::Axis::logarithmic},
                          {"", "ns for each number", plot::Axis::logarithmic}};
      std::vector<std::string> levels;
      for (const std::string& level : levels_of(groups)) {
        if (level.starts_with(device + ",")) levels.push_back(level);
      }
      if (levels.empty()) continue;
      if (first) page.section("Groups of m items with c values each");
      first = false;
      curves.series = lines(groups, "n", nanoseconds_of_n, levels);
      const std::string published = device + (scan ? ", m = 256, c = 8" : ", m = 64, c = 16");
      const Json& largest = *groups.back();
      std::string fastest;
      double least = INFINITY, most = 0;
      for (const std::string& level : levels) {
        const double seconds = seconds_of(largest, level);
        if (level.find("m = ") == std::string::npos || seconds == 0) continue;
        if (seconds < least) least = seconds, fastest = level;
        most = std::max(most, seconds);
      }
      const double naive = seconds_of(largest, device + ", naive");
      best.rows.push_back({scan ? "P-F2, prefix sums" : "P-F1, reduction", device,
                           fmt::format("{}: {}", fastest.substr(device.size() + 2), time_text(least)),
                           ratio_text(most, least), ratio_text(naive, least),
                           ratio_text(seconds_of(largest, device + ", Lanewise"), least),
                           ratio_text(seconds_of(largest, published), least),
                           exponent_text(lines(groups, "n", milliseconds, {fastest}), fastest)});
      for (plot::Series& line : curves.series) {
        line.name = line.name.substr(device.size() + 2);
        if (line.name == published.substr(device.size() + 2)) line.name += " (2016)";
      }
      if (device == "cores") {
        plot::Series memory{plot::Series::limit, "limit: memory", {}};
        for (const Json* group : groups) {
          const double n = number(*group, "n"),
                       y = number(*group, "bytes") / n / results.machine("read_rate_all") * 1e9;
          memory.points.push_back({n, y, y, y});
        }
        curves.series.push_back(std::move(memory));
      }
      page.figure(curves, how_measured(groups, "Hot, data in the memory of the device, no transfer"));
    }
  }
  if (first) return;
  page.table(
      fmt::format(
          "The grid at the largest n ({}): the best m and c, and the time of others divided by its time. "
          "Published: reduction m = 64, c = 16, prefix sums m = 256, c = 8; naive slowest, growth linear.",
          plot::short_number(number(*results.groups("pram", "grid").back(), "n"))),
      without_empty_columns(best));
  page.text(
      "The published figures have time over n; here it is divided by n, so that linear growth is a level "
      "line and the parameters can be distinguished. (2016) marks the published best. An item adds its c "
      "values without waiting, and a group of m items needs log₂ m steps with a barrier. Large c means "
      "fewer groups and fewer steps for each value. On a GPU it also moves the threads of a warp apart in "
      "memory, as an item reads c values in a row. The naive reduction reads the array log₂ n times at "
      "growing distances, so each cache line is read for fewer values. The naive prefix sums read and write "
      "the whole array log₂ n times; hence their larger gap, as published. On a core a group is a loop, so "
      "m hardly matters there.");
}

void write_presort(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "presort");
  if (groups.empty()) return;
  page.section("Merge sort with and without presort");
  plot::Curves curves{"Merge sort over n – from runs of 1, or of 32 that a network sorted",
                      {"n", "", plot::Axis::logarithmic},
                      {"", "ms", plot::Axis::logarithmic}};
  curves.series = lines(groups, "n", milliseconds);
  curves.series.push_back(memory_limit(groups, "sort", results));
  page.figure(curves, how_measured(groups, results.state("Hot, all cores; on a GPU with transfers")));
  std::string words;
  for (const std::string device : {"cores", "cuda", "opencl"}) {
    const double runs = seconds_of(*groups.back(), device + ", runs of 1"),
                 odd_even = seconds_of(*groups.back(), device + ", odd-even presort"),
                 bitonic = seconds_of(*groups.back(), device + ", bitonic presort");
    if (runs == 0 || odd_even == 0 || bitonic == 0) continue;
    words += fmt::format(" {}: {:.2f} × with the odd-even network, {:.2f} × with the bitonic one.", device,
                         odd_even / runs, bitonic / runs);
  }
  page.text(
      fmt::format("The study found runs of 1 slower, without a number. Here, the time with presort compared "
                  "with runs of 1, for n = {}:{} A round of merging is a binary search for each number. A "
                  "network replaces the first five rounds by 32 (odd-even) or 15 (bitonic) exchanges of "
                  "neighbours. They pay off only where an exchange is much cheaper than a search.",
                  plot::short_number(number(*groups.back(), "n")), words));
}

void write_passes_of(Page& page, const Groups& groups, const std::string& where, const std::string& how) {
  plot::HeatMap map{"Time without an optimisation, compared with all of them – " + where,
                    {"left out", ""},
                    {"program, n", ""},
                    {},
                    {},
                    {},
                    1,
                    "× the time"};
  for (const Json* group : groups) {
    const double all = seconds_of(*group, "all");
    if (all == 0) continue;
    map.rows.push_back(fmt::format("{}, {}", (*group)["program"].get<std::string>(),
                                   plot::short_number(number(*group, "n"))));
    auto& values = map.values.emplace_back();
    for (const Json& level : (*group)["levels"]) {
      const auto name = level["level"].get<std::string>();
      if (name == "all") continue;
      if (map.rows.size() == 1) map.columns.push_back(name == "none" ? "all of them" : name.substr(8));
      const double seconds = number(level, "seconds");
      values.push_back(seconds > 0 ? seconds / all : -1);
    }
    values.resize(map.columns.size(), -1);
  }
  if (!map.rows.empty()) page.figure(map, how_measured_without_runs(groups, how));
}

void write_passes(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "passes", {{"work", "passes"}});
  if (groups.empty()) return;
  page.section("Gain of each optimisation");
  write_passes_of(page, groups, "all cores", "Hot, all cores");
  write_passes_of(page, results.groups("pram", "passes", {{"work", "passes_on_gpu"}}), "CUDA",
                  "Hot, with transfers");
  page.text(
      "Above 1 the optimisation saves time. The optimisations: host computes variables that are equal on "
      "all processors; in-place drops the copy of an array that no other processor reads; merge joins "
      "assignments; branches puts a condition into the kernel; loops keeps a loop in it; fuse keeps a block "
      "in it; batch sends several steps at once. Those that save launches matter on a GPU, where each "
      "launch costs microseconds.");
}

/// Where two lines cross before their end, interpolated.
std::vector<double> crossings(const plot::Series& a, const plot::Series& b) {
  std::vector<double> found;
  const size_t count = std::min(a.points.size(), b.points.size());
  const double last = count == 0 ? 0 : a.points[count - 1].x;
  for (size_t i = 1; i < count; ++i) {
    const double before = a.points[i - 1].y - b.points[i - 1].y, after = a.points[i].y - b.points[i].y;
    if ((before > 0) == (after > 0)) continue;
    const double at = a.points[i - 1].x + (a.points[i].x - a.points[i - 1].x) * before / (before - after);
    if (at < 0.99 * last) found.push_back(at);
  }
  return found;
}

void write_sets(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "sets");
  if (groups.empty()) return;
  page.section("Active processors: bitset or list");
  plot::Curves curves{"A loop of 16 steps for a share of the processors – no optimisation",
                      {"active processors", "%"},
                      {"", "ms"}};
  curves.series = lines(groups, "density", milliseconds);
  std::string words;
  for (const auto& [where, prefix] : {std::pair("on the cores", ""), std::pair("on the GPU", "cuda, ")}) {
    const auto bitset = std::ranges::find(curves.series, prefix + std::string("bitset"), &plot::Series::name);
    const auto list = std::ranges::find(curves.series, prefix + std::string("list"), &plot::Series::name);
    if (bitset == curves.series.end() || list == curves.series.end()) continue;
    const std::vector<double> at = crossings(*bitset, *list);
    if (at.empty()) {
      const size_t middle = bitset->points.size() / 2;
      words += fmt::format("The {} is faster at every share {}. ",
                           bitset->points[middle].y < list->points[middle].y ? "bitset" : "list", where);
      continue;
    }
    const std::string name = fmt::format("{:.0f} %", at.front());
    if (!curves.marks.empty() && curves.marks.back().name == name) {
      curves.marks.back().name += ", cores and GPU";
    } else {
      curves.marks.push_back({at.front(), name + (*prefix != '\0' ? ", GPU" : "")});
    }
    words +=
        at.size() == 1
            ? fmt::format("The lines cross at about {:.0f} % of active processors {}. ", at.front(), where)
            : fmt::format(
                  "The lines cross {} times {}, first at about {:.0f} %, last at {:.0f} %: neither is "
                  "faster throughout. ",
                  at.size(), where, at.front(), at.back());
  }
  plot::Series memory = limit(curves.series, "limit: one read of n words",
                              number(*groups.front(), "n") * 8 / results.machine("read_rate_all") * 1e3);
  curves.series.push_back(std::move(memory));
  page.figure(curves, how_measured(groups, results.state("Hot, all cores; on a GPU with transfers")));
  page.text(words +
            "A bitset visits every word of the set; a list is compacted once and then visits only active "
            "processors.");
}

void write_group(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "group");
  if (groups.empty()) return;
  page.section("One group, or many launches");
  plot::Curves curves{
      "Time over small n – scan", {"n", "", plot::Axis::logarithmic}, {"", "ms", plot::Axis::logarithmic}};
  curves.series = lines(groups, "n", milliseconds);
  page.figure(curves, how_measured(groups, results.state("Hot, program compiled; on a GPU with transfers")));
  page.text(
      "On a GPU, one group of 256 threads runs the whole program in one launch. A barrier stands where "
      "another launch would, and the group's own memory holds all cells. The study's conclusion calls this "
      "the best use of PRAM programs. A machine without a GPU has the interpreter's line only.");
}

void write_accesses(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "examples", {{"work", "accesses"}});
  if (groups.empty()) return;
  page.section("Memory accesses of a tree");
  Cells cells{{"degree k", "formula of 2016", "counted", "for each number"}, {}};
  for (const Json* group : groups) {
    const double n = number(*group, "n"), counted = number(*group, "counted");
    cells.rows.push_back({plot::short_number(number(*group, "degree")),
                          fmt::format("{:.0f}", number(*group, "formula")), fmt::format("{:.0f}", counted),
                          fmt::format("{:.3f}", counted / n)});
  }
  page.table(
      fmt::format(
          "Reads and writes of a reduction of {} numbers by a tree of degree k (P-M). The formula: the sum "
          "of n/kⁱ + n/kⁱ⁺¹ for i from 0 to logₖ n.",
          plot::short_number(number(*groups.front(), "n"))),
      cells);
  page.text(
      "A binary tree has three accesses for each number, a tree of degree 16 hardly more than one. That is "
      "why an item adds c values by itself.");
}

void write_examples(Page& page, const Results& results) {
  const Groups groups = results.groups("pram", "examples", {{"work", "example"}});
  if (groups.empty()) return;
  page.section("Worked examples of the study");
  Cells cells{{"", "example", "input", "published", "this program"}, {}, false};
  for (const Json* group : groups) {
    std::vector<std::string> row;
    for (const char* name : {"example", "what", "input", "published", "answer"})
      row.push_back((*group)[name].get<std::string>());
    cells.rows.push_back(std::move(row));
  }
  page.table("The examples, run by the bundled programs and readers of input.", cells);
  page.text(
      "In P-E2 equal numbers of both runs get the same place if both searches are strict, which leaves a "
      "gap. The search in one of the runs must not be strict: then the order is also stable.");
}

}  // namespace

void write_pram(Page& page, const Results& results) {
  page.chapter("PRAM programs");
  page.text(
      "The study of 2016 (Hannover) translated PRAM programs to OpenCL, naive and tuned. Each program runs "
      "here in the interpreter, on all cores with and without optimisations, by CUDA and OpenCL, and as a "
      "hand-written algorithm; all give the same result. Without a GPU, OpenCL may run on the cores.");
  write_growth(page, results);
  write_grid(page, results);
  write_presort(page, results);
  write_passes(page, results);
  write_sets(page, results);
  write_group(page, results);
  write_accesses(page, results);
  write_examples(page, results);
}

}  // namespace lanewise::cli::study
