#include "text/captures/engines/match_starts.h"

#include <algorithm>

#include "base/bits.h"
#include "base/error.h"

namespace lanewise::text::captures {

using automaton::Table;

std::optional<MatchStarts> MatchStarts::make(const syntax::Ast& ast, const Limits& limits) {
  try {
    const automaton::Program backward = compile_program(ast, limits, automaton::Direction::kBackward);
    if (backward.assertions & syntax::kCharBoundary) return std::nullopt;  // used by LIKE; only looks forward
    if (backward.assertions & syntax::kUnicodeAssertions) return std::nullopt;  // may be false matches
    const std::optional<Table> table = make_table(backward, automaton::Question::kEnds, limits);
    if (table) return MatchStarts(*table);
  } catch (const UserError&) {
    // The reversed pattern is too large; other methods remain.
  }
  return std::nullopt;
}

MatchStarts::MatchStarts(const Table& table)
    : class_of_(table.class_of), classes_(static_cast<uint32_t>(table.classes)) {
  std::vector<uint32_t> order(table.states());
  for (uint32_t s = 0; s < order.size(); ++s) order[s] = s;
  const auto ended = [&](uint32_t s) { return (table.labels[s] & Table::kEndedBefore) != 0; };
  const auto split = std::stable_partition(order.begin(), order.end(), [&](uint32_t s) { return !ended(s); });
  first_ended_ = static_cast<uint32_t>(split - order.begin()) * classes_;

  std::vector<uint32_t> row(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) row[order[i]] = i * classes_;
  start_ = row[table.start];
  dead_ = static_cast<uint32_t>(order.size()) * classes_;
  for (uint32_t s : order) {
    if (table.absorbs(s) && table.labels[s] == 0) dead_ = row[s];
    at_end_.push_back((table.labels[s] & Table::kAcceptsAtEnd) != 0);
    for (uint32_t c = 0; c < classes_; ++c) next_.push_back(row[table.next[s * classes_ + c]]);
  }
}

/// Calls found(place) for each position >= from where a match starts, last one first.
template <class Found>
void MatchStarts::scan(std::string_view text, size_t from, const Found& found) const {
  uint32_t state = start_;
  for (size_t at = text.size(); at > from; --at) {
    state = next_[state + class_of_[static_cast<uint8_t>(text[at - 1])]];
    if (state >= first_ended_) found(at);
    if (state == dead_) return;
  }
  if (from == 0) {
    if (at_end_[state / classes_]) found(0);
  } else if (next_[state + class_of_[static_cast<uint8_t>(text[from - 1])]] >= first_ended_) {
    found(from);
  }
}

size_t MatchStarts::first(std::string_view text, size_t from) const {
  size_t place = std::string_view::npos;
  scan(text, from, [&](size_t at) { place = at; });
  return place;
}

void MatchStarts::all(std::string_view text, uint64_t* starts) const {
  scan(text, 0, [&](size_t at) { bits::set(starts, at); });
}

}  // namespace lanewise::text::captures
