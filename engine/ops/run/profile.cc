#include "ops/run/profile.h"

#include <unordered_map>

namespace lanewise::ops {

namespace {

std::string title(const plan::Node& node) {
  std::string text = plan::name(node.payload);
  if (const auto* scan = std::get_if<plan::Scan>(&node.payload)) text += " " + scan->source->name();
  return text;
}

bool computes(const plan::Node& node) {
  const auto* scan = std::get_if<plan::Scan>(&node.payload);
  if (scan != nullptr) return !scan->predicates.empty();
  return !node.children.empty() && !std::holds_alternative<plan::UnionAll>(node.payload) &&
         !std::holds_alternative<plan::Cte>(node.payload);
}

/// The target of the plan, and those of its matchers if they differ.
std::string targets_text(lanes::Target target, const lanes::Stats& stats) {
  std::string text(lanes::name(target));
  for (lanes::Target other : lanes::kTargets) {
    if (other != target && stats.ran(other)) text.append(", ").append(lanes::name(other));
  }
  return text;
}

/// Nodes that only pass rows on are in no pipeline; their row counts follow from the nodes below.
class PassedOn {
 public:
  PassedOn(const std::vector<plan::Line>& lines, std::vector<Counters>& counters)
      : lines_(lines), counters_(counters) {}

  void fill() {
    size_t line = 0;
    while (line < lines_.size()) line = visit(line);
  }

 private:
  /// Fills in the subtree at `line`, returns the line after it.
  size_t visit(size_t line) {
    const plan::Node& node = *lines_[line].node;
    std::vector<size_t> children;
    size_t next = line + 1;
    for (size_t i = 0; i < node.children.size(); ++i) {
      children.push_back(next);
      next = visit(next);
      if (const auto* cte = std::get_if<plan::Cte>(&node.payload); cte != nullptr && i == 0)
        definition_[cte->id] = children[0];
    }
    uint64_t rows = 0;
    if (std::holds_alternative<plan::UnionAll>(node.payload)) {
      for (size_t child : children) rows += counters_[child].rows_out;
    } else if (std::holds_alternative<plan::Cte>(node.payload)) {
      rows = counters_[children[1]].rows_out;
    } else if (const auto* ref = std::get_if<plan::CteRef>(&node.payload);
               ref && counters_[line].rows_out == 0) {
      rows = counters_[definition_[ref->id]].rows_out;
    } else {
      return next;
    }
    counters_[line].rows_in = counters_[line].rows_out = rows;
    return next;
  }

  const std::vector<plan::Line>& lines_;
  std::vector<Counters>& counters_;
  std::unordered_map<uint64_t, size_t> definition_;
};

}  // namespace

std::vector<OperatorProfile> make_profile(const std::vector<plan::Line>& lines,
                                          std::vector<Counters> counters, const KeyNotes& keys,
                                          const Options& options) {
  PassedOn(lines, counters).fill();
  std::vector<OperatorProfile> profile;
  for (size_t i = 0; i < lines.size(); ++i) {
    OperatorProfile& line = profile.emplace_back();
    line.name = title(*lines[i].node);
    line.details = plan::details(*lines[i].node);
    const auto noted = keys.find(std::get_if<plan::Join>(&lines[i].node->payload));
    if (noted != keys.end()) line.keys = noted->second;
    if (options.profile_lanes) line.matchers = plan::matchers(*lines[i].node, options.target, options.tuning);
    if (computes(*lines[i].node)) line.target = targets_text(options.target, counters[i].lanes);
    if (counters[i].lanes.lane_steps != 0) line.occupancy = counters[i].lanes.occupancy();
    line.depth = lines[i].depth;
    line.rows_in = counters[i].rows_in;
    line.rows_out = counters[i].rows_out;
    line.bytes = counters[i].bytes;
    line.nanos = counters[i].nanos;
  }
  return profile;
}

}  // namespace lanewise::ops
