#include "text/automaton/table.h"

#include <algorithm>
#include <map>

#include "text/automaton/minimise.h"

namespace lanewise::text::automaton {
namespace {

constexpr size_t kMaxStates = 65'000;  // their numbers are 16-bit

std::optional<Table> determinise(const Program& program, Question question, const Limits& limits) {
  const ByteClasses classes = byte_classes(program);
  Determinizer determinizer(program, question);
  Table table;
  table.class_of = classes.class_of;
  table.classes = classes.size();
  table.start = determinizer.start();
  const size_t max_states = std::min(limits.automaton_states, kMaxStates);
  for (Determinizer::State s = 0; s < determinizer.states(); ++s) {
    for (uint8_t byte : classes.member) table.next.push_back(determinizer.step(s, byte));
    const int at_end = determinizer.accepts_at_end(s) ? Table::kAcceptsAtEnd : 0;
    const int before = determinizer.ended_before(s) ? Table::kEndedBefore : 0;
    table.labels.push_back(static_cast<uint8_t>(at_end | before));
    const size_t work = determinizer.work() + table.next.size();
    const size_t bytes = determinizer.memory() + table.next.size() * sizeof(uint16_t);
    if (determinizer.states() > max_states || work > limits.automaton_work ||
        bytes > limits.automaton_bytes) {
      return std::nullopt;
    }
  }
  return table;
}

/// Merges classes whose columns are equal.
void merge_classes(Table& table) {
  std::map<std::vector<uint32_t>, uint8_t> known;
  std::vector<uint8_t> new_class(table.classes);
  std::vector<size_t> kept;
  for (size_t c = 0; c < table.classes; ++c) {
    std::vector<uint32_t> column(table.states());
    for (size_t s = 0; s < column.size(); ++s) column[s] = table.next[s * table.classes + c];
    auto [it, inserted] = known.emplace(std::move(column), static_cast<uint8_t>(known.size()));
    new_class[c] = it->second;
    if (inserted) kept.push_back(c);
  }
  std::vector<uint32_t> next;
  next.reserve(table.states() * kept.size());
  for (size_t s = 0; s < table.states(); ++s) {
    for (size_t c : kept) next.push_back(table.next[s * table.classes + c]);
  }
  table.next = std::move(next);
  table.classes = kept.size();
  for (uint8_t& c : table.class_of) c = new_class[c];
}

/// States reached from the start, in that order, each group of equivalent ones once.
Table minimised(const Table& table) {
  const std::vector<uint32_t> group = group_equivalent(table.next, table.classes, table.labels);
  constexpr uint32_t kUnseen = UINT32_MAX;
  std::vector<uint32_t> number(table.states(), kUnseen);  // of a group
  std::vector<uint32_t> sample;                           // a state of each numbered group
  auto visit = [&](uint32_t state) {
    uint32_t& n = number[group[state]];
    if (n == kUnseen) {
      n = static_cast<uint32_t>(sample.size());
      sample.push_back(state);
    }
    return n;
  };
  Table out;
  out.class_of = table.class_of;
  out.classes = table.classes;
  out.start = visit(table.start);
  for (size_t i = 0; i < sample.size(); ++i) {
    const uint32_t state = sample[i];
    for (size_t c = 0; c < table.classes; ++c)
      out.next.push_back(visit(table.next[state * table.classes + c]));
    out.labels.push_back(table.labels[state]);
  }
  return out;
}

}  // namespace

std::optional<Table> make_table(const Program& program, Question question, const Limits& limits) {
  std::optional<Table> table = determinise(program, question, limits);
  if (!table) return std::nullopt;
  minimise(*table);
  return table;
}

void minimise(Table& table) {
  merge_classes(table);
  table = minimised(table);
  merge_classes(table);
}

bool Table::absorbs(uint32_t state) const {
  const uint32_t* row = next.data() + state * classes;
  return std::all_of(row, row + classes, [state](uint32_t to) { return to == state; });
}

}  // namespace lanewise::text::automaton
