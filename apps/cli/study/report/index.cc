#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "study/report/chapters.h"
#include "study/report/gpu.h"
#include "study/report/published.h"

namespace lanewise::cli::study {

namespace {

double nanoseconds_each(const Json& group, double seconds) { return seconds / number(group, "rows") * 1e9; }
double microseconds_each(const Json& group, double seconds) { return seconds / number(group, "rows") * 1e6; }

/// Gives the levels names for readers.
void rename(std::vector<plot::Series>& series, const std::map<std::string, std::string>& names) {
  for (plot::Series& line : series) {
    if (const auto name = names.find(line.name); name != names.end()) line.name = name->second;
  }
}

/// The seconds for each key, or a dash.
std::string each_text(const Json& group, const std::string& level) {
  const double seconds = seconds_of(group, level);
  return seconds > 0 ? time_text(seconds / number(group, "rows")) : "–";
}

void write_launches(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "nodes", {{"work", "launch"}});
  if (groups.empty() || levels_of(groups).empty()) return;
  page.section("One launch");
  Cells cells{{"work", "time", "published"}, {}};
  const auto add = [&](const char* what, const char* level, const char* published) {
    if (const double seconds = seconds_of(*groups.front(), level); seconds > 0)
      cells.rows.push_back({what, time_text(seconds), published});
  };
  add("empty kernel, first launch and its end", "empty kernel, first", "7 µs");
  add("empty kernel, later launch and its end", "empty kernel, later", "–");
  add("empty kernel, later launch alone", "empty kernel, later, not waited for", "4 µs");
  add("search for one key, first launch and its end", "first", "–");
  add("search for one key, later launch and its end", "later", "–");
  add("search for one key, later launch alone", "later, not waited for", "–");
  page.table("A launch by the host's clock, without loading the kernel. " +
                 how_measured_without_runs(groups, "Hot, no transfer"),
             cells);
  page.text(
      "The first launch also prepares the kernel on the device. A launch alone is the work of the driver. "
      "The rest of a launch with its end is the way to the device and back. A search on the GPU cannot be "
      "faster than that, whatever its kernel does.");
}

void write_nodes(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "nodes", {{"work", "node"}});
  const Groups alone = results.groups("index", "nodes", {{"work", "node_alone"}});
  if (groups.empty()) return;
  page.section("Search of one node");
  if (!alone.empty()) {
    plot::Curves curves{"One key at a time – the search of a node of 2t − 1 keys",
                        {"keys of the node", "", plot::Axis::logarithmic},
                        {"", "µs for each key", plot::Axis::logarithmic}};
    curves.series = lines(alone, "node_keys", microseconds_each);
    rename(curves.series, {{"cuda segments, kernel", "GPU n-ary, kernel"},
                           {"cuda keys, kernel", "GPU key per thread, kernel"},
                           {"cuda, with transfers", "GPU, with transfers"}});
    for (const auto& [name, values] : {std::pair("2012: GPU n-ary", kPublishedSegments),
                                       std::pair("2012: GPU key per thread", kPublishedKeys)}) {
      plot::Series line{plot::Series::published, name, {}};
      for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
        const double y = values[i] * 1e3, x = 2 * kPublishedDegrees[i] - 1;
        line.points.push_back({x, y, y, y});
      }
      curves.series.push_back(std::move(line));
    }
    curves.series.push_back(
        limit(curves.series, "limit: a dependent read of memory", 1e6 / results.machine("dependent_reads")));
    page.figure(
        curves,
        how_measured(alone,
                     results.state("Hot, a call for each key on one core; on a GPU a launch for each key, "
                                   "timed there; transfers where the name says so")));
    page.text(
        std::string(
            "This is the study's measurement: one search, then the next. A processor keeps the node in its "
            "cache, so it needs less than a launch on a GPU.") +
        (results.has_gpu()
             ? " The node's size hardly matters on the GPU, as published: the launches are nearly all of "
               "its time. A search by n-ary or by a key per thread clears its bit and launches two kernels, "
               "the second one for the value; 2012 launched one."
             : ""));
  }
  plot::Curves curves{"Many keys at once – the search of a node of 2t − 1 keys",
                      {"keys of the node", "", plot::Axis::logarithmic},
                      {"", "ns for each key", plot::Axis::logarithmic}};
  curves.series = lines(groups, "node_keys", nanoseconds_each);
  rename(curves.series, {{"cuda segments", "GPU n-ary"},
                         {"cuda keys", "GPU key per thread"},
                         {"cuda thread", "GPU thread per query"}});
  curves.series.push_back(
      limit(curves.series, "limit: a dependent read of memory", 1e9 / results.machine("dependent_reads")));
  page.figure(
      curves,
      how_measured(groups,
                   results.state("Hot, one core; on a GPU keys and answers in its memory, no transfer")));
  page.text(
      std::string(results.has_gpu() ? "With many keys at once the launch is paid once, and reads overlap. "
                                    : "") +
      "A node is in the cache, so its search takes less than one read of memory. A descent waits for memory "
      "once a level. Large nodes mean fewer levels, until their search takes as long as the read that they "
      "save.");
}

