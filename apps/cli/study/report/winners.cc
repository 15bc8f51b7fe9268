#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/chapters.h"

namespace lanewise::cli::study {

namespace {

std::string gain_text(double least, double most) {
  return most < 1.05 * least ? fmt::format("{:.1f}", most) : fmt::format("{:.1f} to {:.1f}", least, most);
}

/// The fastest level of a group; null: nothing was measured.
const Json* fastest(const Json& group) {
  const Json* best = nullptr;
  for (const Json& level : group["levels"]) {
    const double seconds = number(level, "seconds");
    if (seconds > 0 && (best == nullptr || seconds < number(*best, "seconds"))) best = &level;
  }
  return best;
}

/// "avx512 packed refill, 8.2 GB/s of text".
std::string fastest_text(const Groups& groups, const std::string& unit, const Value& value) {
  const Json* best = groups.empty() ? nullptr : fastest(*groups.back());
  if (best == nullptr) return "not measured";
  return fmt::format("{}, {:.3g} {}", (*best)["level"].get<std::string>(),
                     value(*groups.back(), number(*best, "seconds")), unit);
}

/// The fastest level of a task over several groups: how often it was the fastest, and by how much.
std::vector<std::string> winner(const std::string& what, const Groups& groups, const std::string& reference,
                                const std::string& why) {
  std::vector<std::pair<std::string, int>> wins;
  double least = INFINITY, most = 0;
  for (const Json* group : groups) {
    const Json* best = fastest(*group);
    if (best == nullptr) continue;
    const auto name = (*best)["level"].get<std::string>();
    const auto found = std::ranges::find(wins, name, &std::pair<std::string, int>::first);
    if (found == wins.end())
      wins.emplace_back(name, 1);
    else
      ++found->second;
    const Json* other = level_of(*group, reference);
    if (other == nullptr) continue;
    const double gain = number(*other, "seconds") / number(*best, "seconds");
    least = std::min(least, gain), most = std::max(most, gain);
  }
  std::ranges::sort(wins, std::greater<>(), &std::pair<std::string, int>::second);
  std::string names;
  for (const auto& [name, count] : wins)
    names += fmt::format("{}{} ({} of {})", names.empty() ? "" : ", ", name, count, groups.size());
  return {what, names, most > 0 ? gain_text(least, most) + " × " + reference : "–", why};
}

}  // namespace

void write_winners(Page& page, const Results& results) {
  page.chapter("Who wins where, and why");
  Cells cells{{"work", "fastest", "gain", "because"}, {}, false};
  const auto add = [&](const char* what, const Groups& groups, const char* reference, const char* why) {
    if (!groups.empty()) cells.rows.push_back(winner(what, groups, reference, why));
  };
  add("filter of numbers", results.groups("operators", "selectivity"), "scalar",
      "memory is the limit: vectors reach it with one core");
  add("aggregates of numbers", results.groups("operators", "aggregates"), "scalar", "the same");
  add("equality of strings", results.groups("strings", "lengths", {{"test", "equality"}}), "scalar",
      "64 rows in a register; early mismatches favour a loop that ends");
  add("prefix of strings", results.groups("strings", "lengths", {{"test", "prefix"}}), "scalar", "the same");
  add("regular expression", results.groups("strings", "lengths", {{"test", "regex"}}), "scalar",
      "every byte is read; refill keeps all lanes busy");
  add("look-ups in an index", results.groups("index", "finds"), "std::lower_bound",
      "many reads of memory in flight");
  add("PRAM programs", results.groups("pram", "growth"), "cores",
      "one or two passes over the data instead of one for each step");
  page.table("The fastest level, in how many of the measured cases, and its gain.", cells);
  page.section("A decision tree for this machine");
  const double one = results.machine("read_rate") / 1e9, all = results.machine("read_rate_all") / 1e9;
  Cells tree{{"if", "then"}, {}, false};
  tree.rows.push_back({"numbers are filtered or added",
                       fmt::format("vectors on one core ({:.1f} GB/s are its limit){}", one,
                                   all > 1.3 * one ? fmt::format(", then threads, up to {:.1f} GB/s", all)
                                                   : "; threads gain little")});
  const auto text = [&](const char* lengths) {
    return fastest_text(results.groups("strings", "lengths", {{"test", "regex"}, {"lengths", lengths}}),
                        "GB/s", gb_per_second);
  };
  tree.rows.push_back({"strings of similar lengths are matched", text("constant")});
  tree.rows.push_back({"strings of very different lengths are matched", text("skewed")});
  const Groups multi = results.groups("index", "multi");
  tree.rows.push_back(
      {"one key is looked up at a time",
       multi.empty() ? "not measured"
                     : fastest_text({multi.front()}, "µs", [](const Json&, double s) { return s * 1e6; })});
  tree.rows.push_back({"many keys are looked up at once",
                       fastest_text(multi, "ns for each key", [](const Json& group, double s) {
                         return s / number(group, "rows") * 1e9;
                       })});
  tree.rows.push_back({"a graph or an array needs a parallel algorithm",
                       "the hand-written one; a PRAM program shows how it works"});
  tree.rows.push_back({"a GPU is there and the data stay on it",
                       results.has_gpu() ? "the GPU" : "measure: no GPU on this machine"});
  page.table("Read from top to bottom.", tree);
}

}  // namespace lanewise::cli::study
