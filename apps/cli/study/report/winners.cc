#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

/// Where a level runs, and where its data are.
enum class Where { cpu, gpu_with_transfers, gpu };

Where where(const std::string& level) {
  if (!is_on_gpu(level)) return Where::cpu;
  return has_transfers(level) ? Where::gpu_with_transfers : Where::gpu;
}

struct Best {
  std::string level;
  double seconds = INFINITY;
  bool measured() const { return !level.empty(); }
};

/// The fastest level there.
Best best_of(const Json& group, Where place) {
  Best best;
  for (const Json& level : group["levels"]) {
    const double seconds = number(level, "seconds");
    const auto name = level["level"].get<std::string>();
    if (seconds > 0 && seconds < best.seconds && where(name) == place) best = {name, seconds};
  }
  return best;
}

/// A task of the table: its groups, and the level that others are compared with.
struct Task {
  std::string what;
  Groups groups;
  std::string reference;
  std::string because;
};

/// Geometric mean of ratios.
struct Mean {
  double logarithms = 0;
  int count = 0;
  void add(double ratio) { logarithms += std::log(ratio), ++count; }
  double value() const { return std::exp(logarithms / std::max(count, 1)); }
};

/// "avx512, 3.1 × scalar": the level that wins most often there, and its mean gain.
std::string winner_text(const Task& task, Where place) {
  std::map<std::string, int> wins;
  Mean gain;
  for (const Json* group : task.groups) {
    const Best best = best_of(*group, place);
    if (!best.measured()) continue;
    ++wins[best.level];
    const double reference =
        place == Where::cpu ? seconds_of(*group, task.reference) : best_of(*group, Where::cpu).seconds;
    if (reference > 0 && std::isfinite(reference)) gain.add(reference / best.seconds);
  }
  if (wins.empty()) return "–";
  const auto most = std::ranges::max_element(wins, {}, &std::pair<const std::string, int>::second);
  std::string text = most->first;
  if (gain.count > 0 && most->first != task.reference) {
    text += fmt::format(", {}\u00a0×", digits_text(gain.value()));
    if (place == Where::cpu) text += " " + task.reference;
  }
  return text;
}

/// In how many cases the processor, the GPU with transfers, or (without them) the GPU is the fastest.
std::string wins_text(const Task& task, Where gpu) {
  int cpu_wins = 0, all = 0;
  for (const Json* group : task.groups) {
    const Best cpu = best_of(*group, Where::cpu), other = best_of(*group, gpu);
    if (!cpu.measured() || !other.measured()) continue;
    ++all, cpu_wins += cpu.seconds <= other.seconds;
  }
  if (all == 0) return "–";
  if (cpu_wins == 0) return "GPU";
  return cpu_wins == all ? "processor" : fmt::format("GPU in {} of {}", all - cpu_wins, all);
}

/// The groups with a level on a GPU, if there are any; otherwise the others.
Groups or_else(Groups with_gpu, Groups others) {
  const auto on_gpu = [](const std::string& level) { return is_on_gpu(level); };
  return std::ranges::any_of(levels_of(with_gpu), on_gpu) ? std::move(with_gpu) : std::move(others);
}

