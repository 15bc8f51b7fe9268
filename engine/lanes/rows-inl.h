#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Rows as lanes: a lane holds one row and its private state; lanes end at different times, and a lane that
// ended takes the next row. That algorithm is written here once. What is fast differs, so two steps are the
// group's own: `take` (put rows into lanes) and `walk` (step every lane over a window of its bytes).

#include "lanes/lane.h"

namespace lanewise::lanes {

/// Counts nothing, at no cost. The other model of Tally is Stats.
struct NoTally {
  LANES_FN void refill() {}
  LANES_FN void walk(u64 /*lane_steps*/, u64 /*live_steps*/, u64 /*bytes*/) {}
  static constexpr bool kOn = false;
};

/// Hands every row of `source` to a lane of `group` and calls book(group, k) for each row that matches, in
/// any order, while lane k still holds it.
///
/// A Group has `width` lanes, of which one thread holds `local`, and offers
///   Mask, all             a set of lanes as bits, and the set of all lanes
///   any, count, rank(m,k) of a mask; rank is the number of lanes of m before lane k
///   ballot(f)             the mask of lanes k for which f(k) holds
///   each(m, f)            f(k) for the lanes k of m
///   take(m, source)       lane k of m starts on the row number rank(m, k) that is ready in source
///   walk(busy, tally)     steps the busy lanes, returns those whose row is decided or at its end
///   matches(ended)        those of the lanes `ended` whose row matches
///   row(k), state(k)      the row that lane k holds, and the state that it is in
/// A Source offers ready(n), how many rows can be taken: at least n unless fewer are left; and drop(n).
///
/// Lanes are refilled once fewer than `refill_below` are busy: `width` keeps all busy, 1 waits for the
/// slowest.
template <class Group, class Source, class Book, class Tally>
LANES_FN void run_rows(Group& group, Source& source, u32 refill_below, Book&& book, Tally& tally) {
  using Mask = typename Group::Mask;
  Mask busy = 0;
  for (;;) {
    const u32 held = Group::count(busy);
    if (held < refill_below) {
      const u64 ready = source.ready(Group::width);
      if (ready) {
        Mask idle = Group::all & ~busy;
        u32 taken = Group::width - held;
        if (ready < taken) {
          idle = Group::ballot([&](u32 k) { return (idle >> k & 1) && Group::rank(idle, k) < ready; });
          taken = u32(ready);
        }
        group.take(idle, source);
        source.drop(taken);
        busy |= idle;
        tally.refill();
      }
    }
    if (!Group::any(busy)) return;
    const Mask ended = group.walk(busy, tally);
    Group::each(group.matches(ended), [&](u32 k) { book(group, k); });
    busy &= ~ended;
  }
}

}  // namespace lanewise::lanes
