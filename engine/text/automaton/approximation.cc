#include "text/automaton/approximation.h"

#include <algorithm>
#include <vector>

#include "text/automaton/table.h"

namespace lanewise::text::automaton {
namespace {

/// All states except the dead one, by distance from the start; the first is the start.
std::vector<unsigned> by_distance(const CompleteAutomaton& automaton) {
  std::vector<bool> seen(automaton.states);
  std::vector<unsigned> order;
  const auto reach = [&](unsigned state) {
    if (state != automaton.dead && !seen[state]) order.push_back(state), seen[state] = true;
  };
  reach(automaton.start);
  for (size_t i = 0; i < order.size(); ++i) {
    for (unsigned c = 0; c < automaton.classes; ++c) reach(automaton.next[order[i] * automaton.classes + c]);
  }
  return order;
}

/// The first `kept` states of the order, the dead state, and one that matches for all others.
Table cut(const CompleteAutomaton& automaton, const std::vector<unsigned>& order, size_t kept) {
  constexpr uint32_t kDead = 0, kMatch = 1, kFirst = 2;
  std::vector<uint32_t> number(automaton.states, kMatch);
  if (automaton.dead < automaton.states) number[automaton.dead] = kDead;
  Table table;
  table.class_of = automaton.class_of;
  table.classes = automaton.classes;
  table.start = kFirst;
  table.labels = {0, Table::kAcceptsAtEnd};
  table.next.assign(automaton.classes, kDead);
  table.next.resize(2 * automaton.classes, kMatch);
  for (size_t i = 0; i < kept; ++i) number[order[i]] = kFirst + static_cast<uint32_t>(i);
  for (size_t i = 0; i < kept; ++i) {
    table.labels.push_back(order[i] >= automaton.end_accept ? Table::kAcceptsAtEnd : 0);
    for (unsigned c = 0; c < automaton.classes; ++c)
      table.next.push_back(number[automaton.next[order[i] * automaton.classes + c]]);
  }
  return table;
}

}  // namespace

std::optional<CompleteAutomaton> approximate(const CompleteAutomaton& exact,
                                             const std::function<bool(const CompleteAutomaton&)>& fits) {
  constexpr size_t kMost = 256, kFewest = 3;
  const std::vector<unsigned> order = by_distance(exact);
  for (size_t kept = std::min(order.size(), kMost); kept >= kFewest; kept -= std::max<size_t>(kept / 8, 1)) {
    Table table = cut(exact, order, kept);
    minimise(table);
    CompleteAutomaton made = numbered(table);
    if (fits(made)) return made;
  }
  return std::nullopt;
}

}  // namespace lanewise::text::automaton
