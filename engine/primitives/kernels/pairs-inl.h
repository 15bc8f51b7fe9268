#pragma once

#include "primitives/kernels/blocks-inl.h"
#include "primitives/pair_kernels.h"

/// Pairs in vectors of Isa::kBytes. Isa defines permute(v, index), gather(from, index), compress(v, mask) and
/// prefix(mask), the number of bits set up to each lane; expand(old, v, mask) where there is an instruction.
namespace lanewise::kernels {

template <class Isa>
inline constexpr u32 kPairLanes = Isa::kBytes / 4;
template <class Isa>
using PairVector = Vector<u32, kPairLanes<Isa>>;

template <class Isa>
LANES_FN PairVector<Isa> lane_numbers() {
  PairVector<Isa> numbers;
  LANES_UNROLL for (u32 k = 0; k < kPairLanes<Isa>; k++) numbers[k] = k;
  return numbers;
}

/// The lanes of the mask take the first values of v, the others keep theirs.
template <class Isa>
LANES_FN PairVector<Isa> expand(PairVector<Isa> old, PairVector<Isa> v, u64 mask) {
  if constexpr (requires { Isa::expand(old, v, mask); }) {
    return Isa::expand(old, v, mask);
  } else {
    const auto takes = (PairVector<Isa>)spread<u32, kPairLanes<Isa>>(mask);
    return (Isa::permute(v, Isa::prefix(mask) - 1) & takes) | (old & ~takes);
  }
}

template <class Isa>
LANES_FN PairVector<Isa> matches_at(const PairRuns& runs, PairVector<Isa> places) {
  return runs.order == nullptr ? places : Isa::gather(runs.order, places);
}

/// Each lane writes the matches of its own row. Lanes without one take rows when fewer than `below` are busy.
template <class Isa>
LANES_FN u32 write_by_lanes(PairRuns& runs, u32 below, u32 most, u32* rows, u32* matches) {
  constexpr u32 lanes = kPairLanes<Isa>;
  using V = PairVector<Isa>;
  V row = load<V>(runs.lane_row), first = load<V>(runs.lane_first), count = load<V>(runs.lane_count);
  u32 written = 0;
  for (; written < most; runs.vectors++) {
    u64 busy = Isa::bits(count != 0);
    if (lanes::count_bits(busy) < below) {
      const u64 idle = ~busy & low_mask(lanes);
      row = expand<Isa>(row, load<V>(runs.row + runs.at), idle);
      first = expand<Isa>(first, load<V>(runs.first + runs.at), idle);
      count = expand<Isa>(count, load<V>(runs.count + runs.at), idle);
      const u32 left = runs.end - runs.at, wanted = lanes::count_bits(idle);
      runs.at += wanted < left ? wanted : left;
      busy = Isa::bits(count != 0);
      if (!busy || (lanes::count_bits(busy) < below && !runs.last)) break;
    }
    while (lanes::count_bits(busy) > most - written) busy &= busy - 1;
    const V matched = matches_at<Isa>(runs, (V)keep<Isa>(first, busy));
    store(rows + written, Isa::compress(row, busy));
    store(matches + written, Isa::compress(matched, busy));
    const V step = keep<Isa>(V{} + 1, busy);
    first += step;
    count -= step;
    written += lanes::count_bits(busy);
  }
  store(runs.lane_row, row);
  store(runs.lane_first, first);
  store(runs.lane_count, count);
  return written;
}

template <class Isa>
u32 write_naive(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  return write_by_lanes<Isa>(runs, 1, most, rows, matches);
}
template <class Isa>
u32 write_refill(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  return write_by_lanes<Isa>(runs, kPairLanes<Isa>, most, rows, matches);
}

/// All lanes write the pairs of runs shorter than `below`, up to the first longer one. A bit marks each pair
/// that begins a run: the bits up to a pair give its run, the sum of the counts before it gives its match.
template <class Isa>
LANES_FN u32 write_shared(PairRuns& runs, u64 below, u32 most, u32* rows, u32* matches) {
  constexpr u32 lanes = kPairLanes<Isa>, kWindow = 1024;
  using V = PairVector<Isa>;
  u64 begins[kWindow / 64] = {}, word = 0;
  u32 offset[PairRuns::kRuns + PairRuns::kLanes];  // a run's places minus the numbers of its pairs
  const u32 room = most < kWindow ? most : kWindow;
  u64 pairs = 0, before = 0;
  u32 end = runs.at;
  for (; end < runs.end && pairs < room && runs.count[end] < below; pairs += runs.count[end++]) {
    // Stored each time, never loaded: a load would wait for the store before it.
    word = (pairs / 64 == before / 64 ? word : 0) | u64(1) << pairs % 64;
    begins[pairs / 64] = word;
    before = pairs;
    offset[end] = runs.first[end] - u32(pairs);
  }
  const u32 over = pairs > room ? u32(pairs - room) : 0, count = u32(pairs) - over;
  u32 begun = runs.at;
  V number = lane_numbers<Isa>();
  for (u32 to = 0; to < count; to += lanes, number += lanes, runs.vectors++) {
    const u64 mask = begins[to / 64] >> to % 64 & low_mask(lanes);
    const u32 base = begun - !(mask & 1);  // the first lane's run may have begun before
    const V index = Isa::prefix(mask) - u32(mask & 1);
    store(rows + to, Isa::permute(load<V>(runs.row + base), index));
    const V places = Isa::permute(load<V>(offset + base), index) + number;
    store(matches + to, matches_at<Isa>(runs, places));
    begun += lanes::count_bits(mask);
  }
  runs.at = end;
  if (over != 0) {
    runs.at = end - 1;
    runs.first[runs.at] += runs.count[runs.at] - over;
    runs.count[runs.at] = over;
  }
  return count;
}

/// All lanes write the pairs of one run after another, up to the first run shorter than `least`.
template <class Isa>
LANES_FN u32 write_long(PairRuns& runs, u32 least, u32 most, u32* rows, u32* matches) {
  constexpr u32 lanes = kPairLanes<Isa>;
  using V = PairVector<Isa>;
  const u32* const order = runs.order;
  u32 written = 0, at = runs.at;
  u64 vectors = 0;
  for (; at < runs.end && runs.count[at] >= least && written < most; at++) {
    const u32 first = runs.first[at], left = runs.count[at], room = most - written;
    const u32 count = left < room ? left : room;
    const V row = V{} + runs.row[at];
    V places = lane_numbers<Isa>() + first;
    for (u32 to = 0; to < count; to += lanes, places += lanes, vectors++) {
      store(rows + written + to, row);
      store(matches + written + to, order == nullptr ? places : load<V>(order + first + to));
    }
    written += count;
    if (count == left) continue;
    runs.first[at] = first + count;
    runs.count[at] = left - count;
    break;
  }
  runs.at = at;
  runs.vectors += vectors;
  return written;
}

template <class Isa>
u32 write_whole(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  return write_long<Isa>(runs, 1, most, rows, matches);
}

template <class Isa>
u32 write_balanced(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  u32 written = 0;
  while (runs.at < runs.end && written < most)
    written += write_shared<Isa>(runs, ~u64(0), most - written, rows + written, matches + written);
  return written;
}

template <class Isa>
u32 write_mixed(PairRuns& runs, u32 most, u32* rows, u32* matches) {
  constexpr u32 kLong = kPairLanes<Isa>;
  u32 written = 0;
  while (runs.at < runs.end && written < most) {
    u32* const to_rows = rows + written;
    u32* const to_matches = matches + written;
    written += runs.count[runs.at] >= kLong
                   ? write_long<Isa>(runs, kLong, most - written, to_rows, to_matches)
                   : write_shared<Isa>(runs, kLong, most - written, to_rows, to_matches);
  }
  return written;
}

template <class Isa>
constexpr PairKernels pair_kernels() {
  return {Isa::kTarget,        kPairLanes<Isa>,  write_naive<Isa>, write_refill<Isa>,
          write_balanced<Isa>, write_whole<Isa>, write_mixed<Isa>};
}

}  // namespace lanewise::kernels
