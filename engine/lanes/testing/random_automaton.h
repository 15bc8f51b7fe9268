#pragma once

#include <random>
#include <vector>

#include "lanes/automata/automaton.h"
#include "lanes/lane.h"

namespace lanewise::lanes {

/// An automaton with random transitions, with or without a dead state, a match state and states that accept
/// at the end.
class RandomAutomaton {
 public:
  struct Shape {
    u32 states, classes;
    bool dead, match, end_accept;
    u32 runs = 0;  ///< bytes change class this often; 0: each byte's class is random
  };

  RandomAutomaton(const Shape& shape, std::mt19937& random) : next_(shape.states * shape.classes) {
    const u32 n = shape.states;
    for (u32 b = 0; b < 256; b++) {
      const bool same = shape.runs && b % (256 / shape.runs) != 0;
      class_of_[b] = same ? class_of_[b - 1] : u8(random() % shape.classes);
    }
    view_ = {class_of_, next_.data(), n, shape.classes, 0, n, n, n};
    if (shape.match) view_.match = n - 1;
    if (shape.dead) view_.dead = random() % (shape.match ? n - 1 : n) / 2;
    view_.end_accept = view_.match;
    if (shape.end_accept && view_.match > view_.dead % n + 1) {
      view_.end_accept = view_.match - 1 - random() % (view_.match - (shape.dead ? view_.dead + 1 : 0)) / 2;
    }
    view_.start = random() % n;
    for (u32 s = 0; s < n; s++) {
      for (u32 c = 0; c < shape.classes; c++) {
        u32 to = random() % n;
        if ((to == view_.dead || to >= view_.match) && random() % 8)
          to = random() % n;  // most rows stay undecided temporarily
        next_[s * shape.classes + c] = u16(s == view_.dead || s >= view_.match ? s : to);
      }
    }
  }
  RandomAutomaton(const RandomAutomaton&) = delete;
  const AutomatonView& view() const { return view_; }

 private:
  u8 class_of_[256];
  std::vector<u16> next_;
  AutomatonView view_;
};

/// The oracle for one row: all of its bytes, no early exit.
inline bool accepts(const AutomatonView& a, const u8* at, const u8* end) {
  u32 state = a.start;
  for (; at != end; at++) state = a.next[state * a.classes + a.class_of[*at]];
  return state >= a.end_accept;
}

}  // namespace lanewise::lanes
