#pragma once

// Freestanding: this text is compiled by NVRTC.

#include "lanes/lane.h"

namespace lanewise::lanes {

inline constexpr u32 kShort = 128;  // bytes: a lane that starts such a row last delays the others little

#if defined(__CUDACC__)

inline constexpr u32 kNoPlace = ~0u;

/// The late row among the last `look` places of `source`, counted from its end, that this lane takes first:
/// one that would keep a lane busy for longer than all lanes need for the rows after it; or kNoPlace.
template <class Source>
LANES_FN u32 late_place(const Source& source, u32 look) {
  constexpr u32 kAtOnce = 4;       // loads that a lane issues together
  constexpr u32 kLong = 1u << 21;  // bytes: longer rows are capped, so that sums fit 32 bits
  const u32 lane = threadIdx.x & 31, places = source.places();
  u32 mine = kNoPlace, count = 0, behind = 0;  // `behind`: bytes
#pragma unroll 1
  for (u32 first = 0; first < look && first < places; first += 32 * kAtOnce) {
    u32 lengths[kAtOnce];
#pragma unroll
    for (u32 k = 0; k < kAtOnce; k++) {
      const u32 n = first + 32 * k + lane;
      lengths[k] = 0;
      if (n >= places || !source.asks(n)) continue;
      const u64 row = source.late(n), bytes = source.end(row) - source.begin(row);
      lengths[k] = bytes < kLong ? u32(bytes) : kLong;
    }
#pragma unroll
    for (u32 k = 0; k < kAtOnce; k++) {
      behind += __reduce_add_sync(~0u, lengths[k]);
      u32 late = __ballot_sync(~0u, lengths[k] > kShort && (lengths[k] - kShort) * 32 > behind);
#pragma unroll 1
      for (; late; late &= late - 1, count++) {  // from the 33rd on they are taken in order
        if (lane == count) mine = first + 32 * k + __ffs(late) - 1;
      }
    }
  }
  return mine;
}

/// A source with one row, this lane's late one.
template <class Source>
struct LateRow {
  const Source& source;
  u32 place;

  LANES_FN u64 row(u64 /*i*/) const { return source.late(place); }
  LANES_FN u64 begin(u64 row) const { return source.begin(row); }
  LANES_FN u64 end(u64 row) const { return source.end(row); }
};

/// Puts late rows of a warp's source into lanes before any other. Taken in order, they would keep some
/// lanes busy at the source's end while the others are idle. Returns the lanes that hold one.
///
/// The source also offers places(), an upper bound of its rows; for the n-th place from its end
/// `asks(n)`, whether it has a row there, and late(n), its number; and leave_out(n), which removes
/// it: n is each lane's own, or kNoPlace. All of this is called before rows are taken.
template <class Group, class Source>
LANES_FN u32 take_late(Group& group, Source& source, u32 look) {
  const u32 place = late_place(source, look);
  const u32 lanes = __ballot_sync(~0u, place != kNoPlace);
  group.take(lanes, LateRow<Source>{source, place});
  source.leave_out(place);
  return lanes;
}

#endif

}  // namespace lanewise::lanes
