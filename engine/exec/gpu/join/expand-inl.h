#pragma once

#include "exec/gpu/codegen/rows-inl.h"

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
};

inline constexpr u32 kPiece = 1024;
/// Longer ones are for all lanes at once, so that the pairs of a warp's rows can be counted in 32 bits.
inline constexpr u32 kLongestShared = 1 << 20;

/// What warps share; it begins with zeros.
struct PairQueue {
  struct Piece {
    u32 row, number;
  };
  u64 taken;   ///< rows, by kRefill
  u64 pieces;  ///< that wait after this; those beyond Pairs::room found none

  LANES_FN Piece* piece() { return reinterpret_cast<Piece*>(this + 1); }
};

/// Rows that are active, and what a join's probe found for them.
struct Pairs {
  const u32* active;
  u64 rows;
  const u32* found;  ///< by row: its run, or kNoRow
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
  LANES_FN Run run_of(u64 row) const {
    Run run{u32(row), 0, kNoRow};
    if (row >= rows || (active && !(active[row / 32] >> (row & 31) & 1))) return run;
    if (found[row] == kNoRow) {
      run.pairs = least;
      return run;
    }
    const u64 matches = reinterpret_cast<const u64*>(runs)[found[row]];  // by one load
    return {u32(row), u32(matches >> 32), u32(matches)};
  }
#endif
};

#if defined(__CUDACC__)

LANES_FN Run of_lane(const Run& run, u32 lane) {
  return {__shfl_sync(~0u, run.row, lane), __shfl_sync(~0u, run.pairs, lane),
          __shfl_sync(~0u, run.first, lane)};
}

/// All lanes take the pairs of the lanes that have `long_run`, which have none afterwards.
template <class Body>
LANES_FN void take_long(const Pairs& pairs, Run& mine, bool long_run, Body body) {
  for (u32 longs = __ballot_sync(~0u, long_run); longs; longs &= longs - 1) {
    const Run run = of_lane(mine, __ffs(longs) - 1);
    for (u64 number = lane(); number < run.pairs; number += 32) body(run.row, pairs.match(run, u32(number)));
  }
  if (long_run) mine.pairs = 0;
}

/// The lanes of a warp share what each of them has `count` of: all of them call body(lane, number, is_one),
/// the number-th of that lane's, as long as one of them has one.
template <class Body>
LANES_FN void share(u32 count, Body body) {
  u32 end = count;  // of the lane's among those of the warp
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const u32 before = __shfl_up_sync(~0u, end, distance);
    if (lane() >= distance) end += before;
  }
  const u32 start = end - count, all = __shfl_sync(~0u, end, 31);
  for (u32 first = 0; first < all; first += 32) {
    const u32 one = first + lane();
    u32 owner = 0;  // the last lane whose first is `one` or before it
    for (u32 step = 16; step; step /= 2) {
      if (__shfl_sync(~0u, start, owner + step) <= one) owner += step;
    }
    body(owner, one - __shfl_sync(~0u, start, owner), one < all);
  }
}

/// Leaves a long run for for_queued_pairs(). False: there is no room.
LANES_FN bool put_pieces(const Pairs& pairs, const Run& run) {
  PairQueue& queue = *pairs.queue;
  const u64 count = (u64(run.pairs) + kPiece - 1) / kPiece;
  const u64 from = atomicAdd(reinterpret_cast<unsigned long long*>(&queue.pieces), count);
  const bool fits = from + count <= pairs.room;
  for (u64 i = 0; i < count && from + i < pairs.room; i++)
    queue.piece()[from + i] = {fits ? run.row : kNoRow, u32(i)};
  return fits;
}

template <bool kMixed, class Body>
LANES_FN void refill_pairs(const Pairs& pairs, Body body) {
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
      mine = pairs.run_of(row);
      number = 0;
    }
    at = at + __popc(idle) < end ? at + __popc(idle) : end;
    if (kMixed) take_long(pairs, mine, takes && mine.pairs >= kLong, body);
  }
}

/// Calls body(row, match) for each pair. Every lane of the warps that share the rows calls this.
template <PairForm kForm, class Body>
LANES_FN void for_each_pair(const Pairs& pairs, Body body) {
  if constexpr (kForm == PairForm::kRefill || kForm == PairForm::kMixed)
    return refill_pairs<kForm == PairForm::kMixed>(pairs, body);
  for (u64 first = warp() * 32; first < pairs.rows; first += warps() * 32) {
    Run mine = pairs.run_of(first + lane());
    if constexpr (kForm == PairForm::kNaive) {
      for (u32 number = 0; number < mine.pairs; number++) body(mine.row, pairs.match(mine, number));
      continue;
    }
    if (kForm == PairForm::kQueued && mine.pairs >= kPiece && put_pieces(pairs, mine)) mine.pairs = 0;
    take_long(pairs, mine, mine.pairs >= kLongestShared, body);
    share(mine.pairs, [&](u32 owner, u32 number, bool is_pair) {
      const Run run = of_lane(mine, owner);
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
    if (piece.row == kNoRow) continue;
    const Run run = pairs.run_of(piece.row);
    const u64 first = u64(piece.number) * kPiece,
              end = first + kPiece < run.pairs ? first + kPiece : run.pairs;
    for (u64 number = first + lane(); number < end; number += 32)
      body(run.row, pairs.match(run, u32(number)));
  }
}

#endif

}  // namespace lanewise::kernel