void write_copies(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "copies");
  if (groups.empty() || levels_of(groups).empty()) return;
  page.section("Copies of trees to the GPU");
  plot::Curves curves{"Time of a copy over the keys of a node",
                      {"keys of a node", "", plot::Axis::logarithmic},
                      {"", "ms", plot::Axis::logarithmic}};
  Cells cells{{"nodes", "keys of a node", "bytes", "copy alone", "with allocation", "published"}, {}};
  for (const int nodes : {1, 1'000, 10'000}) {
    const Groups some = results.groups("index", "copies", {{"nodes", nodes}});
    const auto name = [&](const char* what) {
      return fmt::format("{} node{}, {}", plot::short_number(nodes), nodes == 1 ? "" : "s", what);
    };
    for (plot::Series line : lines(some, "node_keys", milliseconds, {"transfer alone", "new copy"})) {
      line.name = name(line.name == "new copy" ? "all" : "copy");
      curves.series.push_back(std::move(line));
    }
    if (nodes > 1) {
      const auto& values = nodes == 1'000 ? kPublishedCopies1000 : kPublishedCopies10000;
      plot::Series line{plot::Series::published, name("2012"), {}};
      for (size_t i = 0; i < kPublishedDegrees.size(); ++i) {
        line.points.push_back({2.0 * kPublishedDegrees[i] - 1, values[i], values[i], values[i]});
      }
      curves.series.push_back(std::move(line));
    }
    for (const Json* group : some) {
      const double keys = number(*group, "node_keys");
      const auto at = std::ranges::find(kPublishedDegrees, static_cast<int>(keys + 1) / 2);
      const auto i = static_cast<size_t>(at - kPublishedDegrees.begin());
      const bool known = nodes > 1 && at != kPublishedDegrees.end();
      cells.rows.push_back(
          {plot::short_number(nodes), plot::short_number(keys), plot::short_number(number(*group, "bytes")),
           time_or_dash(seconds_of(*group, "transfer alone")), time_or_dash(seconds_of(*group, "new copy")),
           known ? time_text((nodes == 1'000 ? kPublishedCopies1000 : kPublishedCopies10000)[i] / 1e3)
                 : "lost"});
    }
  }
  plot::Series memory{plot::Series::limit, "limit: reading 10 k nodes", {}};
  for (const Json* group : results.groups("index", "copies", {{"nodes", 10'000}})) {
    const double y = number(*group, "bytes") / results.machine("read_rate_all") * 1e3;
    memory.points.push_back({number(*group, "node_keys"), y, y, y});
  }
  curves.series.push_back(std::move(memory));
  page.figure(curves, how_measured(groups, "From the host's memory to the GPU's, one transfer"));
  page.table(
      "Copies of trees of so many nodes, next to those published in table 8 of 2012. One node was table 7.",
      cells);
  Range alone, rest;
  for (const Json* group : groups) {
    const double copied = seconds_of(*group, "transfer alone"), whole = seconds_of(*group, "new copy");
    if (copied > 0) alone.add(number(*group, "bytes") / copied / 1e9);
    if (copied > 0 && whole > 0) rest.add((whole - copied) * 1e3);
  }
  page.text(
      fmt::format("The copies alone run at {}. A new copy of an index takes {} more, to allocate memory on "
                  "the GPU and to free it. The pinned memory for transfers belongs to the device and is "
                  "kept. As in 2012, the copy of one node for one search costs more than the search.",
                  alone.text(" GB/s"), rest.text(" ms")));
}

void write_trees(Page& page, const Results& results) {
  const Groups alone = results.groups("index", "trees", {{"work", "tree_alone"}});
  const Groups many = results.groups("index", "trees", {{"work", "tree_many"}});
  if (alone.empty()) return;
  const auto shape = [](const Json& group) {
    return std::vector<std::string>{plot::short_number(number(group, "keys")),
                                    plot::short_number((number(group, "node_keys") + 1) / 2)};
  };
  page.section("A tree on the processor and on the GPU");
  Cells one{
      {"keys", "t", "one core", "GPU, kernel", "GPU with transfers", "GPU in 2012", "GPU kernel to core"},
      {}};
  for (const Json* group : alone) {
    std::vector<std::string> row = shape(*group);
    const double published = published_tree(number(*group, "keys"), (number(*group, "node_keys") + 1) / 2);
    row.insert(row.end(),
               {each_text(*group, "cpu binary"), each_text(*group, "cuda block, kernel"),
                each_text(*group, "cuda, with transfers"), published > 0 ? time_text(published) : "–",
                ratio_text(seconds_of(*group, "cuda block, kernel"), seconds_of(*group, "cpu binary"))});
    one.rows.push_back(std::move(row));
  }
  page.table(fmt::format("One search of a whole tree at a time, as in tables 9 and 10 of 2012{}. The "
                         "published processor was 4 to 6 times as fast as the GPU. ",
                         results.has_gpu() ? ", by one block of threads on the GPU" : "") +
                 how_measured_without_runs(
                     alone, results.has_gpu() ? "Hot; the kernel's time on the GPU, the call's time elsewhere"
                                              : "Hot"),
             without_empty_columns(one));
  if (many.empty()) return;
  Cells cells{{"keys", "t", "one core", "one core, overlapped", "GPU, kernel", "GPU with transfers",
               "gain of the GPU"},
              {}};
  for (const Json* group : many) {
    std::vector<std::string> row = shape(*group);
    row.insert(
        row.end(),
        {each_text(*group, "cpu binary"), each_text(*group, "cpu auto"),
         each_text(*group, "cuda block, resident"), each_text(*group, "cuda block, with transfers"),
         ratio_text(seconds_of(*group, "cpu binary"), seconds_of(*group, "cuda block, with transfers"))});
    cells.rows.push_back(std::move(row));
  }
  page.table(
      fmt::format(
          "40,000 searches at once{}, time for each, as in tables 11 and 12 of 2012, whose values are lost. "
          "The best published gain of the GPU was 9 to 12, for nodes of 63 keys, transfers included. ",
          results.has_gpu() ? " by one block of threads" : "") +
          how_measured_without_runs(many, "Hot"),
      without_empty_columns(cells));
  page.text(
      "One search is a chain of dependent reads: a faster clock and a cache win. Many searches at once can "
      "have as many independent reads in flight as the device holds." +
      std::string(results.has_gpu() ? " One block has one search in flight, and the rest of the GPU idles; "
                                      "the section on many keys at once has a block, and a few threads, for "
                                      "each key."
                                    : "") +
      " An overlapped search on one core uses the same idea: it descends with many keys level by level and "
      "prefetches their nodes.");
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
      limit(curves.series, "limit: independent reads", results.machine("random_reads") / 1e6));
  page.figure(curves,
              how_measured(groups, results.state("Hot, one core; on a GPU resident keys have no transfer")));
  const Json& largest = *groups.back();
  std::string best;
  double most = 0;
  for (const std::string& level : levels_of({&largest})) {
    const double rate = million_rows(largest, number(*level_of(largest, level), "seconds"));
    if (rate > most && !is_on_gpu(level)) most = rate, best = level;
  }
  Cells cells{{"rival", "million look-ups/s", "the fastest on one core is"}, {}};
  for (const char* rival :
       {"std::map", "std::lower_bound", "absl::btree", "Eytzinger", "S+ tree", "one by one", "binary"}) {
    const Json* level = level_of(largest, rival);
    if (level == nullptr) continue;
    const double rate = million_rows(largest, number(*level, "seconds"));
    cells.rows.push_back({rival, fmt::format("{:.2f}", rate), fmt::format("{:.1f} × as fast", most / rate)});
  }
  page.table(fmt::format("{} keys; the fastest on one core is {}, {:.1f} million look-ups/s.",
                         plot::short_number(number(largest, "keys")), best, most),
             cells);
  page.text(
      "Rivals: std::map, a red-black tree with a node for each key; absl::btree, nodes of 256 bytes; binary "
      "search of a sorted array; the same array in the order of a heap (Eytzinger, by Khuong and Morin, "
      "2017); and a static B+ tree of 16 keys a node that counts smaller keys with vectors (S+ tree, by "
      "Slotin, 2022). They look up one key after the other. While an index fits the cache, instructions "
      "count. Beyond it each level of a tree is a read of memory, and overlapping the reads of many keys "
      "wins.");
}

/// The least and the greatest number of keys for which a level of the GPU is faster than one of the
/// processor.
struct Wins {
  double from = 0, to = 0;
  bool to_the_end = false;
};

Wins wins_over(const Groups& groups, const std::string& cpu, const std::string& gpu) {
  Wins wins;
  for (const Json* group : groups) {
    const double a = seconds_of(*group, cpu), b = seconds_of(*group, gpu);
    if (a <= 0 || b <= 0) continue;
    wins.to_the_end = b < a;
    if (b >= a) continue;
    wins.to = number(*group, "queries");
    if (wins.from == 0) wins.from = wins.to;
  }
  return wins;
}

void write_multi(Page& page, const Results& results) {
  const Groups groups = results.groups("index", "multi", {{"work", "multi"}});
  const Groups transfers = results.groups("index", "multi", {{"work", "transfer"}});
  if (groups.empty()) return;
  page.section("Many keys at once");
  plot::Curves curves{
      fmt::format("Time for each key over the keys looked up at once – {} keys in nodes of 63",
                  plot::short_number(number(*groups.front(), "keys"))),
      {"keys looked up at once", "", plot::Axis::logarithmic},
      {"", "ns for each key", plot::Axis::logarithmic}};
  curves.series = lines(groups, "queries", nanoseconds_each,
                        {"cpu binary", "cpu auto", "cpu auto, all cores", "cuda tile", "cuda block",
                         "cuda blocks", "cuda tile, resident"});
  for (plot::Series& line : lines(transfers, "queries", nanoseconds_each)) curves.series.push_back(line);
  rename(curves.series, {{"cuda tile", "GPU, with transfers"},
                         {"cuda block", "GPU, one block"},
                         {"cuda blocks", "GPU, block per key"},
                         {"cuda tile, resident", "GPU, resident"},
                         {"transfer alone", "transfers alone"}});
  curves.series.push_back(
      limit(curves.series, "limit: independent reads", 1e9 / results.machine("random_reads")));
  const auto mark = [&](double at, const char* name) {
    if (at > 0) curves.marks.push_back({at, name});
  };
  const Wins with = wins_over(groups, "cpu auto", "cuda tile"),
             without = wins_over(groups, "cpu auto", "cuda tile, resident"),
             all_cores = wins_over(groups, "cpu auto, all cores", "cuda tile");
  mark(with.from, "GPU wins");
  page.figure(curves,
              how_measured(groups, results.state("Hot; on a GPU with transfers in and out unless resident")));
  if (!results.has_gpu()) {
    page.text("There is no GPU on this machine, so no line of it.");
  } else {
    const auto from = [](const Wins& wins) {
      if (wins.from == 0) return std::string("never");
      return wins.to_the_end ? fmt::format("from {} keys on", plot::short_number(wins.from))
                             : fmt::format("from {} to {} keys", plot::short_number(wins.from),
                                           plot::short_number(wins.to));
    };
    page.text(
        fmt::format("Against one core the GPU wins {} with transfers and {} without them; against all cores "
                    "it wins {} with transfers.",
                    from(with), from(without), from(all_cores)));
  }
  page.text(
      "One key alone waits for a read on every level. Many keys at once overlap their reads. A few keys are "
      "looked up again in each run, so their nodes are in the cache: only from 40,000 keys on does memory "
      "count.");
}

}  // namespace

void write_index(Page& page, const Results& results) {
  page.chapter("Ordered indexes");
  page.text(
      "The study of 2012 (Belgrade) searched B-trees on a GPU: the keys of a node by as many threads, and "
      "many keys at once. The same searches follow, and what a processor does with vectors and with many "
      "reads in flight. A node of minimum degree t has up to 2t − 1 keys.");
  if (!results.has_gpu()) {
    page.text(
        "There is no GPU on this machine: launches, copies and the GPU's searches were not measured. The "
        "reports of machines with a GPU have them.");
  }
  write_launches(page, results);
  write_nodes(page, results);
  write_copies(page, results);
  write_trees(page, results);
  write_finds(page, results);
  write_multi(page, results);
}

}  // namespace lanewise::cli::study
