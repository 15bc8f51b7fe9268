// Compiled at run time with engine/ as include path: the lane algorithm on warps, and the text that it runs
// over.

#include "lanes/automata/rows-inl.h"
#include "lanes/groups/warp_group-inl.h"
#include "lanes/tables/tables-inl.h"

using namespace lanewise::lanes;

__device__ u64 mix(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

/// Random rows over 40 characters; one in ten of those with at least 12 bytes contains "google.d".
extern "C" __global__ void fill(u8* bytes, const u64* offsets, u64 rows) {
  const u64 row = blockIdx.x * u64(blockDim.x) + threadIdx.x;
  if (row >= rows) return;
  u8* at = bytes + offsets[row];
  const u32 length = u32(offsets[row + 1] - offsets[row]);
  const char alphabet[] = "abcdefghijklmnopqrstuvwxyz/.-_0123456789";
  u64 random = mix(row * 31 + 5);
  for (u32 k = 0; k < length; k++) {
    if (k % 8 == 0) random = mix(random + k + row);
    at[k] = alphabet[(random >> k % 8 * 8) % 40];
  }
  const u64 h = mix(row + 77);
  if (h % 10 != 0 || length < 12) return;
  const char word[] = "google.d";
  for (u32 k = 0; k < 8; k++) at[(h >> 8) % (length - 8) + k] = word[k];
}

struct Job {
  const u64* offsets;
  const u8* bytes;
  const u8* next;  // states x 256
  u32 table_bytes;
  u32 refill_below;
  Verdicts verdicts;
  u64 rows;
  u64* count;
  u32* hits;
};

struct CountRow {
  u64 count = 0;
  template <class Group>
  LANES_FN void operator()(const Group& /*group*/, u32 /*k*/) {
    count++;
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

/// The rows [next, last) of one warp.
struct WarpRows {
  const u64* offsets;
  u64 next, last;

  LANES_FN u64 ready(u64 /*n*/) const { return last - next; }
  LANES_FN void drop(u64 n) { next += n; }
  LANES_FN u64 row(u64 i) const { return next + i; }
  LANES_FN u64 begin(u64 row) const { return offsets[row]; }
  LANES_FN u64 end(u64 row) const { return offsets[row + 1]; }
};

template <class Book>
LANES_FN void match(const Job& job, Book& book) {
  extern __shared__ uint4 shared[];
  for (u32 k = threadIdx.x; k < job.table_bytes / 16; k += blockDim.x) {
    shared[k] = reinterpret_cast<const uint4*>(job.next)[k];
  }
  __syncthreads();
  const u64 warp = (blockIdx.x * u64(blockDim.x) + threadIdx.x) / 32;
  const u64 warps = u64(gridDim.x) * blockDim.x / 32;
  const u64 share = (job.rows + warps - 1) / warps;
  const u64 first = warp * share < job.rows ? warp * share : job.rows;
  const u64 last = first + share < job.rows ? first + share : job.rows;
  const ByteTable table{reinterpret_cast<const u8*>(shared)};
  WarpGroup<ByteTable> group(table, job.verdicts, job.bytes);
  WarpRows source{job.offsets, first, last};
  NoTally tally;
  run_rows(group, source, job.refill_below, book, tally);
}

extern "C" __global__ void __launch_bounds__(512) match_count(Job job) {
  CountRow book;
  match(job, book);
  for (u32 distance = 16; distance; distance /= 2) {
    book.count += __shfl_xor_sync(~0u, book.count, distance);
  }
  if (threadIdx.x % 32 == 0 && book.count)
    atomicAdd(reinterpret_cast<unsigned long long*>(job.count), book.count);
}

extern "C" __global__ void __launch_bounds__(512) match_bits(Job job) {
  SetRowBit book{job.hits};
  match(job, book);
}
