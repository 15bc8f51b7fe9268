#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "study/report/chapters.h"
#include "study/report/gpu.h"
#include "study/report/published.h"

namespace lanewise::cli::study {

double published_tree(double keys, double degree) {
  constexpr double kDegrees[] = {32, 256, 512};
  constexpr double kTrees[2][3] = {{0.00732, 0.00551, 0.00643}, {0.00654, 0.00632, 0.00653}};
  for (int i = 0; i < 3; ++i) {
    if (degree == kDegrees[i] && (keys == 100'000 || keys == 1'000'000))
      return kTrees[keys == 1'000'000][i] / 1e3;
  }
  return 0;
}

namespace {

/// Collects rows "published, here, ratio, cause".
class Rows {
 public:
  explicit Rows(const char* year) : cells_{{"table", "work", year, "here", "ratio", "cause"}, {}, false} {}

  /// Seconds; `here` is 0 if it was not measured.
  void add(const char* table, const std::string& work, double published, double here,
           const std::string& cause) {
    add_lost(table, work, time_text(published), here > 0 ? time_text(here) : "",
             here > 0 ? digits_text(published / here) + " ×" : "", cause);
  }
  /// For what was published without a value.
  void add_lost(const std::string& table, const std::string& work, const std::string& published,
                const std::string& here, const std::string& ratio, const std::string& cause) {
    cells_.rows.push_back({table, work, published, here.empty() ? "–" : here, ratio.empty() ? "–" : ratio,
                           here.empty() && !cause.starts_with("perhaps") ? kNotMeasured : cause});
  }
  const Cells& cells() const { return cells_; }

 private:
  static constexpr const char* kNotMeasured = "not measured: see the chapter on the machine";

  Cells cells_;
};

const Json* first(const Groups& groups) { return groups.empty() ? nullptr : groups.front(); }

double seconds_each(const Json* group, const char* level) {
  return group == nullptr ? 0 : seconds_of(*group, level) / number(*group, "rows");
}

/// The level of a launch in the experiment on nodes; 0: not measured.
double launched(const Results& results, const char* level) {
  const Json* launch = first(results.groups("index", "nodes", {{"work", "launch"}}));
  return launch == nullptr ? 0 : seconds_of(*launch, level);
}

/// Why one search on a GPU takes so long, which needs these `operations`.
std::string cause_of_launches(const Results& results, const char* operations) {
  return fmt::format(
      "{} for each key, 2012 launched one kernel; the host needs {} to clear a bit and launch, {} for an "
      "empty kernel",
      operations, time_text(launched(results, "later, not waited for")),
      time_text(launched(results, "empty kernel, later, not waited for")));
}

void add_launches(Rows& rows, const Results& results) {
  const double waited = launched(results, "empty kernel, later"),
               later = launched(results, "empty kernel, later, not waited for");
  rows.add(
      "B-T3", "empty launch, first", 0.007e-3, launched(results, "empty kernel, first"),
      fmt::format("it also loads the kernel, and ours waits for its end: a later launch takes {} with its "
                  "end, {} without",
                  time_text(waited), time_text(later)));
  rows.add("B-T3", "empty launch, later", 0.004e-3, later,
           "work of the driver on the processor; the GPU has no part in it");
}

void add_nodes(Rows& rows, const Results& results) {
  const auto each = [&](const char* table, const char* what, const auto& published, const char* level,
                        const auto& cause) {
    for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
      const int keys = 2 * kPublishedDegrees[i] - 1;
      const double here = seconds_each(
          first(results.groups("index", "nodes", {{"work", "node_alone"}, {"node_keys", keys}})), level);
      rows.add(table, fmt::format("{}, t = {}", what, kPublishedDegrees[i]), published[i] / 1e3, here,
               cause(keys, here));
    }
  };
  constexpr std::array kOnCpu = {0.0013, 0.0013, 0.0013, 0.0013};
  each("B-T4 (lost)", "binary search of a node on the CPU (a third of table 5)", kOnCpu, "cpu binary",
       [&](int keys, double here) {
         return fmt::format("the node is in a cache: {} a step, a read of memory takes {}",
                            time_text(here / std::log2(keys + 1)),
                            time_text(1 / results.machine("dependent_reads")));
       });
  const auto by_level = [&](int, double) {
    return cause_of_launches(results, "clears a bit, allocates a path and launches two kernels");
  };
  each("B-T5", "n-ary search of a node on the GPU", kPublishedSegments, "cuda segments, kernel", by_level);
  each("B-T6", "search of a node, a thread for each key", kPublishedKeys, "cuda keys, kernel", by_level);
}

void add_copies(Rows& rows, const Results& results) {
  const auto copy = [&](int nodes, int degree) {
    return first(results.groups("index", "copies", {{"nodes", nodes}, {"node_keys", 2 * degree - 1}}));
  };
  const auto seconds = [](const Json* group, const char* level) {
    return group == nullptr ? 0 : seconds_of(*group, level);
  };
  for (const int degree : kPublishedDegrees) {
    const double here = seconds(copy(1, degree), "transfer alone");
    const double search = seconds_each(
        first(results.groups("index", "nodes", {{"work", "node_alone"}, {"node_keys", 2 * degree - 1}})),
        "cpu binary");
    rows.add_lost("B-T7 (lost)", fmt::format("copy of one node, t = {}", degree), "longer than a search",
                  here > 0 ? time_text(here) : "", "",
                  fmt::format("{}: a search on one core takes {}", here > search ? "as published" : "refuted",
                              time_text(search)));
  }
  for (const bool many : {false, true}) {
    const auto& published = many ? kPublishedCopies10000 : kPublishedCopies1000;
    for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
      const int degree = kPublishedDegrees[i];
      const Json* group = copy(many ? 10'000 : 1'000, degree);
      const std::string work = fmt::format("copy of {} nodes, t = {}", many ? "10,000" : "1,000", degree);
      const double whole = seconds(group, "new copy"), alone = seconds(group, "transfer alone");
      rows.add("B-T8", work + ", with allocation", published[i] / 1e3, whole,
               fmt::format("{} of it are the transfer; the rest allocates memory and frees it; a single node "
                           "takes {}",
                           time_text(alone), time_text(seconds(copy(1, degree), "new copy"))));
      rows.add("B-T8", work + ", transfer alone", published[i] / 1e3, alone,
               group == nullptr ? ""
                                : fmt::format("{:.1f} GB/s; 2012 allocated memory, too",
                                              number(*group, "bytes") / alone / 1e9));
    }
  }
}

/// How many times as fast as one core a GPU searches for 40,000 keys; 9 to 12 in 2012, at best.
void add_gain(Rows& rows, const std::string& work, const std::string& published, double core, double gpu,
              const std::string& cause) {
  const double gain = gpu > 0 ? core / gpu : 0;
  const bool known = published.starts_with("9");
  rows.add_lost("B-T11, T12 (lost)", "40,000 searches, gain of the GPU over one core, " + work, published,
                gain > 0 ? digits_text(gain) + " ×" : "",
                gain > 0 && known ? fmt::format("{:.2g} to {:.2g} of it", gain / 12, gain / 9) : "", cause);
}

/// One search on the CPU, one on the GPU, 40,000 at once, for each published tree.
void add_trees(Rows& rows, const Results& results) {
  struct Tree {
    std::string words;
    double published;
    const Json *alone, *many;
  };
  std::vector<Tree> trees;
  for (const int keys : {100'000, 1'000'000}) {
    for (const int degree : {32, 256, 512}) {
      const auto group = [&](const char* work) {
        return first(results.groups("index", "trees",
                                    {{"work", work}, {"keys", keys}, {"node_keys", 2 * degree - 1}}));
      };
      trees.push_back({fmt::format("{} keys, t = {}", keys == 100'000 ? "100,000" : "1,000,000", degree),
                       published_tree(keys, degree), group("tree_alone"), group("tree_many")});
    }
  }
  constexpr const char* kOnGpu = "cuda block, kernel";
  for (const Tree& tree : trees) {
    const double cpu = seconds_each(tree.alone, "cpu binary"), gpu = seconds_each(tree.alone, kOnGpu);
    rows.add_lost(
        "B-T9 (lost)", "one search on the CPU, " + tree.words,
        fmt::format("{} to {}", time_text(tree.published / 6), time_text(tree.published / 4)),
        cpu > 0 ? time_text(cpu) : "", cpu > 0 ? digits_text(tree.published / 6 / cpu) + " × at least" : "",
        fmt::format("as long as {:.1f} reads of memory, one after the other; {}",
                    cpu * results.machine("dependent_reads"),
                    gpu > 0 ? fmt::format("{:.0f} times as fast as the GPU, 4 to 6 times in 2012", gpu / cpu)
                            : "published: 4 to 6 times as fast as the GPU"));
  }
  for (const Tree& tree : trees) {
    rows.add("B-T10", "one search on the GPU, " + tree.words, tree.published,
             seconds_each(tree.alone, kOnGpu),
             cause_of_launches(results, "clears a bit and launches a kernel"));
  }
  for (const Tree& tree : trees) {
    const double gpu = seconds_each(tree.many, "cuda block, with transfers");
    add_gain(
        rows, tree.words + ", one block", tree.words.ends_with("32") ? "9 to 12 ×" : "less than 9 to 12 ×",
        seconds_each(tree.many, "cpu binary"), gpu,
        fmt::format("one block searches for one key after the other, {} each, and the rest of the GPU idles",
                    time_text(gpu)));
  }
  const Json* many = first(results.groups("index", "multi", {{"work", "multi"}, {"queries", 40'000}}));
  const Json* transfer = first(results.groups("index", "multi", {{"work", "transfer"}, {"queries", 40'000}}));
  for (const auto& [level, what] : {std::pair("cuda blocks", "a block for each key"),
                                    std::pair("cuda tile", "a few threads for each key")}) {
    const double gpu = seconds_each(many, level);
    const std::string keys = many == nullptr ? "10 M" : plot::short_number(number(*many, "keys"));
    add_gain(rows, fmt::format("{} keys, t = 32, {}", keys, what), "9 to 12 ×",
             seconds_each(many, "cpu binary"), gpu,
             gpu > 0 && transfer != nullptr
                 ? fmt::format("all keys at once, so reads overlap: {} a key, {} of them for transfers",
                               time_text(gpu), time_text(seconds_each(transfer, "transfer alone")))
                 : "");
  }
}

}  // namespace

void write_published_indexes(Page& page, const Results& results) {
  Rows rows("2012");
  rows.add_lost("B-T1, T2 (lost)", "unknown: their pages are missing", "lost", "", "",
                "perhaps the machine and its software");
  add_launches(rows, results);
  add_nodes(rows, results);
  add_copies(rows, results);
  add_trees(rows, results);
  page.table("B-trees, published and measured here, for each search or copy.", rows.cells());
}

namespace {

/// The times of a device over m and c.
struct Grid {
  std::map<std::pair<int, int>, double> seconds;
  double naive = 0;

  std::pair<int, int> best() const {
    return std::ranges::min_element(seconds, {}, [](auto& at) { return at.second; })->first;
  }
  /// The slowest of m (or c) by the fastest, the other one at its best.
  double range(bool over_c) const {
    const auto [m, c] = best();
    Range range;
    for (const auto& [at, value] : seconds) {
      if (over_c ? at.first == m : at.second == c) range.add(value);
    }
    return range.most() / range.least();
  }
  bool has_largest_c() const {
    return std::ranges::none_of(seconds, [&](const auto& at) { return at.first.second > best().second; });
  }
};

Grid grid_of(const Json& group, const std::string& device) {
  Grid grid;
  for (const std::string& level : levels_of({&group})) {
    int m = 0, c = 0;
    if (!level.starts_with(device + ",")) continue;
    const double seconds = seconds_of(group, level);
    if (level.ends_with("naive")) grid.naive = seconds;
    if (std::sscanf(level.c_str() + device.size(), ", m = %d, c = %d", &m, &c) == 2)
      grid.seconds[{m, c}] = seconds;
  }
  return grid;
}

std::string cause_of_grid(const Grid& grid, const std::string& device) {
  constexpr double kMatters = 1.1;
  const double m = grid.range(false), c = grid.range(true);
  std::string text = fmt::format("over m the time varies {:.2f} ×, over c {:.2f} ×", m, c);
  if (m < kMatters && c < kMatters) return text + ": both leave the same accesses of memory";
  if (!grid.has_largest_c())
    return text +
           ": an item reads c values in a row, so large c puts the threads of a warp far apart in memory";
  return text + (device == "cores" ? ": a group is a loop, and large c saves levels"
                                   : ": large c saves groups and levels");
}

}  // namespace

void write_published_pram(Page& page, const Results& results) {
  Rows rows("2016");
  const auto grid = [&](const char* figure, const char* program, const char* trend,
                        std::pair<int, int> published) {
    const Groups groups = results.groups("pram", "grid", {{"program", program}});
    for (const std::string device : {"cores", "cuda", "opencl"}) {
      const Grid found = groups.empty() ? Grid() : grid_of(*groups.back(), device);
      const std::string work = fmt::format("{} over n, {}", program, device);
      if (found.seconds.empty()) {
        rows.add_lost(figure, work, trend, "", "", "");
        continue;
      }
      const auto best = found.best();
      const auto times = [&](double seconds) {
        return fmt::format("{:.2f} × its time", seconds / found.seconds.at(best));
      };
      std::string here = fmt::format("best m = {}, c = {}", best.first, best.second);
      if (const auto at = found.seconds.find(published); at != found.seconds.end() && at->first != best)
        here += fmt::format("; m = {}, c = {}: {}", published.first, published.second, times(at->second));
      if (found.naive > 0) here += "; naive: " + times(found.naive);
      rows.add_lost(figure, work, trend, here, "", cause_of_grid(found, device));
    }
  };
  grid("P-F1 (lost)", "reduction", "linear; naive slowest; best m = 64, c = 16", {64, 16});
  grid("P-F2 (lost)", "scan", "gap to naive larger; best m = 256, c = 8", {256, 8});
  const Json* largest = nullptr;
  for (const Json* group : results.groups("pram", "presort")) largest = group;
  for (const std::string device : {"cores", "cuda", "opencl"}) {
    const double runs = largest == nullptr ? 0 : seconds_of(*largest, device + ", runs of 1"),
                 presort = largest == nullptr ? 0 : seconds_of(*largest, device + ", bitonic presort");
    rows.add_lost(
        "P-N1", "merge sort without presort, " + device, "slower, no number",
        runs > 0 && presort > 0 ? fmt::format("{:.2f} × the time with presort", runs / presort) : "", "",
        fmt::format("{}: the five rounds of searches that presort saves cost {} than its 15 exchanges",
                    runs > presort ? "as published" : "refuted", runs > presort ? "more" : "less"));
  }
  for (const Json* group : results.groups("pram", "examples", {{"work", "example"}})) {
    const auto text = [&](const char* name) { return (*group)[name].get<std::string>(); };
    rows.add_lost(text("example"), text("what"), text("published"), text("answer"), "",
                  "an example, not a time");
  }
  for (const Json* group : results.groups("pram", "examples", {{"work", "accesses"}})) {
    const double formula = number(*group, "formula"), counted = number(*group, "counted");
    rows.add_lost(
        "P-M", fmt::format("accesses of a tree of degree {}", plot::short_number(number(*group, "degree"))),
        fmt::format("{:.0f}", formula), fmt::format("{:.0f}", counted),
        fmt::format("{:.6f}", formula / counted), "the formula's levels are not rounded");
  }
  page.table("PRAM programs, published and found here.", rows.cells());
}

}  // namespace lanewise::cli::study