Groups joined(Groups a, const Groups& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Task> tasks_of(const Results& results) {
  const auto text = [&](const char* test) {
    return or_else(results.groups("strings", "warps", {{"test", test}}),
                   results.groups("strings", "lengths", {{"test", test}}));
  };
  return {
      {"filter of numbers",
       or_else(results.groups("operators", "gpu"), results.groups("operators", "selectivity")), "scalar",
       "each value is read once: memory, or the bus, is the limit"},
      {"aggregates of numbers",
       or_else(results.groups("operators", "gpu-aggregates"), results.groups("operators", "aggregates")),
       "scalar", "the same"},
      {"queries", results.groups("operators", "sql"), "scalar, one core",
       "columns are in the memory of the device; groups and sorts gain most"},
      {"equality of strings", text("equality"), "scalar", "early mismatches favour a loop that ends"},
      {"prefix of strings", text("prefix"), "scalar", "the same"},
      {"regular expression", text("regex"), "scalar", "every byte is read; refill keeps all lanes busy"},
      {"one search of a tree", results.groups("index", "trees", {{"work", "tree_alone"}}), "cpu binary",
       "a chain of dependent reads; a launch costs more"},
      {"look-ups in an index", results.groups("index", "finds"), "std::lower_bound",
       "many reads of memory in flight"},
      {"many keys at once", results.groups("index", "multi", {{"work", "multi"}}), "cpu binary",
       "the same, once there are enough keys to pay the launch and the bus"},
      {"arrays",
       joined(results.groups("pram", "growth", {{"program", "reduction"}}),
              joined(results.groups("pram", "growth", {{"program", "scan"}}),
                     results.groups("pram", "growth", {{"program", "sort"}}))),
       "cores", "one or two passes over the data; a GPU pays the bus first"},
      {"graphs",
       joined(results.groups("pram", "growth", {{"program", "components"}}),
              joined(results.groups("pram", "growth", {{"program", "spanning_forest"}}),
                     joined(results.groups("pram", "growth", {{"program", "matching"}}),
                            results.groups("pram", "growth", {{"program", "all_pairs_distances"}})))),
       "cores", "more work for each byte than arrays: a GPU pays from some size on"},
  };
}

/// "avx512, 8.2 GB/s": the fastest level there, for the last group.
std::string fastest_text(const Groups& groups, Where place, const std::string& unit, const Value& value) {
  const Best best = groups.empty() ? Best() : best_of(*groups.back(), place);
  if (!best.measured()) return "not measured";
  return fmt::format("{}, {} {}", best.level, digits_text(value(*groups.back(), best.seconds)), unit);
}

/// The faster of two places.
std::string faster_text(const Groups& groups, Where gpu, const std::string& unit, const Value& value) {
  if (groups.empty()) return "not measured";
  const bool on_gpu = best_of(*groups.back(), gpu).seconds < best_of(*groups.back(), Where::cpu).seconds;
  return fastest_text(groups, on_gpu ? gpu : Where::cpu, unit, value);
}

using Branch = Page::Branch;

void add_numbers(std::vector<Branch>& tree, const Results& results) {
  const Groups groups =
      or_else(results.groups("operators", "gpu"), results.groups("operators", "selectivity"));
  if (groups.empty()) return;
  const double one = results.machine("read_rate") / 1e9, all = results.machine("read_rate_all") / 1e9;
  tree.push_back({0, "Numbers are filtered or added"});
  tree.push_back(
      {1, "in the host's memory: " + faster_text(groups, Where::gpu_with_transfers, "GB/s", gb_per_second)});
  tree.push_back({2, all > 1.3 * one
                         ? fmt::format("one core reads {:.1f} GB/s; threads reach {:.1f} GB/s", one, all)
                         : fmt::format("one core reads {:.1f} GB/s; threads gain little", one)});
  if (results.has_gpu()) {
    tree.push_back({1, "in the GPU's memory: " + fastest_text(groups, Where::gpu, "GB/s", gb_per_second)});
  }
}

void add_strings(std::vector<Branch>& tree, const Results& results) {
  const auto text = [&](const char* lengths) {
    const Json about = {{"test", "regex"}, {"lengths", lengths}};
    return or_else(results.groups("strings", "warps", about), results.groups("strings", "lengths", about));
  };
  if (text("constant").empty()) return;
  tree.push_back({0, "Strings are matched with a regular expression"});
  for (const auto& [words, lengths] :
       {std::pair("of similar lengths", "constant"), std::pair("of very different lengths", "skewed")}) {
    tree.push_back(
        {1, fmt::format("{}: {}", words, fastest_text(text(lengths), Where::cpu, "GB/s", gb_per_second))});
    if (results.has_gpu()) {
      tree.push_back(
          {2, "in the GPU's memory: " + fastest_text(text(lengths), Where::gpu, "GB/s", gb_per_second)});
    }
  }
}

void add_keys(std::vector<Branch>& tree, const Results& results) {
  const Groups multi = results.groups("index", "multi", {{"work", "multi"}});
  if (multi.empty()) return;
  const Value each = [](const Json& group, double s) { return s / number(group, "rows") * 1e9; };
  tree.push_back({0, "Keys are looked up in an index"});
  // All cores have nothing to share in one search.
  Best alone;
  for (const Json& level : (*multi.front())["levels"]) {
    const auto name = level["level"].get<std::string>();
    const double seconds = number(level, "seconds");
    if (seconds > 0 && seconds < alone.seconds && where(name) == Where::cpu && !name.ends_with("all cores"))
      alone = {name, seconds};
  }
  if (alone.measured())
    tree.push_back({1, fmt::format("one at a time: {}, {} ns", alone.level,
                                   digits_text(each(*multi.front(), alone.seconds)))});
  for (const Where gpu : {Where::gpu_with_transfers, Where::gpu}) {
    if (gpu == Where::gpu && !results.has_gpu()) break;
    Groups won;
    for (const Json* group : multi) {
      if (best_of(*group, gpu).seconds < best_of(*group, Where::cpu).seconds) won.push_back(group);
    }
    const char* from = gpu == Where::gpu ? "keys in the GPU's memory" : "keys in the host's memory";
    const bool to_the_end = !won.empty() && won.back() == multi.back();
    if (!won.empty()) {
      const auto queries = [](const Json* group) { return plot::short_number(number(*group, "queries")); };
      tree.push_back(
          {1, fmt::format("{}, {}: {}",
                          to_the_end ? queries(won.front()) + " at once or more"
                                     : queries(won.front()) + " to " + queries(won.back()) + " at once",
                          from, fastest_text(won, gpu, "ns each", each))});
    }
    if (!to_the_end) {
      tree.push_back({1, fmt::format("{} at once, {}: {}", won.empty() ? "many" : "more", from,
                                     fastest_text(multi, Where::cpu, "ns each", each))});
    }
  }
}

void add_programs(std::vector<Branch>& tree, const Results& results) {
  if (results.groups("pram", "growth").empty()) return;
  tree.push_back({0, "An array or a graph needs a parallel algorithm"});
  for (const char* program : {"reduction", "scan", "sort", "components"}) {
    const Groups groups = results.groups("pram", "growth", {{"program", program}});
    if (groups.empty()) continue;
    const Value time = [](const Json&, double s) { return s * 1e3; };
    tree.push_back({1, fmt::format("{}, n = {}: {}", program, plot::short_number(number(*groups.back(), "n")),
                                   faster_text(groups, Where::gpu_with_transfers, "ms", time))});
  }
  tree.push_back({1, "to understand it: the PRAM program, in the interpreter"});
}

}  // namespace

