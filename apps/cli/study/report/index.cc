#include <fmt/format.h>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

double nanoseconds_each(const Json& group, double seconds) { return seconds / number(group, "rows") * 1e9; }

void write_nodes(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "nodes", {{"work", "node"}});
  if (groups.empty()) return;
  page.section("Search of one node");
  plot::Curves curves{"Time of a search over the size of a node",
                      {"keys of a node", "", plot::Axis::logarithmic},
                      {"", "ns for each key", plot::Axis::logarithmic}};
  curves.series = lines(groups, "node_keys", nanoseconds_each);
  curves.series.push_back(
      limit(curves.series, "limit: a dependent read of memory", 1e9 / results.machine("dependent_reads")));
  page.figure(curves, how_measured(groups, "Hot, one core; on a GPU keys and answers in its memory"));
  page.text(
      "A node is in the cache, so its search takes less than one read of memory. A descent waits for memory "
      "once a level: large nodes mean fewer levels, until "
      "their search takes as long as the read that they save.");
}

void write_finds(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "finds");
  if (groups.empty()) return;
  page.section("Look-ups over the size of the index");
  plot::Curves curves{"Look-ups of random keys, uint32",
                      {"keys in the index", "", plot::Axis::logarithmic},
                      {"", "million look-ups/s", plot::Axis::logarithmic}};
  curves.series = lines(groups, "keys", million_rows);
  curves.series.push_back(
      limit(curves.series, "independent reads of memory", results.machine("random_reads") / 1e6));
  page.figure(curves, how_measured(groups, "Hot, one core, no transfer"));
  const Json& largest = *groups.back();
  std::string best;
  double most = 0;
  for (const std::string& level : levels_of({&largest})) {
    const double rate = million_rows(largest, number(*level_of(largest, level), "seconds"));
    if (rate > most) most = rate, best = level;
  }
  Cells cells{{"rival", "million look-ups/s", "the fastest is"}, {}};
  for (const char* rival : {"std::map", "std::lower_bound", "absl::btree", "Eytzinger"}) {
    const Json* level = level_of(largest, rival);
    if (level == nullptr) continue;
    const double rate = million_rows(largest, number(*level, "seconds"));
    cells.rows.push_back({rival, fmt::format("{:.2f}", rate), fmt::format("{:.1f} × as fast", most / rate)});
  }
  page.table(fmt::format("{} keys; the fastest is {}, {:.1f} million look-ups/s.",
                         plot::short_number(number(largest, "keys")), best, most),
             cells);
}

void write_multi(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "multi");
  if (groups.empty()) return;
  page.section("Many keys at once");
  plot::Curves curves{"Time for each key over the keys looked up at once – nodes of 63 keys",
                      {"keys looked up at once", "", plot::Axis::logarithmic},
                      {"", "ns for each key", plot::Axis::logarithmic}};
  curves.series = lines(groups, "queries", nanoseconds_each);
  curves.series.push_back(
      limit(curves.series, "limit: independent reads", 1e9 / results.machine("random_reads")));
  page.figure(curves, how_measured(groups, "Hot; on a GPU with transfers in and out"));
  double crossing = 0;
  for (const Json* group : groups) {
    const Json *cpu = level_of(*group, "cpu auto"), *gpu = level_of(*group, "cuda tile");
    if (cpu && gpu && crossing == 0 && number(*gpu, "seconds") < number(*cpu, "seconds"))
      crossing = number(*group, "queries");
  }
  page.text(!results.has_gpu() ? "There is no GPU on this machine. On an H200 40,000 keys take 0.35 ms with "
                                 "transfers, one core of its host 1.58 ms (docs/notes/performance-index.md)."
            : crossing > 0     ? fmt::format("The GPU wins from {} keys on, transfers included.",
                                             plot::short_number(crossing))
                               : "The GPU does not win for any of these numbers of keys.");
  page.text(
      "One key alone waits for a read on every level. Many keys at once overlap their reads. A few keys are "
      "looked up again in each run, so their nodes are in the cache: only from 40,000 keys on does memory "
      "count.");
}

void write_device(Page& page, const Results& results) {
  page.section("Launches and copies");
  if (!results.has_gpu())
    return page.text(
        "There is no GPU on this machine. The H200's launches and copies are in "
        "docs/notes/performance-index.md.");
  Cells cells{{"work", "level", "time"}, {}};
  for (const char* experiment : {"nodes", "copies"}) {
    for (const Json* group : results.groups("index", experiment)) {
      if ((*group)["work"] == "node") continue;
      for (const std::string& level : levels_of({group})) {
        cells.rows.push_back({(*group)["title"].get<std::string>(), level,
                              time_text(number(*level_of(*group, level), "seconds"))});
      }
    }
  }
  page.table("Launches, and copies of trees.", cells);
}

}  // namespace

void write_index(Page& page, const Results& results) {
  page.chapter("Ordered indexes");
  page.text(
      "The study of 2012 (Belgrade) searched B-trees on a GPU: the keys of a node by as many threads, and "
      "many keys at once. The same searches follow, and what "
      "a processor does with vectors and with many reads in flight.");
  write_nodes(page, results);
  write_finds(page, results);
  write_multi(page, results);
  write_device(page, results);
}

}  // namespace lanewise::cli::study
