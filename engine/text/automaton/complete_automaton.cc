#include "text/automaton/complete_automaton.h"

#include "text/automaton/table.h"

namespace lanewise::text::automaton {

/// Orders states: those that accept at the end after the others, and those that match in any case last.
CompleteAutomaton numbered(const Table& table) {
  const auto states = static_cast<uint32_t>(table.states());
  std::vector<uint32_t> order, accepting, matching;
  std::optional<uint32_t> dead;
  for (uint32_t s = 0; s < states; ++s) {
    const bool accepts = table.labels[s] != 0, absorbs = table.absorbs(s);
    if (absorbs && !accepts) dead = s;
    (!accepts ? order : absorbs ? matching : accepting).push_back(s);
  }
  CompleteAutomaton out;
  out.class_of = table.class_of;
  out.states = states;
  out.classes = static_cast<unsigned>(table.classes);
  out.end_accept = static_cast<unsigned>(order.size());
  order.insert(order.end(), accepting.begin(), accepting.end());
  out.match = static_cast<unsigned>(order.size());
  order.insert(order.end(), matching.begin(), matching.end());
  for (uint32_t s : order) out.labels.push_back(table.labels[s]);

  std::vector<uint16_t> number(states);
  for (uint32_t i = 0; i < states; ++i) number[order[i]] = static_cast<uint16_t>(i);
  out.start = number[table.start];
  out.dead = dead ? number[*dead] : states;
  out.next.reserve(table.next.size());
  for (uint32_t s : order) {
    for (size_t c = 0; c < table.classes; ++c) out.next.push_back(number[table.next[s * table.classes + c]]);
  }
  return out;
}

std::optional<CompleteAutomaton> complete(const Program& program, Question question, const Limits& limits) {
  const std::optional<Table> table = make_table(program, question, limits);
  return table ? std::optional(numbered(*table)) : std::nullopt;
}

unsigned CompleteAutomaton::last_state(std::string_view text) const {
  unsigned state = start;
  for (char c : text) {
    if (state >= match || state == dead) break;
    state = next[state * classes + class_of[static_cast<uint8_t>(c)]];
  }
  return state;
}

}  // namespace lanewise::text::automaton
