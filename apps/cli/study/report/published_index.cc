#include <fmt/format.h>

#include <cmath>

#include "study/report/chapters.h"
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
  void add(const char* table, const std::string& work, double published, double here, const char* cause,
           const char* why_not = "no GPU on this machine") {
    cells_.rows.push_back({table, work, time_text(published), time_or_dash(here),
                           here > 0 ? digits_text(published / here) + " ×" : "–",
                           here > 0 ? cause : why_not});
  }
  /// For what was published without a value.
  void add_lost(const char* table, const std::string& work, const std::string& published,
                const std::string& here, const std::string& ratio, const std::string& cause) {
    cells_.rows.push_back(
        {table, work, published, here.empty() ? "–" : here, ratio.empty() ? "–" : ratio, cause});
  }
  const Cells& cells() const { return cells_; }

 private:
  Cells cells_;
};

const Json* first(const Groups& groups) { return groups.empty() ? nullptr : groups.front(); }

double seconds_each(const Json* group, const char* level) {
  return group == nullptr ? 0 : seconds_of(*group, level) / number(*group, "rows");
}

void add_nodes(Rows& rows, const Results& results) {
  const auto node = [&](int degree) {
    return first(results.groups("index", "nodes", {{"work", "node_alone"}, {"node_keys", 2 * degree - 1}}));
  };
  const auto each = [&](const char* table, const char* what, const auto& published, const char* level,
                        const char* cause) {
    for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
      rows.add(table, fmt::format("{}, t = {}", what, kPublishedDegrees[i]), published[i] / 1e3,
               seconds_each(node(kPublishedDegrees[i]), level), cause);
    }
  };
  constexpr std::array kOnCpu = {0.0013, 0.0013, 0.0013, 0.0013};
  each("B-T4 (lost)", "binary search of a node on the CPU (a third of table 5)", kOnCpu, "cpu binary",
       "the node stays in a faster cache");
  each("B-T5", "n-ary search of a node on the GPU", kPublishedSegments, "cuda segments, kernel",
       "one launch for each key, now as then");
  each("B-T6", "search of a node, a thread for each key", kPublishedKeys, "cuda keys, kernel",
       "one launch for each key, now as then");
}

void add_copies(Rows& rows, const Results& results) {
  const auto copy = [&](int nodes, int degree) {
    return first(results.groups("index", "copies", {{"nodes", nodes}, {"node_keys", 2 * degree - 1}}));
  };
  for (const int degree : kPublishedDegrees) {
    const Json* one = copy(1, degree);
    const double here = one == nullptr ? 0 : seconds_of(*one, "transfer alone");
    rows.add_lost(
        "B-T7 (lost)", fmt::format("copy of one node, t = {}", degree), "longer than a search",
        here > 0 ? time_text(here) : "", "",
        here > 0 ? "a transfer costs more than a search on the CPU, as published" : "no GPU on this machine");
  }
  for (const bool many : {false, true}) {
    const auto& published = many ? kPublishedCopies10000 : kPublishedCopies1000;
    for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
      const Json* group = copy(many ? 10'000 : 1'000, kPublishedDegrees[i]);
      rows.add("B-T8",
               fmt::format("copy of {} nodes, t = {}", many ? "10,000" : "1,000", kPublishedDegrees[i]),
               published[i] / 1e3, group == nullptr ? 0 : seconds_of(*group, "new copy"),
               "a faster bus and one transfer; ours also checks the tree");
    }
  }
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
  for (const Tree& tree : trees) {
    const double cpu = seconds_each(tree.alone, "cpu binary");
    rows.add_lost("B-T9 (lost)", "one search on the CPU, " + tree.words,
                  fmt::format("{} to {}", time_text(tree.published / 6), time_text(tree.published / 4)),
                  cpu > 0 ? time_text(cpu) : "",
                  cpu > 0 ? digits_text(tree.published / 6 / cpu) + " × at least" : "",
                  "published: 4 to 6 times as fast as the GPU; faster clock and caches");
  }
  for (const Tree& tree : trees) {
    rows.add("B-T10", "one search on the GPU, " + tree.words, tree.published,
             seconds_each(tree.alone, "cuda block, kernel"), "one launch for each key, now as then");
  }
  for (const Tree& tree : trees) {
    const double gpu = seconds_each(tree.many, "cuda block, with transfers");
    rows.add_lost("B-T11, T12 (lost)", "40,000 searches, GPU and one core, " + tree.words,
                  tree.words.ends_with("32") ? "9 to 12 × one core" : "less than 9 to 12 ×",
                  gpu > 0 ? digits_text(seconds_each(tree.many, "cpu binary") / gpu) + " × one core" : "", "",
                  gpu > 0 ? "more reads in flight; a faster bus" : "no GPU on this machine");
  }
}

}  // namespace

