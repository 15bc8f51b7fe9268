#include "text/automaton/minimise.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace lanewise::text::automaton {
namespace {

/// States in groups; a group's marked members are at its front and can be split off.
class Partition {
 public:
  explicit Partition(const std::vector<uint8_t>& labels)
      : order_(labels.size()),
        place_(labels.size()),
        group_(labels.size(), 0),
        groups_(1, {0, labels.size(), 0}) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
    for (uint8_t label = 1; label <= *std::ranges::max_element(labels); ++label) {
      uint32_t group = UINT32_MAX;
      for (uint32_t s = 0; s < labels.size(); ++s) {
        if (labels[s] != label) continue;
        mark(s);
        group = group_[s];
      }
      if (group != UINT32_MAX) split(group);
    }
  }

  struct Group {
    size_t first;
    size_t end;
    size_t marked;  // members order_[first .. first + marked)
  };

  size_t size() const { return groups_.size(); }
  uint32_t group_of(uint32_t state) const { return group_[state]; }
  std::span<const uint32_t> members(uint32_t group) const {
    return {order_.data() + groups_[group].first, groups_[group].end - groups_[group].first};
  }

  /// True if it is the first mark in its group.
  bool mark(uint32_t state) {
    Group& g = groups_[group_[state]];
    const size_t to = g.first + g.marked;
    if (place_[state] < to) return false;
    std::swap(order_[to], order_[place_[state]]);
    place_[order_[place_[state]]] = place_[state];
    place_[state] = to;
    return g.marked++ == 0;
  }

  /// Separates marked from unmarked members; the smaller part becomes a new group, whose number is returned.
  /// The old number if there is nothing to separate.
  uint32_t split(uint32_t group) {
    Group& g = groups_[group];
    const size_t marked = std::exchange(g.marked, 0);
    if (marked == 0 || marked == g.end - g.first) return group;
    Group part{g.first, g.first + marked, 0};
    if (marked <= (g.end - g.first) / 2) {
      g.first = part.end;
    } else {
      part = {part.end, g.end, 0};
      g.end = part.first;
    }
    const auto made = static_cast<uint32_t>(groups_.size());
    for (size_t i = part.first; i < part.end; ++i) group_[order_[i]] = made;
    groups_.push_back(part);
    return made;
  }

  std::vector<uint32_t> take_groups() { return std::move(group_); }

 private:
  std::vector<uint32_t> order_;
  std::vector<size_t> place_;
  std::vector<uint32_t> group_;
  std::vector<Group> groups_;
};

/// For each class and state the states that lead there.
class Predecessors {
 public:
  Predecessors(const std::vector<uint32_t>& next, size_t classes)
      : states_(next.size() / classes), first_(next.size() + 1, 0), from_(next.size()) {
    for (size_t i = 0; i < next.size(); ++i) ++first_[index(i % classes, next[i]) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<uint32_t> fill(first_.begin(), first_.end() - 1);
    for (size_t i = 0; i < next.size(); ++i) {
      from_[fill[index(i % classes, next[i])]++] = static_cast<uint32_t>(i / classes);
    }
  }
  std::span<const uint32_t> of(size_t c, uint32_t state) const {
    const size_t i = index(c, state);
    return {from_.data() + first_[i], first_[i + 1] - first_[i]};
  }

 private:
  size_t index(size_t c, uint32_t state) const { return c * states_ + state; }

  size_t states_;
  std::vector<uint32_t> first_;
  std::vector<uint32_t> from_;
};

}  // namespace

std::vector<uint32_t> group_equivalent(const std::vector<uint32_t>& next, size_t classes,
                                       const std::vector<uint8_t>& labels) {
  Partition partition(labels);
  const Predecessors predecessors(next, classes);

  std::vector<uint32_t> splitters(partition.size());
  std::iota(splitters.begin(), splitters.end(), 0);
  std::vector<uint32_t> members, touched;
  while (!splitters.empty()) {
    const uint32_t splitter = splitters.back();
    splitters.pop_back();
    // A copy: the splitter may itself be split meanwhile.
    members.assign(partition.members(splitter).begin(), partition.members(splitter).end());
    for (size_t c = 0; c < classes; ++c) {
      touched.clear();
      for (uint32_t state : members) {
        for (uint32_t from : predecessors.of(c, state)) {
          if (partition.mark(from)) touched.push_back(partition.group_of(from));
        }
      }
      for (uint32_t group : touched) {
        const uint32_t made = partition.split(group);
        // `made` is the smaller part, which is enough; if the old group is still queued, both parts are
        // queued now.
        if (made != group) splitters.push_back(made);
      }
    }
  }
  return partition.take_groups();
}

}  // namespace lanewise::text::automaton
