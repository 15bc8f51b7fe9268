#pragma once

#include "codegen/tally-inl.h"
#include "data/kernels/values-inl.h"
#include "lanes/automata/rows-inl.h"
#include "lanes/groups/late_first-inl.h"
#include "lanes/groups/warp_group-inl.h"
#include "lanes/tables/tables-inl.h"

/// Which rows of a string column an automaton accepts: lanes of warps that take new rows while others are
/// still at theirs.
namespace lanewise::kernel {

/// Which rows a kernel tests: all, those of a bitmap, those of a list.
enum class Asked { kAll, kBitmap, kList };

/// Laid out as ops/filter/gpu/match.cc fills it.
struct MatchJob {
  using Tally = lanes::NoTally;
  u64 rows;            ///< of the column, or of the list
  u64 offsets, bytes;  ///< of the column
  u64 active;          ///< the bitmap or list of those that are tested
  u64 hits;            ///< bitmap, zeros before
  u64 table;           ///< states x 256
  u32 table_bytes;     ///< a multiple of 16
  u32 refill_below;
  lanes::Verdicts verdicts;
  u32 look;  ///< rows of each share's end among which late ones are looked for; 0: all in their order
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

/// Places [next, end) of one warp's share, which begins with place `first` of all, less those left out.
struct Places {
  u64 first;
  u32 end;
  u32 next = 0, stop = end;        // before the next one that is left out
  u32 left_out = lanes::kNoPlace;  // by this lane

  LANES_FN u32 ready(u32 /*n*/) {
    if (next == stop && stop < end) pass();
    return stop - next;
  }
  LANES_FN void drop(u32 n) { next += n; }
  LANES_FN u64 place(u64 i) const { return first + (next + u32(i)); }

  LANES_FN u32 places() const { return end; }
  LANES_FN bool asks(u32 /*n*/) const { return true; }
  LANES_FN u64 from_end(u32 n) const { return first + (end - 1 - n); }
  LANES_FN void leave_out(u32 n) {
    left_out = n == lanes::kNoPlace ? n : end - 1 - n;
    stop = 0;
  }

 private:
  /// Skips the rows at `next` that are left out; `stop` becomes the next row that is left out.
  LANES_FN void pass() {
    u32 ahead = left_out - next;  // distance to this lane's row; large if there is none
    const u32 skipped = __reduce_or_sync(~0u, ahead < 32 ? 1u << ahead : 0);
    next += skipped == ~0u ? 32 : __ffs(~skipped) - 1;
    ahead = __reduce_min_sync(~0u, left_out - next);
    stop = ahead < end - next ? next + ahead : end;
  }
};

/// The rows of a warp's share of a column.
template <class Offset>
struct AllRows : Places {
  const Offset* offsets;

  LANES_FN AllRows(const Offset* all, u64 begin, u64 end) : Places{begin, u32(end - begin)}, offsets(all) {}
  LANES_FN u64 row(u64 i) const { return place(i); }
  LANES_FN u64 late(u32 n) const { return from_end(n); }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

/// The same for the rows of a list.
template <class Offset>
struct ListedRows : Places {
  const Offset* offsets;
  const u32* list;

  LANES_FN ListedRows(const Offset* all, const u32* rows, u64 begin, u64 end)
      : Places{begin, u32(end - begin)}, offsets(all), list(rows) {}
  LANES_FN u64 row(u64 i) const { return list[place(i)]; }
  LANES_FN u64 late(u32 n) const { return list[from_end(n)]; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

/// The same for the rows of a bitmap. Each lane holds a word of 32 rows; words that are not empty are emptied
/// into a queue in shared memory, one after the other.
template <class Offset>
struct ActiveRows {
  static constexpr u32 kQueue = 64;  // rows: ready() requests 32 at most, and a word adds 32

  const Offset* offsets;
  const u32* active;  // of the share, which begins with row `first`; rows are counted from there
  u64 first;
  u32 words;
  u32* queue;                      // rows
  u32 next_word = 0;               // that no lane holds yet
  u32 left_out = lanes::kNoPlace;  // this lane's late row
  u32 held = 0;                    // this lane's word
  u32 nonempty = 0;                // lanes whose words are not in the queue yet and hold rows
  u32 head = 0, tail = 0;

  LANES_FN u32 ready(u32 n) {
    while (tail - head < n && (nonempty || next_word < words)) {
      const u32 lane = threadIdx.x & 31;
      if (!nonempty) {
        fetch(next_word + lane);
        next_word += 32;
        nonempty = __ballot_sync(~0u, held != 0);
        continue;
      }
      const u32 owner = __ffs(nonempty) - 1;
      nonempty &= nonempty - 1;
      const u32 word = __shfl_sync(~0u, held, owner);
      if (word >> lane & 1) {
        const u32 place = tail + __popc(word & ((1u << lane) - 1));
        queue[place % kQueue] = (next_word - 32 + owner) * 32 + lane;
      }
      tail += __popc(word);
      __syncwarp();
    }
    return tail - head;
  }
  LANES_FN void drop(u32 n) {
    head += n;
    __syncwarp();
  }
  LANES_FN u64 row(u64 i) const { return first + queue[(head + u32(i)) % kQueue]; }

  LANES_FN u32 places() const { return words * 32; }
  LANES_FN bool asks(u32 n) const { return active[words - 1 - n / 32] << n % 32 >> 31; }
  LANES_FN u64 late(u32 n) const { return first + (words * 32 - 1 - n); }
  LANES_FN void leave_out(u32 n) { left_out = n == lanes::kNoPlace ? n : words * 32 - 1 - n; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }

 private:
  LANES_FN void fetch(u32 word) {
    held = word < words ? active[word] : 0;
    const u32 here = __ballot_sync(~0u, left_out / 32 - next_word < 32);
#pragma unroll 1
    for (u32 lanes = here; lanes; lanes &= lanes - 1) {
      const u32 late = __shfl_sync(~0u, left_out, __ffs(lanes) - 1);
      if (late / 32 == word) held &= ~(1u << late % 32);
    }
  }
};

struct SetRowBit {
  u32* hits;
  template <class Group>
  LANES_FN void operator()(const Group& group, u32 k) const {
    const u64 row = group.row(k);
    atomicOr(hits + row / 32, 1u << row % 32);
  }
};

template <class Table, class Job, class Source>
LANES_FN void match_rows(const Table& table, const Job& job, Source& source) {
  lanes::WarpGroup<Table> group(table, job.verdicts, reinterpret_cast<const u8*>(job.bytes));
  SetRowBit book{reinterpret_cast<u32*>(job.hits)};
  typename Job::Tally tally;
  u32 busy = 0;
  if (job.look) busy = lanes::take_late(group, source, job.look);
  lanes::run_rows(group, source, job.refill_below, book, tally, busy);
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
    ActiveRows<Offset> source{offsets, reinterpret_cast<const u32*>(job.active) + first, first * 32,
                              u32(last - first), queues + threadIdx.x / 32 * ActiveRows<Offset>::kQueue};
    match_rows(table, job, source);
  } else if constexpr (kAsked == Asked::kList) {
    ListedRows<Offset> source(offsets, reinterpret_cast<const u32*>(job.active), begin, end);
    match_rows(table, job, source);
  } else {
    AllRows<Offset> source(offsets, begin, end);
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