void write_published_indexes(Page& page, const Results& results) {
  Rows rows("2012");
  const Json* launch = first(results.groups("index", "nodes", {{"work", "launch"}}));
  const auto launched = [&](const char* level) { return launch == nullptr ? 0 : seconds_of(*launch, level); };
  rows.add_lost("B-T1, T2 (lost)", "unknown: their pages are missing", "lost", "", "",
                "perhaps the machine and its software");
  rows.add("B-T3", "empty launch, first", 0.007e-3, launched("empty kernel, first"),
           "ours waits for the end, and loads the kernel");
  rows.add("B-T3", "empty launch, later", 0.004e-3, launched("empty kernel, later, not waited for"),
           "the driver's work has hardly changed");
  add_nodes(rows, results);
  add_copies(rows, results);
  add_trees(rows, results);
  page.table("B-trees, published and measured here, for each search or copy.", rows.cells());
}

void write_published_pram(Page& page, const Results& results) {
  Rows rows("2016");
  const auto grid = [&](const char* figure, const char* program, const char* trend, const char* published) {
    const Groups groups = results.groups("pram", "grid", {{"program", program}});
    for (const std::string device : {"cores", "cuda", "opencl"}) {
      std::string best;
      double least = INFINITY, of_published = 0, naive = 0;
      for (const std::string& level :
           groups.empty() ? std::vector<std::string>() : levels_of({groups.back()})) {
        if (!level.starts_with(device + ",")) continue;
        const double seconds = seconds_of(*groups.back(), level);
        if (level.ends_with("naive")) naive = seconds;
        if (level.ends_with(published)) of_published = seconds;
        if (level.find("m = ") != std::string::npos && seconds < least) least = seconds, best = level;
      }
      const bool measured = !best.empty();
      rows.add_lost(
          figure, fmt::format("{} over n, {}", program, device), trend,
          measured ? best.substr(device.size() + 2) + ", naive " + fmt::format("{:.1f} ×", naive / least)
                   : "",
          measured ? fmt::format("{}: {:.2f} × the best", published, of_published / least) : "",
          !measured           ? "not measured: see the chapter on the machine"
          : device == "cores" ? "a group is a loop: m hardly matters, large c saves levels"
                              : "fewer groups and levels with large c, until too few items are left");
    }
  };
  grid("P-F1 (lost)", "reduction", "linear; naive slowest; best m = 64, c = 16", "m = 64, c = 16");
  grid("P-F2 (lost)", "scan", "gap to naive larger; best m = 256, c = 8", "m = 256, c = 8");
  const Json* largest = nullptr;
  for (const Json* group : results.groups("pram", "presort")) largest = group;
  for (const std::string device : {"cores", "cuda", "opencl"}) {
    const double runs = largest == nullptr ? 0 : seconds_of(*largest, device + ", runs of 1"),
                 presort = largest == nullptr ? 0 : seconds_of(*largest, device + ", bitonic presort");
    rows.add_lost(
        "P-N1", "merge sort without presort, " + device, "slower, no number",
        runs > 0 && presort > 0 ? fmt::format("{:.2f} × the time with presort", runs / presort) : "", "",
        "presort saves five rounds of searches and costs 15 exchanges");
  }
  for (const Json* group : results.groups("pram", "examples", {{"work", "example"}})) {
    const auto text = [&](const char* name) { return (*group)[name].get<std::string>(); };
    rows.add_lost(text("example").c_str(), text("what"), text("published"), text("answer"), "",
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
