#pragma once

#include "ops/join/gpu/join-inl.h"

/// Pairs that a kernel uses where it makes them: of rows, and the runs of a build side that they found. All
/// five forms give the same pairs, in different orders.
namespace lanewise::kernel {

/// How the lanes of a warp come to their pairs.
enum class PairForm : u32 {
  kNaive,     ///< each takes those of its row, one after the other, and waits for the longest run
  kRefill,    ///< the same, but lanes that are done take new rows meanwhile
  kBalanced,  ///< they share the pairs of 32 rows, whatever rows those are of
  kMixed,     ///< kRefill, but runs of 32 and more are for all lanes at once
  kQueued     ///< kBalanced, but runs of kPiece and more become pieces for for_queued_pairs()
};

/// Pairs of a row. Their matches stand side by side in the order of runs.
struct Run {
  u32 row, pairs;
  u32 first;  ///< kNoRow: the row's only pair has no match

#if defined(__CUDACC__)
  /// That of another lane, without the number of its pairs.
  LANES_FN Run of_lane(u32 lane) const {
    return {__shfl_sync(~0u, row, lane), 0, __shfl_sync(~0u, first, lane)};
  }
#endif
};

/// Where all runs are this long at most, and about equal, lanes that take their own pairs are quickest.
inline constexpr u32 kShortRun = 8;
inline constexpr u32 kPiece = 1024;
/// Longer ones are for all lanes at once, so that the pairs of a warp's rows can be counted in 32 bits.
inline constexpr u32 kLongestShared = 1 << 20;

/// What warps share; it begins with zeros.
struct PairQueue {
  using Piece = Run;
  u64 taken;   ///< rows, by kRefill
  u64 pieces;  ///< that wait after this; those beyond Pairs::room found none

  LANES_FN Piece* piece() { return reinterpret_cast<Piece*>(this + 1); }
};

/// Rows that are active, and the runs that a join's probe may find for them.
struct Pairs {
  const u32* active;
  u64 rows;
  const u32* found;  ///< by row: its run, or kNoRow; absent where the kernel itself looks for it
  const Matches* runs;
  const u32* order;  ///< rows in the order of runs; absent: they are in that order
  u32 least;         ///< pairs of a row without a match
  PairQueue* queue;
  u32 room;  ///< for pieces

  LANES_FN u32 match(const Run& run, u32 number) const {
    if (run.first == kNoRow) return kNoRow;
    return order ? order[run.first + number] : run.first + number;
  }

#if defined(__CUDACC__)
  /// The row's matches, as `found` has them.
  LANES_FN bool find(u64 row, Matches& matches) const {
    if (found[row] != kNoRow) matches = matches_at(runs, found[row]);
    return true;
  }
  /// find(row, matches) gives the row's matches. False: the row has no pairs.
  template <class Find>
  LANES_FN Run run_of(u64 row, Find find) const {
    const Run none{u32(row), 0, kNoRow};
    if (row >= rows || (active && !(active[row / 32] >> (row & 31) & 1))) return none;
    Matches matches{0, 0};
    if (!find(row, matches)) return none;
    if (matches.count == 0) return {u32(row), least, kNoRow};
    return {u32(row), matches.count, matches.first};
  }
#endif
};

#if defined(__CUDACC__)

/// All lanes take the pairs of the lanes that have `long_run`, which have none afterwards.
template <class Body>
LANES_FN void take_long(const Pairs& pairs, Run& mine, bool long_run, Body body) {
  for (u32 longs = __ballot_sync(~0u, long_run); longs; longs &= longs - 1) {
    const u32 owner = __ffs(longs) - 1, count = __shfl_sync(~0u, mine.pairs, owner);
    const Run run = mine.of_lane(owner);
    for (u64 number = lane(); number < count; number += 32) body(run.row, pairs.match(run, u32(number)));
  }
  if (long_run) mine.pairs = 0;
}

/// The place of the bit that is set and has `number` others before it.
LANES_FN u32 place_of_bit(u32 bits, u32 number) {
  u32 place = 0;
  for (u32 step = 16; step; step /= 2) {
    if (u32(__popc(bits & ((1u << (place + step)) - 1))) <= number) place += step;
  }
  return place;
}

/// The lanes of a warp share the pairs of their runs: all of them call body(run, number, is_pair) for the
/// number-th of that run, as long as one of them has one.
template <class Of, class Body>
LANES_FN void share(const Of& run, Body body) {
  u32 end = run.pairs;  // of the lane's among those of the warp
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const u32 before = __shfl_up_sync(~0u, end, distance);
    if (lane() >= distance) end += before;
  }
  const u32 all = __shfl_sync(~0u, end, 31);
  // Lanes without pairs come last, so that a pair's owner is the number of runs that began before it.
  const u32 some = __ballot_sync(~0u, run.pairs != 0), from = place_of_bit(some, lane());
  const u32 start = __shfl_sync(~0u, end - run.pairs, from);
  const Of mine = run.of_lane(from);
  const bool has_pairs = lane() < u32(__popc(some));
  u32 begun = 0;
  for (u32 first = 0; first < all; first += 32) {
    const u32 ahead = start - first;
    const u32 begin = __reduce_or_sync(~0u, has_pairs && ahead < 32 ? 1u << ahead : 0);
    const u32 owner = begun + __popc(begin & (~0u >> (31 - lane()))) - 1;
    begun += __popc(begin);
    const u32 one = first + lane(), number = one - __shfl_sync(~0u, start, owner);
    body(mine.of_lane(owner), number, one < all);
  }
}

