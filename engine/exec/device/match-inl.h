#pragma once

#include "expr/device/values-inl.h"
#include "lanes/rows-inl.h"
#include "lanes/tables-inl.h"
#include "lanes/warp_group-inl.h"

/// Which rows of a string column an automaton accepts: lanes of warps that take new rows while others are
/// still at theirs.
namespace lanewise::kernel {

/// Which rows a kernel asks: all, those of a bitmap, those of a list.
enum class Asked { kAll, kBitmap, kList };

/// What lanes did, as in lanes::Stats.
struct LaneSteps {
  u64 all, live;
};
struct LaneTally;

/// Laid out as exec/device/match.cc fills it.
struct MatchJob {
  using Tally = lanes::NoTally;
  u64 rows;            ///< of the column, or of the list
  u64 offsets, bytes;  ///< of the column
  u64 active;          ///< the bitmap or list of those that are asked
  u64 hits;            ///< bitmap, zeros before
  u64 table;           ///< states x 256
  u32 table_bytes;     ///< a multiple of 16
  u32 refill_below;
  lanes::Verdicts verdicts;
};

/// The same for a kernel that counts what its lanes do.
struct CountedMatchJob : MatchJob {
  using Tally = LaneTally;
  u64 lane_steps;  ///< LaneSteps, to which those of all lanes are added
};

inline constexpr u32 kMatchThreads = 512;  // of a block at most

#if defined(__CUDACC__)

/// As lanes::ByteTable, for automata of more states than a byte has values, or too large for shared memory.
struct WideTable {
  const u16* next;
  LANES_FN u32 step(u32 state, u32 byte) const { return next[state << 8 | byte]; }
};

/// Hands out the rows [next, last) to one warp.
template <class Offset>
struct AllRows {
  const Offset* offsets;
  u64 next, last;

