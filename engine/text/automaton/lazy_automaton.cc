#include "text/automaton/lazy_automaton.h"

namespace lanewise::text::automaton {

LazyAutomaton::LazyAutomaton(const Program& program, const ByteClasses& classes, Question question,
                             size_t cache_bytes)
    : classes_(classes),
      cache_bytes_(cache_bytes),
      determinizer_(program, question),
      start_(determinizer_.start()) {
  add_rows();
}

void LazyAutomaton::add_rows() {
  next_.resize(determinizer_.states() * classes_.size(), kUnknown);
  at_end_.resize(determinizer_.states(), 2);
}

LazyAutomaton::State LazyAutomaton::make_step(State state, uint8_t byte) {
  State to = determinizer_.step(state, byte);
  if (determinizer_.memory() + next_.size() * sizeof(State) <= cache_bytes_) {
    add_rows();
    next_[state * classes_.size() + classes_.class_of[byte]] = to;
    return to;
  }
  ++flushes_;
  to = determinizer_.forget_all_but(to);
  start_ = kUnknown;
  next_.clear();
  at_end_.clear();
  add_rows();
  return to;
}

bool LazyAutomaton::accepts_at_end(State state) {
  if (at_end_[state] == 2) at_end_[state] = determinizer_.accepts_at_end(state);
  return at_end_[state] == 1;
}

bool LazyAutomaton::matches(std::string_view text) {
  if (start_ == kUnknown) {
    start_ = determinizer_.start();
    add_rows();
  }
  State state = start_;
  for (char c : text) {
    if (state <= Determinizer::kMatch) break;
    const auto byte = static_cast<uint8_t>(c);
    const State to = next_[state * classes_.size() + classes_.class_of[byte]];
    state = to != kUnknown ? to : make_step(state, byte);
  }
  return accepts_at_end(state);
}

}  // namespace lanewise::text::automaton