void write_winners(Page& page, const Results& results) {
  page.chapter("Who wins where, and why");
  Cells cells{{"work", "fastest on the processor", "GPU, transfers included", "GPU, data there",
               "winner with transfers", "winner without", "because"},
              {},
              false};
  for (const Task& task : tasks_of(results)) {
    if (task.groups.empty()) continue;
    cells.rows.push_back({task.what, winner_text(task, Where::cpu),
                          winner_text(task, Where::gpu_with_transfers), winner_text(task, Where::gpu),
                          wins_text(task, Where::gpu_with_transfers), wins_text(task, Where::gpu),
                          task.because});
  }
  if (!results.has_gpu()) {
    // Columns of a GPU would be empty.
    cells.head.erase(cells.head.begin() + 2, cells.head.begin() + 6);
    for (auto& row : cells.rows) row.erase(row.begin() + 2, row.begin() + 6);
  }
  page.table(results.has_gpu()
                 ? "The level that is fastest in most cases, and its mean gain (geometric): on the "
                   "processor over the level named there, on the GPU over the fastest of the processor."
                 : "The level that is fastest in most cases, and its mean gain (geometric) over the level "
                   "named there. This machine has no GPU.",
             cells);
  page.section("A decision tree for this machine");
  std::vector<Branch> tree;
  add_numbers(tree, results);
  add_strings(tree, results);
  add_keys(tree, results);
  add_programs(tree, results);
  page.tree(tree);
}

}  // namespace lanewise::cli::study
