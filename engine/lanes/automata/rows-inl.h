#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Rows as lanes: a lane holds one row and its private state; lanes finish at different times, and a lane that
// has finished takes the next row. That algorithm is written here once. The fastest code differs, so two
// steps are specific to each group: `take` (put rows into lanes) and `walk` (step every lane over a window of
// its bytes).

#include "lanes/lane.h"

namespace lanewise::lanes {

/// Counts nothing, at no cost. The other implementation of Tally is StatsTally.
struct NoTally {
  LANES_FN void refill() {}
  LANES_FN void walk(u64 /*lane_steps*/, u64 /*live_steps*/, u64 /*bytes*/) {}
  static constexpr bool kOn = false;
};

/// Fills idle lanes, steps all and stores results; false if there was nothing to do.
template <class Group, class Source, class Book, class Tally>
LANES_FN bool turn(Group& group, typename Group::Mask& busy, Source& source, u32 refill_below, Book& book,
                   Tally& tally) {
  using Mask = typename Group::Mask;
  const u32 held = Group::count(busy);
  if (held < refill_below) {
    const auto ready = source.ready(Group::width);
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
  if (!Group::any(busy)) return false;
  const Mask ended = group.walk(busy, tally);
  Group::each(group.matches(ended), [&](u32 k) { book(group, k); });
  busy &= ~ended;
  return true;
}

/// Assigns every row of `source` to a lane of `group` and calls book(group, k) for each row that matches, in
/// any order, while lane k still holds it.
///
/// A Group has `width` lanes, of which one thread holds `local`, and offers
///   Mask, all             a set of lanes as bits, and the set of all lanes
///   any, count, rank(m,k) for a mask; rank is the number of lanes of m before lane k
///   ballot(f)             the mask of lanes k for which f(k) holds
///   each(m, f)            f(k) for the lanes k of m
///   take(m, source)       lane k of m starts on available row number rank(m, k) of source
///   walk(busy, tally)     steps the busy lanes, returns those whose row is decided or at its end
///   matches(ended)        the lanes of `ended` whose row matches
///   row(k), state(k)      the row that lane k holds, and its state
/// A Source offers ready(n), the number of available rows: at least n unless fewer are left, or its rows have
/// a gap there, and none only at its end; drop(n); and for two groups left(), an upper bound of the rest.
///
/// Lanes are refilled once fewer than `refill_below` are busy: `width` keeps all busy, 1 waits for the
/// slowest. The lanes of `busy` already hold rows.
template <class Group, class Source, class Book, class Tally>
LANES_FN void run_rows(Group& group, Source& source, u32 refill_below, Book&& book, Tally& tally,
                       typename Group::Mask busy = 0) {
  while (turn(group, busy, source, refill_below, book, tally)) {
  }
}

/// The same with two groups that take turns: while one waits for its steps, a core starts the other's. The
/// second stops taking rows early, so that its long rows end together with the first's.
template <class Group, class Source, class Book, class Tally>
LANES_FN void run_rows(Group& first, Group& other, Source& source, u32 refill_below, Book&& book,
                       Tally& tally) {
  constexpr u64 kLast = 32 * Group::width;
  typename Group::Mask busy = 0, others = 0;
  for (;;) {
    const bool more = turn(first, busy, source, refill_below, book, tally);
    if (!turn(other, others, source, source.left() > kLast ? refill_below : 0, book, tally) && !more) return;
  }
}

}  // namespace lanewise::lanes