/// Leaves a long run for for_queued_pairs(). False: there is no room.
LANES_FN bool put_pieces(const Pairs& pairs, const Run& run) {
  PairQueue& queue = *pairs.queue;
  const u64 count = (u64(run.pairs) + kPiece - 1) / kPiece;
  const u64 from = atomicAdd(reinterpret_cast<unsigned long long*>(&queue.pieces), count);
  const bool fits = from + count <= pairs.room;
  for (u64 i = 0; i < count && from + i < pairs.room; i++) {
    const u32 before = u32(i) * kPiece, left = run.pairs - before;
    queue.piece()[from + i] = {run.row, !fits ? 0 : left < kPiece ? left : kPiece, run.first + before};
  }
  return fits;
}

template <bool kMixed, class Find, class Body>
LANES_FN void refill_pairs(const Pairs& pairs, Find find, Body body) {
  constexpr u32 kRowsOfWarp = 1024, kBelow = 24, kLong = 32;
  Run mine{0, 0, kNoRow};
  u32 number = 0;  // of the lane's next pair
  u64 at = 0, end = 0;
  for (bool more = true;;) {
    const u32 busy = __ballot_sync(~0u, number < mine.pairs);
    if (!more && !busy) return;
    if (!more || __popc(busy) >= kBelow) {
      for (u32 i = 0; i < 4; i++) {
        if (number < mine.pairs) body(mine.row, pairs.match(mine, number++));
      }
      continue;
    }
    if (at == end) {
      if (lane() == 0)
        at = atomicAdd(reinterpret_cast<unsigned long long*>(&pairs.queue->taken), kRowsOfWarp);
      at = __shfl_sync(~0u, at, 0);
      end = at + kRowsOfWarp < pairs.rows ? at + kRowsOfWarp : pairs.rows;
      more = at < pairs.rows;
      if (!more) continue;
    }
    const u32 idle = ~busy;
    const u64 row = at + __popc(idle & ((1u << lane()) - 1));
    const bool takes = (idle >> lane() & 1) && row < end;
    if (takes) {
      mine = pairs.run_of(row, find);
      number = 0;
    }
    at = at + __popc(idle) < end ? at + __popc(idle) : end;
    if (kMixed) take_long(pairs, mine, takes && mine.pairs >= kLong, body);
  }
}

/// Calls body(row, match) for each pair of rows and the runs that `find` finds, as Pairs::run_of() calls it.
/// Every lane of the warps that share the rows calls this.
template <PairForm kForm, class Find, class Body>
LANES_FN void for_each_pair(const Pairs& pairs, Find find, Body body) {
  if constexpr (kForm == PairForm::kRefill || kForm == PairForm::kMixed)
    return refill_pairs<kForm == PairForm::kMixed>(pairs, find, body);
  for (u64 first = warp() * 32; first < pairs.rows; first += warps() * 32) {
    Run mine = pairs.run_of(first + lane(), find);
    if constexpr (kForm == PairForm::kNaive) {
      for (u32 number = 0; number < mine.pairs; number++) body(mine.row, pairs.match(mine, number));
      continue;
    }
    if (kForm == PairForm::kQueued && mine.pairs >= kPiece && put_pieces(pairs, mine)) mine.pairs = 0;
    take_long(pairs, mine, mine.pairs >= kLongestShared, body);
    share(mine, [&](const Run& run, u32 number, bool is_pair) {
      if (is_pair) body(run.row, pairs.match(run, number));
    });
  }
}

/// The same for the pieces that for_each_pair<kQueued>() of another kernel has left.
template <class Body>
LANES_FN void for_queued_pairs(const Pairs& pairs, Body body) {
  PairQueue& queue = *pairs.queue;
  const u64 pieces = queue.pieces < pairs.room ? queue.pieces : pairs.room;
  for (u64 i = warp(); i < pieces; i += warps()) {
    const PairQueue::Piece piece = queue.piece()[i];
    for (u32 number = lane(); number < piece.pairs; number += 32) body(piece.row, pairs.match(piece, number));
  }
}

#endif

}  // namespace lanewise::kernel
