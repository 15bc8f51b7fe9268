#pragma once

#include "lanes/automata/automaton.h"
#include "lanes/tables/tables-inl.h"

namespace lanewise::lanes {

/// States in the order that lanes require: the dead state, if there is one, is state 0.
struct Renumbered {
  const AutomatonView& a;
  bool has_dead = a.dead < a.states;

  u32 to_new(u32 state) const {
    if (!has_dead || state > a.dead) return state;
    return state == a.dead ? 0 : state + 1;
  }
  /// For states that are multiplied by `scale`.
  Verdicts verdicts(u32 scale) const {
    return {to_new(a.start) * scale, a.end_accept * scale, has_dead, a.match * scale - has_dead};
  }
};

}  // namespace lanewise::lanes