  LANES_FN u64 ready(u64 /*n*/) { return last - next; }
  LANES_FN void drop(u64 n) { next += n; }
  LANES_FN u64 row(u64 i) const { return next + i; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

/// The same for the rows of a bitmap. Each lane holds a word of 32 rows; words that are not empty are emptied
/// into a queue in shared memory, one after the other.
template <class Offset>
struct ActiveRows {
  static constexpr u32 kQueue = 64;  // rows: ready() asks for 32 at most, and a word adds 32

  const Offset* offsets;
  const u32* active;
  u64 next_word, last_word;  // of those that no lane holds yet
  u32* queue;                // rows less `base`
  u64 base;
  u32 held = 0;      // this lane's word
  u32 nonempty = 0;  // lanes whose words are not in the queue yet and hold rows
  u64 held_first = 0;
  u32 head = 0, tail = 0;

  LANES_FN u64 ready(u64 n) {
    while (tail - head < n && (nonempty || next_word < last_word)) {
      if (!nonempty) {
        const u32 lane = threadIdx.x & 31;
        held_first = next_word;
        held = next_word + lane < last_word ? active[next_word + lane] : 0;
        next_word += 32;
        nonempty = __ballot_sync(~0u, held != 0);
        continue;
      }
      const u32 owner = __ffs(nonempty) - 1;
      nonempty &= nonempty - 1;
      const u32 word = __shfl_sync(~0u, held, owner);
      const u32 lane = threadIdx.x & 31;
      if (word >> lane & 1) {
        const u32 place = tail + __popc(word & ((1u << lane) - 1));
        queue[place % kQueue] = u32((held_first + owner) * 32 + lane - base);
      }
      tail += __popc(word);
      __syncwarp();
    }
    return tail - head;
  }
  LANES_FN void drop(u64 n) {
    head += u32(n);
    __syncwarp();
  }
  LANES_FN u64 row(u64 i) const { return base + queue[(head + u32(i)) % kQueue]; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

/// The same for the rows of a list.
template <class Offset>
struct ListedRows {
  const Offset* offsets;
  const u32* list;
  u64 next, last;

  LANES_FN u64 ready(u64 /*n*/) { return last - next; }
  LANES_FN void drop(u64 n) { next += n; }
  LANES_FN u64 row(u64 i) const { return list[next + i]; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

struct SetRowBit {
  u32* hits;
  template <class Group>
  LANES_FN void operator()(const Group& group, u32 k) const {
    const u64 row = group.row(k);
    atomicOr(hits + row / 32, 1u << row % 32);
  }
};

/// Counts the steps of this thread's lane.
struct LaneTally {
  static constexpr bool kOn = true;
  LaneSteps steps{};

  LANES_FN void refill() {}
  LANES_FN void walk(u64 lane_steps, u64 live_steps, u64 /*bytes*/) {
    steps.all += lane_steps;
    steps.live += live_steps;
  }
  /// Adds what the warp's lanes counted. All of them call it.
  LANES_FN void add_to(LaneSteps& total) {
    for (u32 distance = 16; distance; distance /= 2) {
      steps.all += __shfl_xor_sync(~0u, steps.all, distance);
      steps.live += __shfl_xor_sync(~0u, steps.live, distance);
    }
    if (threadIdx.x & 31) return;
    atomicAdd(&total.all, steps.all);
    atomicAdd(&total.live, steps.live);
  }
};

template <class Table, class Job, class Source>
LANES_FN void match_rows(const Table& table, const Job& job, Source& source) {
  lanes::WarpGroup<Table> group(table, job.verdicts, reinterpret_cast<const u8*>(job.bytes));
  SetRowBit book{reinterpret_cast<u32*>(job.hits)};
  typename Job::Tally tally;
  lanes::run_rows(group, source, job.refill_below, book, tally);
  if constexpr (Job::Tally::kOn) tally.add_to(*reinterpret_cast<LaneSteps*>(job.lane_steps));
}

/// Each warp takes its share of the rows, in words of 32.
template <class Table, class Offset, Asked kAsked, class Job>
LANES_FN void match_share(const Table& table, const Job& job, u32* queues) {
  const u64 warp = (blockIdx.x * u64(blockDim.x) + threadIdx.x) / 32;
  const u64 warps = u64(gridDim.x) * blockDim.x / 32;
  const u64 words = (job.rows + 31) / 32;
  const u64 share = (words + warps - 1) / warps;
  const u64 first = warp * share < words ? warp * share : words;
  const u64 last = first + share < words ? first + share : words;
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const u64 begin = first * 32 < job.rows ? first * 32 : job.rows;
  const u64 end = last * 32 < job.rows ? last * 32 : job.rows;
  if constexpr (kAsked == Asked::kBitmap) {
    ActiveRows<Offset> source{offsets,
                              reinterpret_cast<const u32*>(job.active),
                              first,
                              last,
                              queues + threadIdx.x / 32 * ActiveRows<Offset>::kQueue,
                              first * 32};
    match_rows(table, job, source);
  } else if constexpr (kAsked == Asked::kList) {
    ListedRows<Offset> source{offsets, reinterpret_cast<const u32*>(job.active), begin, end};
    match_rows(table, job, source);
  } else {
    AllRows<Offset> source{offsets, begin, end};
    match_rows(table, job, source);
  }
}

/// With `kShared` the table is copied to shared memory first.
template <class Offset, Asked kAsked, bool kShared, class Job>
LANES_FN void match(const Job& job) {
  __shared__ u32 queues[kAsked == Asked::kBitmap ? kMatchThreads / 32 * ActiveRows<Offset>::kQueue : 1];
  if constexpr (kShared) {
    extern __shared__ uint4 shared[];
    const auto* from = reinterpret_cast<const uint4*>(job.table);
    for (u32 i = threadIdx.x; i < job.table_bytes / 16; i += blockDim.x) shared[i] = from[i];
    __syncthreads();
    match_share<lanes::ByteTable, Offset, kAsked>({reinterpret_cast<const u8*>(shared)}, job, queues);
  } else {
    match_share<WideTable, Offset, kAsked>({reinterpret_cast<const u16*>(job.table)}, job, queues);
  }
}

#endif

}  // namespace lanewise::kernel
